#pragma once

// Grows a shrub for classification from what is left of the last one: the same shrub as from
// scratch, sooner. This is the only header of the folder for the rest of the core.

#include <cstdint>
#include <span>

#include "shrubs/growth/depth_first.hpp"
#include "shrubs/growth/growth_plan.hpp"
#include "shrubs/growth/incremental/last_shrub.hpp"
#include "shrubs/growth/incremental/split_search.hpp"
#include "shrubs/memory/arena.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// A node of a shrub that takes over from the last one.
struct IncrementalNode {
    LaneRange range;
    Subtree last;                ///< its counterpart
    std::uint32_t n_second = 0;  ///< see `SplitSearch::count_classes`
    std::uint16_t parent = 0;    ///< of a right side that waits for its left sibling
    bool is_in_place = false;    ///< it has the room of its counterpart
    bool is_outdated = false;    ///< its orders are those of its counterpart
};

struct IncrementalGrowth {
    SplitSearchMemory search = {};              ///< partly kept from one shrub to the next
    std::span<IncrementalNode> pending = {};    ///< (largest depth,)
    std::span<std::uint16_t> middles = {};      ///< (max inner nodes,)
    LastShrub last = {};                        ///< kept, unless features are drawn
    std::span<std::int32_t> distribution = {};  ///< (C,)

    /// Whether shrubs of these options can be grown this way.
    static bool is_possible(const GrowthOptions& options, const Dimensions& dimensions);

    /// Scratch that others use as well.
    struct Shared {
        std::span<std::uint32_t> totals;       ///< (C,)
        std::span<std::uint32_t> lefts;        ///< (C,)
        std::span<std::uint16_t> spare;        ///< (B,)
        std::span<std::int32_t> distribution;  ///< (C,)
        std::span<std::uint16_t> tried;        ///< (d,), empty if all features are
    };
    static IncrementalGrowth reserve(Arena& arena, const GrowthPlan& plan, const Shared& shared);

    /// Before the first shrub.
    void begin();
    /// Grows a shrub on all examples of `window`. Requires `plan.is_incremental`.
    void grow(const Window& window, const GrowthPlan& plan, Random random, NewShrub& shrub) const;
};

}  // namespace shrubs
