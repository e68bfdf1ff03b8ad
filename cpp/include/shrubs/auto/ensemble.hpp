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

#include "shrubs/auto/companions/linear_model.hpp"
#include "shrubs/auto/companions/naive_bayes.hpp"
#include "shrubs/auto/counting_leaves.hpp"
#include "shrubs/auto/feature_scale.hpp"
#include "shrubs/auto/grow_on_last.hpp"
#include "shrubs/auto/mixtures.hpp"
#include "shrubs/auto/planner.hpp"
#include "shrubs/auto/running_target.hpp"
#include "shrubs/paper/ensemble.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// The learner. It lives in an arena that the caller provides and never allocates.
class AutoEnsemble {
 public:
    /// `arena` has `make_auto_plan(...).total_bytes` zeros, aligned to 8. `nominal` has one entry
    /// per feature, 1 for nominal features. Requires a plan.
    AutoEnsemble(const AutoConfig& config, const Dimensions& dimensions,
                 std::span<const std::uint8_t> nominal, std::span<std::byte> arena);

    const AutoConfig& config() const { return config_; }
    const Dimensions& dimensions() const { return dimensions_; }
    const AutoPlan& plan() const { return plan_; }
    const Window& window() const { return window_; }
    std::span<const std::uint8_t> nominal() const { return nominal_; }
    std::uint64_t examples_seen() const { return examples_seen_; }
    std::span<float> row() const { return row_; }
    static constexpr bool is_frozen() { return false; }

    /// Learns one example. The label must be below `n_classes`.
    void learn(const Example& example);
    /// f(x): `(n_classes,)` probabilities, uniform before the first example.
    void predict_distribution(std::span<const float> x, std::span<double> f) const;
    /// f(x) of a regression, 0 before the first example.
    double predict_value(std::span<const float> x) const;
    /// The prediction for `x` as above (for regression f is `(1,)`), followed by learning the same
    /// x: the shrubs are walked once for both.
    void predict_next(std::span<const float> x, std::span<double> f);
    void learn_next(const Example& example);

    // The shrubs, by place: group after group.
    std::uint32_t n_shrubs() const;
    bool is_grown(std::uint32_t place) const { return n_inner_[place] != not_grown; }
    std::uint32_t n_inner(std::uint32_t place) const { return n_inner_[place]; }
    std::uint64_t born(std::uint32_t place) const { return born_[place]; }
    /// In the prediction as a whole; those of all shrubs and companions sum to one.
    double weight(std::uint32_t expert) const;
    const ShrubGroup& group_of(std::uint32_t place) const;
    std::byte* nodes(std::uint32_t place) const;
    std::byte* leaves(std::uint32_t place) const;

    /// Takes over all that `other` knows; it may have fewer features and classes, and another
    /// amount of memory. Requires a new ensemble.
    void adopt(const AutoEnsemble& other);

 private:
    friend class AutoState;
    static constexpr std::uint16_t not_grown = 0xFFFF;

    void evaluate(std::span<const float> x) const;
    void copy_probabilities(std::span<double> f) const;
    void predict_shrubs(std::span<const float> x) const;
    void predict_companions(std::span<const float> x) const;
    void set_target(const Example& example);
    void update_leaves(const Example& example);
    void update_companions(const Example& example);
    void update_window(const Example& example);
    void update_present();
    bool was_wrong(std::uint32_t place, const Example& example) const;
    void grow_due(const Example& example);
    std::uint32_t worst_place(const ShrubGroup& group) const;
    void grow_at(std::uint32_t group, std::uint32_t place, std::uint32_t length);
    void adopt_shrub(const AutoEnsemble& other, std::uint32_t from, std::uint32_t to);
    void adopt_weights(const AutoEnsemble& other, std::uint32_t from, std::uint32_t to);
    std::span<float> prediction(std::uint32_t expert) const {
        return predictions_.subspan(std::size_t{expert} * plan_.width, plan_.width);
    }

    AutoConfig config_;
    Dimensions dimensions_;
    AutoPlan plan_;
    std::byte* shrubs_ = nullptr;
    std::span<std::uint8_t> nominal_;
    Window window_;
    Mixtures mixtures_;
    FeatureScale scale_;
    RunningTarget running_target_;
    std::array<NaiveBayes, bayes_forgetting.size()> bayes_;
    LinearModel linear_;
    std::span<std::uint16_t> n_inner_;  ///< (places,)
    std::span<std::uint64_t> born_;     ///< (places,)
    std::span<double> losses_;          ///< (places,) forgotten slowly
    std::span<float> row_;
    std::span<std::uint16_t> leaves_;  ///< (places,) the leaf of the example at hand
    std::span<float> predictions_;     ///< (experts * width,)
    std::span<double> output_;         ///< (width,)
    std::span<double> target_;         ///< (width,)
    LastExamplesScratch grow_scratch_;
    std::span<std::uint32_t> totals_, lefts_;
    std::span<double> centred_;  ///< (window_size,) scaled targets by slot
    std::array<std::uint16_t, most_experts> present_{};
    std::uint32_t n_present_ = 0;
    std::array<std::uint32_t, most_groups> since_grown_{};
    double loss_ = 0.0;  ///< of the ensemble, forgotten as slowly as those of the shrubs
    std::uint64_t examples_seen_ = 0;
};

}  // namespace shrubs
