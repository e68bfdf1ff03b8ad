#pragma once

// A shrub ensemble that needs no tuning.
//
// Algorithm 1 of the paper needs a window, a step size and more to be chosen first, and judges a
// shrub on the examples it was grown on. Here shrubs are grown on windows of all lengths, judged by
// their predictions for examples that came later, and weighed by proximal gradient descent with
// several step sizes at once. docs/no-tuning.md has the method in mathematics.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/beds.hpp"
#include "shrubs/auto/companions/companions.hpp"
#include "shrubs/auto/drifts.hpp"
#include "shrubs/auto/feature_scale.hpp"
#include "shrubs/auto/mixtures.hpp"
#include "shrubs/auto/placed_shrubs.hpp"
#include "shrubs/auto/planner.hpp"
#include "shrubs/auto/running_target.hpp"
#include "shrubs/auto/score_quantiles.hpp"
#include "shrubs/state/state.hpp"
#include "shrubs/window/example.hpp"
#include "shrubs/window/recalled.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// The learner. It lives in an arena that the caller provides and never allocates.
class AutoEnsemble {
 public:
    using Configuration = AutoConfig;
    static constexpr Magic magic = {'S', 'H', 'R', 'U', 'B', 'A'};
    static constexpr std::uint16_t state_version = 10;
    /// Whether there is a plan.
    static bool can_hold(const AutoConfig& config, const Dimensions& dimensions,
                         std::span<const std::uint8_t> nominal);

    /// Bytes by purpose; the companions count as weights.
    static MemoryReport report(const AutoPlan& plan);

    /// `arena` has `make_auto_plan(...).total_bytes` zeros, aligned to 8. `nominal` has one entry
    /// per feature, 1 for nominal features. Requires a plan.
    AutoEnsemble(const AutoConfig& config, const Dimensions& dimensions,
                 std::span<const std::uint8_t> nominal, std::span<std::byte> arena);

    const AutoConfig& config() const { return config_; }
    const PlanInUse& plan() const { return shrubs_.plan(); }
    Task task() const { return config_.task; }
    const Dimensions& dimensions() const { return plan().dimensions; }
    const Window& window() const { return window_; }
    std::span<const std::uint8_t> nominal() const { return window_.nominal(); }
    std::uint64_t examples_seen() const { return examples_seen_; }
    std::span<float> row() const { return scratch_.row; }
    /// The recalled features of the next example; missing before there are two. Targets among them
    /// count in a unit of their own.
    double target_unit() const { return 1.0 / running_target_.down(); }
    std::array<float, recalled_features> recalled() const;
    static constexpr bool is_frozen() { return false; }

    /// Learns one example. The label must be below `n_classes`. Where labels come late, it is
    /// learned as it was predicted: without the outcomes that were not known then.
    void learn(const Example& example);
    /// f(x): `(n_classes,)` probabilities, uniform before the first example; or `(1,)`, the target,
    /// 0 before the first example.
    void predict(std::span<const float> x, std::span<double> f) const;
    /// The same, followed by learning the same x: the shrubs are walked once for both.
    void predict_next(std::span<const float> x, std::span<double> f) { predict(x, f); }
    void learn_next(const Example& example);
    /// What was mixed as a prediction; both may be the same.
    void restore(std::span<const double> mixed, std::span<double> f) const;
    /// What this share of the scores does not exceed: of the distances of targets to their
    /// predictions, or of `class_score`. Infinite before there is one.
    double bound(double coverage) const { return score_quantiles_.at(coverage); }

    /// One bit per example, that of the last one lowest: whether another class was predicted, or a
    /// smaller target.
    std::uint32_t surprises() const { return surprises_; }
    /// Values that growing visited with the last example; more than fit here count as so many.
    std::uint32_t n_visited() const { return n_visited_; }

    /// Makes a feature as new: no example of the window has a value of it any more.
    void forget_feature(std::uint32_t feature);
    /// Lets classes go, as if there had been no examples of them, and gives others their numbers.
    /// One that stays must be in the window.
    void renumber_classes(ClassNumbers now);
    /// Of each feature, how many examples came since its last value; the size of the window if it
    /// has none.
    void count_since_present(std::span<std::uint32_t> since) const;
    /// The same of each class, and how many examples of it are in the window.
    void count_since_class(std::span<std::uint32_t> since, std::span<std::uint32_t> counts) const;

    std::uint32_t n_shrubs() const { return n_present_ - (plan().n_experts - plan().n_places); }
    const PlacedShrubs& shrubs() const { return shrubs_; }
    const Beds& beds() const { return beds_; }
    const ChosenCompanions& companions() const { return companions_; }
    const Mixtures& mixtures() const { return mixtures_; }
    const FeatureScale& scale() const { return scale_; }
    const RunningTarget& running_target() const { return running_target_; }
    LastOutcomes last_outcomes() const;
    const Drifts& drifts() const { return drifts_; }
    /// Whether its leaves hold what is added to the linear model.
    bool leans(std::uint32_t place) const;
    /// The target that a leaf predicts now; of a shrub that leans, what it adds.
    double said_by(std::uint32_t place, std::uint32_t leaf) const;
    /// Of a shrub, by its place, or of a companion, behind the shrubs, in the prediction as a
    /// whole. All weights sum to one.
    double weight(std::uint32_t expert) const;

