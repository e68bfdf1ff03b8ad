#pragma once

// One tree on the window, grown from scratch: the plain baseline of the paper (SDT).

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/growth/grow.hpp"
#include "shrubs/growth/growth_plan.hpp"
#include "shrubs/memory/arena.hpp"
#include "shrubs/paper/members.hpp"
#include "shrubs/state/state.hpp"
#include "shrubs/window/example.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

struct TreeConfig {
    /// Keeps the tree while it is right about the new example.
    bool only_on_error = true;
    Splitter splitter = Splitter::best;
    Cache cache = Cache::automatic;
    std::uint32_t window_size = 256;
    std::uint32_t max_depth = no_limit;
    std::uint32_t min_samples_leaf = 1;
    std::uint64_t seed = 0;

    bool operator==(const TreeConfig&) const = default;
    GrowthOptions growth() const {
        return {Task::classification, splitter, cache, window_size, max_depth, min_samples_leaf};
    }
};

inline bool is_valid(const TreeConfig& config, const Dimensions& dimensions) {
    return is_valid(config.growth(), dimensions);
}

/// What stands at the head of a byte state.
void archive_header(Archive& archive, TreeConfig& config, Dimensions& dimensions,
                    std::uint16_t version);

/// The learner, for classification. It lives in an arena that the caller provides and never
/// allocates.
class WindowedTree {
 public:
    using Configuration = TreeConfig;
    static constexpr Task task = Task::classification;
    static constexpr Magic magic = {'S', 'H', 'R', 'U', 'B', 'T'};
    static constexpr std::uint16_t state_version = 1;
    static bool can_hold(const TreeConfig& config, const Dimensions& dimensions,
                         std::span<const std::uint8_t> /*nominal*/) {
        return is_valid(config, dimensions);
    }

    /// Bytes by purpose.
    static MemoryReport report(const TreeConfig& config, const Dimensions& dimensions);

    /// `arena` has `report(config, dimensions).total()` bytes, aligned to 8. `nominal` has one
    /// entry per feature, 1 for nominal features. Requires `is_valid(config, dimensions)`.
    WindowedTree(const TreeConfig& config, const Dimensions& dimensions,
                 std::span<const std::uint8_t> nominal, std::span<std::byte> arena);

    const TreeConfig& config() const { return config_; }
    const Dimensions& dimensions() const { return plan_.dimensions; }
    /// The tree, once there is an example.
    const Members& members() const { return members_; }
    const Window& window() const { return window_; }
    std::span<const std::uint8_t> nominal() const { return window_.nominal(); }
    std::uint64_t examples_seen() const { return examples_seen_; }
    std::span<float> row() const { return scratch_.row; }
    static constexpr bool is_frozen() { return false; }

    /// Learns one example. The label must be below `n_classes`.
    void learn(const Example& example) {
        members_.find_leaves(example.x, scratch_.found);
        learn_next(example);
    }
    /// f(x): `(n_classes,)` probabilities, uniform before the first example.
    void predict(std::span<const float> x, std::span<double> f) const {
        members_.predict(x, scratch_.found, f);
    }
    /// The same, followed by learning the same x: the tree is walked once for both.
    void predict_next(std::span<const float> x, std::span<double> f) { predict(x, f); }
    void learn_next(const Example& example);

    /// All that is not a cache; reading requires a new tree.
    void archive(Archive& archive);
    /// Takes over all that `other` knows, which may have fewer features and classes and other
    /// caches. Requires a new tree.
    void copy_from(const WindowedTree& other);

 private:
    struct Scratch {
        std::span<float> row;            ///< (d,) an example on its way in
        std::span<std::uint16_t> found;  ///< (2,) its leaf
    };
    struct Memory {
        Window::Memory window;
        Members::Memory members;  ///< of the tree and its successor
        GrowScratch growth;
        Scratch scratch;
    };
    static Memory reserve(Arena& arena, const GrowthPlan& plan);

    bool was_right(const Example& example) const;
    void replace_tree();

    TreeConfig config_;
    GrowthPlan plan_;
    Window window_;
    Members members_;
    GrowScratch growth_;
    Scratch scratch_;
    std::uint64_t examples_seen_ = 0;
};

}  // namespace shrubs
