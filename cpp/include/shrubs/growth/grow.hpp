#pragma once

// Grows a shrub on a window: CART, depth first, without recursion (Algorithm 1, line 6).

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/growth/bit_growth.hpp"
#include "shrubs/growth/depth_first.hpp"
#include "shrubs/growth/drawn_split.hpp"
#include "shrubs/growth/growth_plan.hpp"
#include "shrubs/growth/incremental/incremental_growth.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/tree/leaf.hpp"
#include "shrubs/tree/leaf_ids.hpp"
#include "shrubs/tree/shrub.hpp"
#include "shrubs/tree/targets.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// Memory that growing uses and leaves behind as garbage, apart from what is called kept. B =
/// window size, d = features.
struct GrowScratch {
    std::span<std::uint16_t> members;      ///< (B,) slots, by node and arrival
    std::span<std::uint16_t> sorted;       ///< (d * B,) slots, by feature, node and value
    std::span<std::uint16_t> right;        ///< (B,) the right side during a partition
    std::span<std::uint8_t> goes_left;     ///< (B,) by slot
    std::span<std::uint16_t> permutation;  ///< (d,) or empty
    std::span<PendingNode> pending;        ///< (largest depth,)
    std::span<std::uint32_t> totals;       ///< (C,)
    std::span<std::uint32_t> lefts;        ///< (C,)
    std::span<std::int32_t> distribution;  ///< (C,)
    std::span<float> left_counts = {};     ///< of `find_random_split`, or empty
    DrawnScratch drawn = {};               ///< of `find_drawn_split`, or empty
    BitRows bits = {};                     ///< kept, or empty
    IncrementalGrowth incremental = {};  ///< empty: every shrub is grown from scratch; partly kept

    static GrowScratch reserve(Arena& arena, const GrowthPlan& plan);
    /// Before the first shrub.
    void begin() {
        incremental.begin();
        bits.begin();
    }
};

/// Grows a shrub on all examples of `window`. `targets` matter for regression alone.
void grow(const Window& window, const GrowthPlan& plan, const ScaledTargets& targets, Random random,
          const GrowScratch& scratch, NewShrub& shrub);

}  // namespace shrubs