    /// All that is kept; reading requires a new ensemble.
    void archive(Archive& archive);
    /// Takes over all that `other` knows; it may have fewer features and classes, and another
    /// amount of memory. Requires a new ensemble.
    void copy_from(const AutoEnsemble& other);
    /// Takes over what `other`, of the same plan, predicts from, and nothing that it only learns
    /// from. Requires a new ensemble.
    void copy_predictor_from(const AutoEnsemble& other);

 private:
    struct Scratch {
        std::span<float> row;
        std::span<float> recalling;       ///< (d + recalled_features,) x and what came before
        std::span<std::uint8_t> kinds;    ///< the same: 1 for nominal features
        std::span<std::uint16_t> leaves;  ///< (places,) the leaf of the example at hand
        std::span<float> predictions;     ///< (experts * width,)
        std::span<double> output;         ///< (width,)
        std::span<double> target;         ///< (width,)
    };
    struct Memory {
        Window::Memory window;
        PlacedShrubs::Memory shrubs;
        Mixtures::Memory mixtures;
        FeatureScale::Memory scale;
        Beds::Memory beds;
        Drifts::Memory drifts;
        std::span<std::uint16_t> present;      ///< (experts,)
        std::span<std::uint32_t> since_grown;  ///< (groups,)
        Scratch scratch;
    };
    static Memory reserve(Arena& arena, const AutoPlan& plan);
    void choose(Arena& arena, const AutoPlan& plan);

    void evaluate(std::span<const float> x) const;
    void learn_evaluated(const Example& example);
    void learn_score(const Example& example);
    bool has_outcomes(std::uint32_t n) const;
    std::uint32_t last_slot(std::uint32_t back) const;
    double last_target() const;
    double linear_target(std::span<const float> x) const;
    double leaned_on() const;
    double outcome_for(std::uint32_t place, double target) const;
    std::span<const std::uint8_t> all_kinds() const;
    void predict_shrubs(std::span<const float> x) const;
    void predict_companions(std::span<const float> x) const;
    void set_target(const Example& example);
    void update_leaves(const Example& example);
    void update_companions(const Example& example);
    void update_present();
    bool is_due(std::uint32_t g, std::uint32_t length) const;
    bool is_light(const ShrubGroup& group) const;
    void watch_drift();
    const ShrubGroup* past_group(bool recalls) const;
    bool mean_of(const ShrubGroup* group, bool leaning, std::span<double> said) const;
    void look();
    bool was_wrong(std::uint32_t place, const Example& example) const;
    void grow_due(const Example& example);
    std::uint64_t may_still_visit() const;
    void count_visited(std::uint64_t n_values);
    std::uint32_t worst_place(const ShrubGroup& group) const;
    void start(std::uint32_t group, std::uint32_t place, std::uint32_t length);
    void choose_favourites(std::span<std::uint16_t> favourites) const;
    void compare_by_merit();
    std::size_t take_from_heaviest(std::span<std::uint16_t> favourites) const;
    std::span<std::uint16_t> take_by_merit(std::span<std::uint16_t> favourites,
                                           std::size_t n) const;
    std::uint64_t tend(std::size_t bed, std::uint64_t n_values);
    void finish(std::size_t bed);
    void finish_growing();
    void settle(std::size_t bed);
    void centre_targets(const GrowingShrub& shrub, std::uint32_t n);
    void copy_shrubs_from(const AutoEnsemble& other);
    void copy_growing_from(const AutoEnsemble& other, std::uint32_t from, std::uint32_t to);
    bool covers_targets() const;
    bool knows_nothing() const { return examples_seen_ == 0 || n_present_ == 0; }
    std::span<float> prediction(std::uint32_t expert) const {
        return scratch_.predictions.subspan(std::size_t{expert} * plan().width(), plan().width());
    }
    Mixtures::Present present() const { return {present_.data(), n_present_}; }

    AutoConfig config_;
    Window window_;
    PlacedShrubs shrubs_;
    Mixtures mixtures_;
    FeatureScale scale_;
    Drifts drifts_;
    RunningTarget running_target_;
    ScoreQuantiles score_quantiles_;
    ChosenCompanions companions_;
    Beds beds_;
    Scratch scratch_;
    std::span<std::uint16_t> present_;      ///< the experts that take part come first
    std::span<std::uint32_t> since_grown_;  ///< examples, by group
    double loss_ = 0.0;  ///< of the ensemble, forgotten as slowly as those of the shrubs
    std::uint64_t examples_seen_ = 0;
    std::uint32_t n_present_ = 0;
    /// Outcomes that were not known when the example at hand was predicted.
    std::uint32_t lag_ = 0;
    std::uint32_t surprises_ = 0;
    std::uint32_t n_visited_ = 0;
};

}  // namespace shrubs
