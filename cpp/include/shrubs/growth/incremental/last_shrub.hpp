#pragma once

// The shrub that was grown last, to take over from it what has not changed.
//
// From one example to the next the window loses one example and gains one, so most nodes see the
// same examples as before. What grows below a node depends on its examples, their order of arrival
// and its depth alone (with `splitter="best"`, all features tried, classification). The last shrub
// is walked along with the new one. As long as splits separate the examples that stayed in the
// same way, a node has a counterpart with the same examples, those apart that have left the window
// or entered it since. A node without such changes takes its subtree from there.
//
// A change is a slot whose example was replaced. Bits number the changes since the last shrub.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/growth/growth_plan.hpp"
#include "shrubs/tree/leaf.hpp"
#include "shrubs/tree/leaf_ids.hpp"
#include "shrubs/tree/shrub.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// A part of the last shrub: some inner nodes in a row and one leaf more.
struct Subtree {
    static constexpr std::uint16_t none = 0xFFFF;

    std::uint16_t first_node = 0;
    std::uint16_t n_inner = none;  ///< `none`: no counterpart
    std::uint16_t first_leaf = 0;
    std::uint8_t n_gone = 0;
    std::uint8_t n_come = 0;
    std::uint32_t gone = 0;  ///< changes whose old example was here
    std::uint32_t come = 0;  ///< changes whose new example belongs here

    bool exists() const { return n_inner != none; }
    bool is_inner() const { return exists() && n_inner > 0; }
    std::uint32_t n_leaves() const { return std::uint32_t{n_inner} + 1; }
    bool is_same() const { return exists() && (gone | come) == 0; }
    void lose(std::uint32_t change) {
        gone |= 1U << change;
        ++n_gone;
    }
    void gain(std::uint32_t change) {
        come |= 1U << change;
        ++n_come;
    }
    std::uint32_t n_changes() const { return std::max(n_gone, n_come); }
};

/// The slots that got another example since the last shrub.
struct Changes {
    static constexpr std::uint32_t max = 32;

    std::uint32_t n = 0;
    std::uint16_t slots[max] = {};
    std::uint16_t leaves[max] = {};  ///< where the old example was

    /// Calls `visit(slot)` for the changes whose bits are set.
    template <class Visit>
    void for_each(std::uint32_t bits, Visit visit) const {
        for (; bits != 0; bits &= bits - 1) {
            visit(slots[std::countr_zero(bits)]);
        }
    }
};

/// Requires fewer than 65535 examples in the window.
class LastShrub {
 public:
    struct Memory {
        std::span<std::byte> nodes;
        std::span<std::byte> leaves;
        std::span<std::uint16_t> middles;   ///< (max inner nodes,) where the rooms of children meet
        std::span<std::uint16_t> leaf_of;   ///< (B,) by slot
        std::span<std::uint16_t> ends;      ///< (max leaves + 1,) examples in all leaves before
        std::span<std::uint16_t> new_leaf;  ///< (max leaves + 1,) in the new shrub, or `none`
        std::span<std::uint16_t> new_sizes;  ///< (max leaves,) of the new shrub's leaves
        std::span<std::uint64_t> facts;  ///< (2,) number of inner nodes, examples added until then
    };

    static Memory reserve(Arena& arena, const GrowthPlan& plan);

    LastShrub() = default;
    LastShrub(const Memory& memory, NodeBytes node_bytes)
        : memory_(memory), node_bytes_(node_bytes) {}

    bool is_kept() const { return !memory_.facts.empty(); }
    /// Before the first shrub.
    void forget();

    /// The whole shrub, if there are not too many changes since.
    Subtree begin(const Window& window, Changes& changes) const;
    /// The sides of a subtree, if this split of its counterpart, by which `n_left` examples go
    /// left, separates those that stayed in the same way.
    struct Sides {
        Subtree left;
        Subtree right;
    };
    Sides sides(const Subtree& subtree, const Changes& changes, const Window& window,
                const Split& split, std::uint32_t n_left) const;

    /// Examples, those that are gone included.
    std::uint32_t n_examples(const Subtree& subtree) const {
        return static_cast<std::uint32_t>(memory_.ends[subtree.first_leaf + subtree.n_leaves()] -
                                          memory_.ends[subtree.first_leaf]);
    }
    std::uint32_t middle(const Subtree& subtree) const {
        return memory_.middles[subtree.first_node];
    }
    const std::byte* leaves() const { return memory_.leaves.data(); }
    void copy_nodes(const Subtree& subtree, std::byte* nodes, std::uint16_t* middles) const;
    /// The leaves of a subtree are those of the new shrub from `first_leaf` on.
    void take_leaves(const Subtree& subtree, std::uint32_t first_leaf) const;
    /// A leaf of the new shrub has so many examples.
    void set_size(std::uint32_t leaf, std::uint32_t size) const {
        memory_.new_sizes[leaf] = static_cast<std::uint16_t>(size);
    }

    /// Keeps the shrub that has just been grown, and fills the leaf ids of what it took over.
    struct Grown {
        const std::byte* nodes;
        const std::byte* leaves;
        const std::uint16_t* middles;
        std::uint32_t n_inner;
    };
    void keep(const Window& window, const Grown& grown, LeafIds leaf_ids) const;

 private:
    Memory memory_;
    NodeBytes node_bytes_ = NodeBytes::wide;
};

}  // namespace shrubs
