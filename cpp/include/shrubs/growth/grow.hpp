#pragma once

// Grows a shrub on a window: CART, depth first, without recursion (Algorithm 1, line 6).

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/growth/depth_first.hpp"
#include "shrubs/growth/growth_plan.hpp"
#include "shrubs/growth/incremental/last_shrub.hpp"
#include "shrubs/growth/incremental/split_search.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/tree/leaf.hpp"
#include "shrubs/tree/leaf_ids.hpp"
#include "shrubs/tree/shrub.hpp"
#include "shrubs/tree/targets.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// A node of a shrub that takes over from the last one.
struct GrowingNode {
    LaneRange range;
    Subtree last;                ///< its counterpart
    std::uint32_t n_second = 0;  ///< see `SplitSearch::count_classes`
    std::uint16_t parent = 0;    ///< of a right side that waits for its left sibling
    bool is_in_place = false;    ///< it has the room of its counterpart
    bool is_outdated = false;    ///< its orders are those of its counterpart
};

/// Memory that growing uses and leaves behind as garbage, apart from what is called kept. B =
/// window size, d = features.
struct GrowScratch {
    std::span<std::uint16_t> members;       ///< (B,) slots, by node and arrival
    std::span<std::uint16_t> sorted;        ///< (d * B,) slots, by feature, node and value
    std::span<std::uint16_t> right;         ///< (B,) the right side during a partition
    std::span<std::uint8_t> goes_left;      ///< (B,) by slot
    std::span<std::uint16_t> permutation;   ///< (d,) or empty
    std::span<PendingNode> pending;         ///< (largest depth,)
    std::span<std::uint32_t> totals;        ///< (C,)
    std::span<std::uint32_t> lefts;         ///< (C,)
    std::span<std::int32_t> distribution;   ///< (C,)
    SplitSearchMemory search = {};          ///< empty: the plain search is used; partly kept
    std::span<GrowingNode> growing = {};    ///< (largest depth,) with `search`
    std::span<std::uint16_t> middles = {};  ///< (max inner nodes,) with `search`
    LastShrub last = {};                    ///< kept from one shrub to the next, with `search`
    std::span<float> left_counts = {};      ///< of `find_random_split`, or empty

    static GrowScratch reserve(Arena& arena, const GrowthPlan& plan);
    /// Before the first shrub.
    void begin();
};

/// Grows a shrub on all examples of `window`. `targets` matter for regression alone.
void grow(const Window& window, const GrowthPlan& plan, const ScaledTargets& targets, Random random,
          const GrowScratch& scratch, NewShrub& shrub);

}  // namespace shrubs
