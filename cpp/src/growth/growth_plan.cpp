#include "shrubs/growth/growth_plan.hpp"

#include <algorithm>

#include "shrubs/growth/incremental/incremental_growth.hpp"

namespace shrubs {

namespace {

// Each level halves the nodes that a change touches, so the first ones hold most of what is saved.
// In small windows there is little to save.
constexpr std::uint32_t max_kept_levels = 3;
constexpr std::uint32_t min_window_for_kept_levels = 128;
constexpr std::uint32_t max_window_for_kept_levels = 4096;

// Every leaf holds at least `min_samples_leaf` examples, unless it is the only one.
std::uint32_t max_leaves(const GrowthOptions& options) {
    const std::uint32_t by_size =
        std::max<std::uint32_t>(options.window_size / options.min_samples_leaf, 1);
    return options.max_depth < 16 ? std::min<std::uint32_t>(by_size, 1U << options.max_depth)
                                  : by_size;
}

bool wants_caches(const GrowthOptions& options) {
    return options.cache == Cache::all ||
           (options.cache == Cache::automatic && options.window_size > small_window);
}

bool is_incremental(const GrowthOptions& options, const Dimensions& dimensions) {
    return wants_caches(options) && IncrementalGrowth::is_possible(options, dimensions);
}

// In large windows they would take too much room. Where features are drawn nothing stays the same.
bool keeps_levels(const GrowthOptions& options) {
    return options.cache == Cache::all || (options.window_size >= min_window_for_kept_levels &&
                                           options.window_size <= max_window_for_kept_levels);
}

}  // namespace

bool is_valid(const GrowthOptions& options, const Dimensions& dimensions) {
    const auto within = [](std::uint32_t value, std::uint32_t low, std::uint32_t high) {
        return low <= value && value <= high;
    };
    const std::uint32_t max_classes = options.task == Task::classification ? limits::classes : 0;
    return options.task <= Task::regression && options.splitter <= Splitter::random &&
           options.cache <= Cache::all && within(options.window_size, 1, limits::window_size) &&
           (within(options.max_depth, 1, limits::window_size) || options.max_depth == no_limit) &&
           within(options.min_samples_leaf, 1, limits::window_size) &&
           dimensions.n_features <= limits::features && dimensions.n_classes <= max_classes &&
           within(dimensions.max_features, std::min<std::uint32_t>(dimensions.n_features, 1),
                  dimensions.n_features);
}

GrowthPlan make_growth_plan(const GrowthOptions& options, const Dimensions& dimensions) {
    const std::uint32_t leaves = max_leaves(options);
    GrowthPlan plan{.task = options.task,
                    .dimensions = dimensions,
                    .split = {options.splitter, options.min_samples_leaf, dimensions.max_features},
                    .window_size = options.window_size,
                    .max_depth = options.max_depth,
                    .max_leaves = leaves,
                    .node_bytes = node_bytes_for(leaves, dimensions.n_features),
                    .leaves = options.task == Task::classification
                                  ? LeafLayout::for_classification(leaves, dimensions.n_classes,
                                                                   options.window_size)
                                  : LeafLayout::for_regression(leaves),
                    .is_incremental = is_incremental(options, dimensions),
                    .keeps_caches = wants_caches(options)};
    if (plan.is_incremental && !plan.samples_features() && keeps_levels(options)) {
        plan.kept_levels = std::min(plan.reachable_depth(), max_kept_levels);
    }
    return plan;
}

}  // namespace shrubs
