#pragma once

// The shrub that was grown last, to take over from it what has not changed.
//
// From one example to the next the window loses one example and gains one, so most nodes see the
// same examples as before. What grows below a node depends on its examples, their order of arrival
// and its depth alone (with `splitter="best"`, all features tried, classification). Two nodes of
// equal depth with the same examples therefore have the same subtree. The last shrub is walked
// along with the new one, and a node whose examples are exactly those of its counterpart takes its
// subtree from there. If a split moved, the walk only finds less to take over.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/leaf.hpp"
#include "shrubs/leaf_ids.hpp"
#include "shrubs/shrub.hpp"
#include "shrubs/window.hpp"

namespace shrubs {

/// A part of the last shrub: some inner nodes in a row and one leaf more.
struct Subtree {
    static constexpr std::uint16_t none = 0xFFFF;

    std::uint16_t first_node = 0;
    std::uint16_t n_inner = none;  ///< `none`: no counterpart
    std::uint16_t first_leaf = 0;
    std::uint16_t is_same = 0;  ///< 1: its counterpart has exactly its examples

    bool exists() const { return n_inner != none; }
    std::uint32_t n_leaves() const { return std::uint32_t{n_inner} + 1; }
};

/// Requires fewer than 65535 examples in the window.
class LastShrub {
 public:
    struct Memory {
        std::span<std::byte> nodes;
        std::span<std::byte> leaves;
        std::span<std::uint16_t> leaf_of;  ///< (B,) by slot
        std::span<std::uint16_t> ends;     ///< (most leaves + 1,) examples in all leaves before
        std::span<std::uint64_t> facts;  ///< (2,) number of inner nodes, examples added until then
    };

    LastShrub() = default;
    LastShrub(const Memory& memory, NodeBytes node_bytes)
        : memory_(memory), node_bytes_(node_bytes) {}

    bool is_kept() const { return !memory_.facts.empty(); }
    /// Before the first shrub.
    void forget();

    /// Forgets the examples that have left the window. Returns the whole shrub, if some are left.
    Subtree begin(const Window& window) const;
    /// The sides of a subtree, if it is split by this feature.
    struct Sides {
        Subtree left;
        Subtree right;
    };
    Sides sides(const Subtree& subtree, std::uint32_t feature) const;

    std::uint32_t n_examples(const Subtree& subtree) const {
        return static_cast<std::uint32_t>(memory_.ends[subtree.first_leaf + subtree.n_leaves()] -
                                          memory_.ends[subtree.first_leaf]);
    }
    bool contains(const Subtree& subtree, std::uint32_t slot) const {
        const std::uint32_t leaf = memory_.leaf_of[slot];
        return leaf - subtree.first_leaf < subtree.n_leaves();
    }
    std::uint32_t leaf_of(std::uint32_t slot) const { return memory_.leaf_of[slot]; }
    const std::byte* leaves() const { return memory_.leaves.data(); }
    void copy_nodes(const Subtree& subtree, std::byte* to) const;

    /// Keeps the shrub that has just been grown.
    void keep(const Window& window, const std::byte* nodes, std::uint32_t n_inner,
              const std::byte* leaves, LeafIds leaf_ids) const;

 private:
    Memory memory_;
    NodeBytes node_bytes_ = NodeBytes::wide;
};

}  // namespace shrubs
