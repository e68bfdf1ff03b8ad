#pragma once

// The order in which every shrub is grown: a node, all of its left side, all of its right side.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "shrubs/tree/leaf_ids.hpp"
#include "shrubs/tree/shrub.hpp"

namespace shrubs {

/// Someone who is told of every leaf that is finished, from left to right. If nobody will need the
/// shrub, it answers true, and no more is grown.
struct LeafWatch {
    void* watcher = nullptr;
    bool (*has_seen_enough)(void* watcher, std::span<const std::uint16_t> slots) = nullptr;
};

/// Where the new shrub is written, inner nodes in this order and leaves from left to right, and
/// the leaf of each example in it.
struct NewShrub {
    std::byte* nodes = nullptr;
    std::byte* leaves = nullptr;
    NodeBytes node_bytes = NodeBytes::wide;
    LeafIds leaf_ids = {nullptr, false};
    std::uint32_t n_inner = 0;
    LeafWatch watch = {};
    bool is_given_up = false;

    /// These are the examples of a leaf whose distribution is written.
    void finish_leaf(std::uint32_t leaf, std::span<const std::uint16_t> slots) {
        for (const std::uint16_t slot : slots) {
            leaf_ids.set(slot, leaf);
        }
        is_given_up = watch.watcher != nullptr && watch.has_seen_enough(watch.watcher, slots);
    }
    /// Returns the index of the node.
    std::uint16_t add_node(const Split& split) {
        write_node(node_bytes, nodes, n_inner, {split, 0});
        return static_cast<std::uint16_t>(n_inner++);
    }
    /// All nodes that follow belong to the right side of this one.
    void begin_right(std::uint32_t index) {
        Node node = read_node(node_bytes, nodes, index);
        node.n_left = n_inner - index - 1;
        write_node(node_bytes, nodes, index, node);
    }
};

/// A node on the way to be split or to become a leaf: a range of examples and its depth.
struct PendingNode {
    std::uint16_t parent;  ///< of a right side that waits for its left sibling to be finished
    std::uint16_t begin;
    std::uint16_t end;
    std::uint16_t depth;

    std::uint32_t size() const { return std::uint32_t{end} - begin; }
};

/// `grow_node(node)` writes a leaf, or a whole subtree, and returns nothing; or it adds an inner
/// node, changes `node` to its left side and returns its right side. `pending` has room for the
/// largest depth.
template <class GrowingNode, class GrowNode>
void grow_depth_first(NewShrub& shrub, GrowingNode node, std::span<GrowingNode> pending,
                      GrowNode grow_node) {
    std::size_t n_pending = 0;
    while (true) {
        if (const std::optional<GrowingNode> right = grow_node(node)) {
            pending[n_pending++] = *right;
            continue;
        }
        if (n_pending == 0 || shrub.is_given_up) {
            return;
        }
        node = pending[--n_pending];
        shrub.begin_right(node.parent);
    }
}

}  // namespace shrubs
