#pragma once

// How shrubs are grown and stored: decided once, before the first example.

#include <algorithm>
#include <cstdint>

#include "shrubs/growth/split.hpp"
#include "shrubs/tree/leaf.hpp"
#include "shrubs/tree/shrub.hpp"
#include "shrubs/window/dimensions.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// What is kept to grow faster; the shrubs are the same. `automatic` keeps it for windows of more
/// than `small_window` examples.
enum class Cache : std::uint8_t { automatic, none, all };
inline constexpr std::uint32_t small_window = 32;

inline constexpr std::uint32_t no_limit = 0xFFFFFFFF;

/// The hyperparameters of growing.
struct GrowthOptions {
    Task task = Task::classification;
    Splitter splitter = Splitter::best;
    Cache cache = Cache::automatic;
    std::uint32_t window_size = 256;
    std::uint32_t max_depth = no_limit;
    std::uint32_t min_samples_leaf = 1;
};

/// Whether the core can grow shrubs with these values.
bool is_valid(const GrowthOptions& options, const Dimensions& dimensions);

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
    bool keeps_caches = false;      ///< whatever makes growing faster

    /// The window that shrubs are grown on.
    Window::Sizes window() const {
        return {.task = task,
                .window_size = window_size,
                .n_features = dimensions.n_features,
                .is_sorted = split.splitter == Splitter::best,
                .has_rows = is_incremental};
    }
    /// Whether not all features are tried.
    bool samples_features() const { return dimensions.max_features < dimensions.n_features; }
    std::uint32_t max_inner() const { return max_leaves - 1; }
    /// Bytes of the inner nodes of one shrub.
    std::uint64_t all_node_bytes() const {
        return std::uint64_t{max_inner()} * static_cast<std::uint64_t>(node_bytes);
    }
    /// The depth that a shrub of so many leaves can have.
    std::uint32_t reachable_depth() const { return std::min(max_depth, max_inner()); }
};

/// Requires `is_valid(options, dimensions)`.
GrowthPlan make_growth_plan(const GrowthOptions& options, const Dimensions& dimensions);

}  // namespace shrubs
