#pragma once

// How shrubs are grown and stored: decided once, before the first example.

#include <algorithm>
#include <cstdint>

#include "shrubs/growth/split.hpp"
#include "shrubs/tree/leaf.hpp"
#include "shrubs/tree/shrub.hpp"
#include "shrubs/window/dimensions.hpp"

namespace shrubs {

struct GrowthPlan {
    Task task = Task::classification;
    Dimensions dimensions;
    SplitOptions split;
    std::uint32_t window_size = 0;
    std::uint32_t max_depth = 0;
    std::uint32_t max_leaves = 0;  ///< per shrub
    NodeBytes node_bytes = NodeBytes::wide;
    LeafLayout leaves;
    /// Whether what two examples leave unchanged is kept from one shrub to the next.
    bool is_incremental = false;
    std::uint32_t kept_levels = 0;  ///< of `Lanes`

    std::uint32_t max_inner() const { return max_leaves - 1; }
    /// Bytes of the inner nodes of one shrub.
    std::uint64_t all_node_bytes() const {
        return std::uint64_t{max_inner()} * static_cast<std::uint64_t>(node_bytes);
    }
    /// The depth that a shrub of so many leaves can have.
    std::uint32_t reachable_depth() const { return std::min(max_depth, max_inner()); }
};

}  // namespace shrubs
