#pragma once

// Grows a shrub by random splits on the last examples of a window, node by node, left before right.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "shrubs/auto/config.hpp"
#include "shrubs/growth/grow.hpp"
#include "shrubs/growth/random_split.hpp"
#include "shrubs/tree/impurity.hpp"
#include "shrubs/window/recalled.hpp"

namespace shrubs {

/// The last examples of a window, and what limits a shrub on them.
struct LastExamples {
    const Window& window;
    std::uint32_t length = 0;  ///< how many examples
    std::uint32_t max_leaves = 1;
    std::uint32_t max_depth = largest_auto_depth;
    /// Nodes with fewer examples are leaves.
    std::uint32_t min_samples_split = 2;
    std::uint32_t max_features = 1;  ///< tried per node, constant ones not counted
    bool recalls = false;            ///< the outcomes before an example are features too
    double down = 1.0;               ///< the scale of targets among them
};

/// Memory that growing leaves behind as garbage.
struct LastExamplesScratch {
    std::span<std::uint16_t> order;     ///< (window_size,)
    std::span<std::uint16_t> features;  ///< (n_features,)
    std::span<PendingNode> pending;     ///< (max_depth,)
    std::span<float> left_counts;       ///< of `find_random_split`, or empty

    static LastExamplesScratch reserve(Arena& arena, Task task, std::uint32_t window_size,
                                       Dimensions dimensions) {
        dimensions.max_features = dimensions.n_features;
        const std::uint64_t width = random_split_width(task, Splitter::random, dimensions);
        return {.order = arena.array<std::uint16_t>(Purpose::scratch, window_size),
                .features = arena.array<std::uint16_t>(Purpose::scratch, dimensions.n_features),
                .pending = arena.array<PendingNode>(Purpose::scratch, largest_auto_depth),
                .left_counts = arena.array<float>(Purpose::scratch, width * dimensions.n_classes)};
    }
};

/// The best split of a node, by the fastest search that fits.
inline std::optional<Split> find_split_in(const Window& window,
                                          std::span<const std::uint16_t> members,
                                          const SplitOptions& options,
                                          const LastExamplesScratch& scratch, Gini& gini,
                                          Random& random, const BestSplit& best) {
    if (!scratch.left_counts.empty() && options.max_features >= window.n_features()) {
        return find_random_split(window, {members}, options, scratch.left_counts, gini, random,
                                 best);
    }
    return find_split(window, {members}, options, scratch.features, gini, random, best);
}
inline std::optional<Split> find_split_in(const Window& window,
                                          std::span<const std::uint16_t> members,
                                          const SplitOptions& options,
                                          const LastExamplesScratch& scratch, Variance& variance,
                                          Random& random, const BestSplit& best) {
    return find_split(window, {members}, options, scratch.features, variance, random, best);
}

/// The examples that go left come first. Returns how many these are.
inline std::size_t partition(const LastExamples& limits, const Split& split,
                             std::span<std::uint16_t> members) {
    const Window& window = limits.window;
    const auto move = [&](const auto& values) {
        std::size_t begin = 0;
        std::size_t end = members.size();
        while (begin < end) {
            if (split.goes_left(values[members[begin]])) {
                ++begin;
            } else {
                std::swap(members[begin], members[--end]);
            }
        }
        return begin;
    };
    return split.feature < window.n_features()
               ? move(window.values(split.feature))
               : move(RecalledValues(window, split.feature - window.n_features(), limits.down));
}

/// Writes the nodes of the new shrub and returns how many inner ones it has. `make_leaf(leaf,
/// members)` is called for each leaf from left to right, after `impurity` has begun its node.
template <class Impurity, class MakeLeaf>
std::uint32_t grow_on_last(const LastExamples& limits, const LastExamplesScratch& scratch,
                           Impurity& impurity, Random& random, NewShrub shrub, MakeLeaf make_leaf) {
    const Window& window = limits.window;
    const SplitOptions options{
        .splitter = Splitter::random, .max_features = limits.max_features, .down = limits.down};
    const std::span<std::uint16_t> order = scratch.order.first(limits.length);
    for (std::uint32_t i = 0; i < limits.length; ++i) {
        order[i] = static_cast<std::uint16_t>(window.slot(window.size() - limits.length + i));
    }
    for (std::size_t i = 0; i < scratch.features.size(); ++i) {
        scratch.features[i] = static_cast<std::uint16_t>(i);
    }
    std::uint32_t n_leaves = 0;
    const PendingNode root{0, 0, static_cast<std::uint16_t>(limits.length), 0};
    grow_depth_first(shrub, root, scratch.pending, [&](PendingNode& node) {
        const auto members = order.subspan(node.begin, node.size());
        impurity.begin_node(members);
        std::optional<Split> split;
        if (members.size() >= limits.min_samples_split && node.depth < limits.max_depth &&
            shrub.n_inner + 1 < limits.max_leaves && !impurity.is_pure(members)) {
            const NodeExamples examples{members};
            BestSplit best;
            for (std::uint32_t i = 0; i < recalled_features && limits.recalls; ++i) {
                try_feature({window, examples, options}, window.n_features() + i, impurity, random,
                            best);
            }
            split = find_split_in(window, members, options, scratch, impurity, random, best);
        }
        if (!split) {
            make_leaf(n_leaves++, std::span<const std::uint16_t>(members));
            return std::optional<PendingNode>();
        }
        const auto middle =
            static_cast<std::uint16_t>(node.begin + partition(limits, *split, members));
        const auto depth = static_cast<std::uint16_t>(node.depth + 1);
        const PendingNode right{shrub.add_node(*split), middle, node.end, depth};
        node = {0, node.begin, middle, depth};
        return std::optional(right);
    });
    return shrub.n_inner;
}

}  // namespace shrubs
