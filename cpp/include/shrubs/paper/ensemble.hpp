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
#include "shrubs/state/state.hpp"
#include "shrubs/tree/targets.hpp"
#include "shrubs/window/example.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// The learner. It lives in an arena that the caller provides and never allocates.
class PaperEnsemble {
 public:
    using Configuration = Config;
    static constexpr Magic magic = {'S', 'H', 'R', 'U', 'B', 'S'};
    static constexpr std::uint16_t state_version = 2;
    static bool can_hold(const Config& config, const Dimensions& dimensions,
                         std::span<const std::uint8_t> /*nominal*/) {
        return is_valid(config, dimensions);
    }

    /// Bytes by purpose.
    static MemoryReport report(const Config& config, const Dimensions& dimensions);

    /// `arena` has `report(config, dimensions).total()` bytes, aligned to 8. `nominal` has one
    /// entry per feature, 1 for nominal features. Requires `is_valid(config, dimensions)`.
    PaperEnsemble(const Config& config, const Dimensions& dimensions,
                  std::span<const std::uint8_t> nominal, std::span<std::byte> arena);

    const Config& config() const { return config_; }
    const Dimensions& dimensions() const { return dimensions_; }
    const Members& members() const { return members_; }
    const Window& window() const { return window_; }
    std::span<const std::uint8_t> nominal() const { return window_.nominal(); }
    std::uint64_t examples_seen() const { return examples_seen_; }
    std::span<float> row() const { return scratch_.row; }

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

    /// All that is not a cache; reading requires a new ensemble.
    void archive(Archive& archive);
    /// Takes over all that `other` knows, which may have fewer features and classes and other
    /// caches. Requires a new ensemble.
    void copy_from(const PaperEnsemble& other);

 private:
    struct Scratch {
        std::span<float> row;             ///< (d,) an example on its way in
        std::span<std::uint16_t> found;   ///< (M + 1,) the leaf of that example in each member
        std::span<double> descended;      ///< (M + 1,) gradient, then weights after the step
        std::span<std::uint16_t> order;   ///< (M + 1,) for the prox
        std::span<double> probabilities;  ///< (C,) for cross-entropy
    };
    struct Memory {
        Window::Memory window;
        Members::Memory members;
        Gram::Memory gram;
        GrowScratch growth;
        Scratch scratch;
    };
    static Memory reserve(Arena& arena, const Plan& plan);

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
    void restore_caches();

    Config config_;
    Dimensions dimensions_;
    Window window_;
    Members members_;
    Gram gram_;
    GrowScratch growth_;
    Scratch scratch_;
    TargetScale scale_;
    std::uint64_t examples_seen_ = 0;
    std::uint32_t stuck_for_ = 0;
    std::uint32_t n_descended_ = 0;  ///< members whose `descended` is up to date
    bool frozen_ = false;
};

}  // namespace shrubs
