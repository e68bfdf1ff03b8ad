#pragma once

// Algorithm 1 of the paper, step by step.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/growth/grow.hpp"
#include "shrubs/paper/config.hpp"
#include "shrubs/paper/gram.hpp"
#include "shrubs/paper/loss.hpp"
#include "shrubs/paper/members.hpp"
#include "shrubs/paper/plan.hpp"
#include "shrubs/tree/targets.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// A labelled example: a view of its features, and its class or its target.
struct Example {
    std::span<const float> x;  ///< (n_features,), NaN for missing; no infinity, no negative zero
    std::uint16_t label = 0;   ///< classification
    double target = 0.0;       ///< regression, finite
};

/// The learner. It lives in an arena that the caller provides and never allocates.
class PaperEnsemble {
 public:
    /// `arena` has `make_plan(config, dimensions).total_bytes` bytes, aligned to 8. `nominal` has
    /// one entry per feature, 1 for nominal features. Requires `is_valid(config, dimensions)`.
    PaperEnsemble(const Config& config, const Dimensions& dimensions,
                  std::span<const std::uint8_t> nominal, std::span<std::byte> arena);

    const Config& config() const { return config_; }
    const Dimensions& dimensions() const { return dimensions_; }
    const Members& members() const { return members_; }
    const Window& window() const { return window_; }
    std::span<const std::uint8_t> nominal() const { return nominal_; }
    std::uint64_t examples_seen() const { return examples_seen_; }
    std::span<float> row() const { return row_; }

    /// One step of Algorithm 1. The label must be below `n_classes`.
    void learn(const Example& example);

    /// f(x): `(n_classes,)` probabilities, uniform before the first example.
    void predict_distribution(std::span<const float> x, std::span<double> f) const;
    /// f(x) of a regression, 0 before the first example.
    double predict_value(std::span<const float> x) const;

    /// The prediction for `x` as above (for regression f is `(1,)`), followed by one step on the
    /// same x: the members are walked once for both.
    void predict_next(std::span<const float> x, std::span<double> f);
    void learn_next(const Example& example) { step(example); }

    /// For a whole window no newcomer could have entered, whatever the examples: the step size is
    /// too small for the weights. Stays true once true.
    bool is_frozen() const { return frozen_; }

    // Restoring a saved learner: examples oldest first, then shrubs oldest first, then finish.
    void restore_example(const Example& example) {
        window_.append(example.x, example.label, example.target);
    }
    /// Where to write the next shrub; `restore_shrub` then takes it in.
    NewShrub next_shrub();
    const GrowScratch& restore_scratch() const { return grow_scratch_; }
    void restore_shrub(const NewShrub& shrub, double weight, std::uint64_t born);
    void finish_restoring(std::uint64_t examples_seen, std::uint32_t stuck_for, bool frozen);
    std::uint32_t stuck_for() const { return stuck_for_; }

 private:
    void step(const Example& example);
    bool keeps_tree(const Example& example) const;
    void replace_tree();
    void update_window(const Example& example);
    bool newcomer_is_hopeless();
    void add_newcomer();
    void descend(MemberRange range);
    void take_step(MemberRange range);
    void project();
    void prune();
    void watch_for_freezing();

    Config config_;
    Dimensions dimensions_;
    NodeBytes node_bytes_;
    Window window_;
    Members members_;
    Gram gram_;
    GrowScratch grow_scratch_;
    TargetScale scale_;
    std::span<std::uint8_t> nominal_;
    std::span<float> row_;             ///< (d,) an example on its way in
    std::span<std::uint16_t> found_;   ///< (M + 1,) the leaf of that example in each member
    std::span<double> descended_;      ///< (M + 1,) gradient, then weights after the step
    std::span<std::uint16_t> order_;   ///< (M + 1,) for the prox
    std::span<double> probabilities_;  ///< (C,) for cross-entropy
    std::uint64_t examples_seen_ = 0;
    std::uint32_t stuck_for_ = 0;
    std::uint32_t n_descended_ = 0;  ///< members whose `descended_` is up to date
    bool frozen_ = false;
};

}  // namespace shrubs
