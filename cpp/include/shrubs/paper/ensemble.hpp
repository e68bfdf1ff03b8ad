#pragma once

// Algorithm 1 of the paper, step by step.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/growth/grow.hpp"
#include "shrubs/paper/config.hpp"
#include "shrubs/paper/losses/losses.hpp"
#include "shrubs/paper/members.hpp"
#include "shrubs/paper/plan.hpp"
#include "shrubs/state/state.hpp"
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
    Task task() const { return config_.task; }
    const Dimensions& dimensions() const { return plan_.dimensions; }
    const Members& members() const { return members_; }
    const Window& window() const { return window_; }
    std::span<const std::uint8_t> nominal() const { return window_.nominal(); }
    std::uint64_t examples_seen() const { return examples_seen_; }
    std::span<float> row() const { return scratch_.row; }

    /// One step of Algorithm 1. The label must be below `n_classes`.
    void learn(const Example& example);

    /// f(x): `(n_classes,)` probabilities, uniform before the first example; or `(1,)`, the target,
    /// 0 before the first example.
    void predict(std::span<const float> x, std::span<double> f) const {
        members_.predict(x, scratch_.found, f);
    }
    /// The same, followed by one step on the same x: the members are walked once for both.
    void predict_next(std::span<const float> x, std::span<double> f) { predict(x, f); }
    void learn_next(const Example& example) { step(example); }

    /// For a whole window no newcomer could have entered, whatever the examples: the step size is
    /// too small for the weights. Stays true once true.
    bool is_frozen() const { return frozen_; }

    /// All that is not a cache; reading requires a new ensemble, and restoring it afterwards.
    void archive(Archive& archive);
    /// Fills the caches for one example of the window, whose ages are 0, ..., `window().size()`
    /// - 1.
    void restore(std::uint32_t age);
    /// How long restoring all of them takes, in additions.
    std::uint64_t restoring_steps() const;
    /// Takes over all that `other` knows, which may have fewer features and classes and other
    /// caches. Requires a new ensemble.
    void copy_from(const PaperEnsemble& other);

 private:
    struct Scratch {
        std::span<float> row;            ///< (d,) an example on its way in
        std::span<std::uint16_t> found;  ///< (M + 1,) the leaf of that example in each member
        std::span<double> descended;     ///< (M + 1,) gradient, then weights after the step
        std::span<std::uint16_t> order;  ///< (M + 1,) for the prox
    };
    struct Memory {
        Window::Memory window;
        Members::Memory members;
        AnyLoss loss;
        GrowScratch growth;
        Scratch scratch;
    };
    static Memory reserve(Arena& arena, const Plan& plan);
    PaperEnsemble(const Plan& plan, std::span<const std::uint8_t> nominal, Arena arena);
    PaperEnsemble(const Plan& plan, std::span<const std::uint8_t> nominal, const Memory& memory);

    void step(const Example& example);
    void update_window(const Example& example);
    // What is known of the newcomer that an example brings.
    struct Newcomer {
        double least = 0.0;  ///< the weight before the prox that is too small, see `is_too_small`
        bool is_begun = false;  ///< it was given up in an earlier step
        bool is_member = false;
    };
    bool is_hopeless(Newcomer& newcomer);
    double find_least(std::span<const double> descended);
    void add_newcomer(Newcomer& newcomer);
    bool may_give_up() const;
    Fit fit() const { return {members_, window_}; }
    Seen oldest();
    template <class Call>
    auto on_loss(Call call) {
        return std::visit(call, loss_);
    }
    void descend(MemberRange range);
    void project();
    void prune();
    void watch_for_freezing();

    Config config_;
    GrowthPlan plan_;
    Window window_;
    Members members_;
    AnyLoss loss_;
    GrowScratch growth_;
    Scratch scratch_;
    std::uint64_t examples_seen_ = 0;
    std::uint32_t stuck_for_ = 0;
    std::uint32_t n_descended_ = 0;  ///< members whose `descended` is up to date
    std::uint32_t n_ordered_ = 0;    ///< members in `order`, as the last step left it
    bool frozen_ = false;
    bool was_cut_ = false;  ///< the last newcomer got no weight
};

}  // namespace shrubs
