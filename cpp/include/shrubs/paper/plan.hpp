#pragma once

// How the bytes of a learner are laid out: known before the first example, never exceeded.

#include <cstdint>

#include "shrubs/paper/config.hpp"
#include "shrubs/tree/leaf.hpp"
#include "shrubs/tree/shrub.hpp"

namespace shrubs {

/// A stretch of the arena, in bytes. A plan may be larger than what a 32-bit machine can address.
struct Region {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// The arena of a learner, region by region.
struct Plan {
    std::uint32_t max_leaves = 0;   ///< per shrub
    std::uint32_t kept_levels = 0;  ///< of `Lanes`
    NodeBytes node_bytes = NodeBytes::wide;
    LeafLayout layout;

    // the window
    Region values, labels, targets, nominal;
    // the shrubs, max_shrubs members and a newcomer
    Region nodes, leaves, n_inner, born, places;
    // the weights
    Region weights;
    // caches: each could be computed anew from what is above
    Region sorted, leaf_ids, products, rights, n_distinct, pivots, n_lower, rows, last_nodes,
        last_leaves, last_middles, last_leaf_of, last_ends, last_facts, lanes, lane_features,
        n_lanes, inverse, bounds;
    // scratch: means nothing between two calls
    Region descended, order, found, by_class, row, members, grow_sorted, right, goes_left,
        permutation, pending, totals, lefts, distribution, centred, probabilities, left_counts;
    // scratch of `SplitSearch`
    Region counts, lane_scores, group_scores, scores, kinds, classes, moves, bytes, counts_two,
        growing, middles, new_leaf, new_sizes;

    std::uint64_t total_bytes = 0;
};

/// Bytes by purpose.
struct MemoryReport {
    std::uint64_t window = 0;
    std::uint64_t shrubs = 0;
    std::uint64_t weights = 0;
    std::uint64_t caches = 0;
    std::uint64_t scratch = 0;
};

/// Whether splits are found by `SplitSearch`.
bool uses_split_search(const Config& config, const Dimensions& dimensions);

/// Requires `is_valid(config, dimensions)`.
Plan make_plan(const Config& config, const Dimensions& dimensions);

MemoryReport report(const Plan& plan);

}  // namespace shrubs
