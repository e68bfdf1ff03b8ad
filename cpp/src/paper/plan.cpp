#include "shrubs/paper/plan.hpp"

#include <algorithm>

#include "shrubs/growth/incremental/split_search.hpp"

namespace shrubs {

namespace {

// Each level halves the nodes that a change touches, so the first ones hold most of what is saved.
// In small windows there is little to save.
constexpr std::uint32_t max_kept_levels = 3;
constexpr std::uint32_t min_window_for_kept_levels = 128;

// Every leaf holds at least `min_samples_leaf` examples, unless it is the only one.
std::uint32_t max_leaves(const Config& config) {
    const std::uint32_t by_size = std::max(config.window_size / config.min_samples_leaf, 1U);
    return config.max_depth < 16 ? std::min(by_size, 1U << config.max_depth) : by_size;
}

bool is_incremental(const Config& config, const Dimensions& dimensions) {
    const bool is_wanted = config.cache == Cache::all ||
                           (config.cache == Cache::automatic && config.window_size > small_window);
    return is_wanted && config.task == Task::classification && config.splitter == Splitter::best &&
           dimensions.n_features > 0 && dimensions.max_features >= dimensions.n_features &&
           SplitSearch::can_search(config.window_size, dimensions.n_classes);
}

bool keeps_levels(const Config& config) {
    return config.cache == Cache::all || config.window_size >= min_window_for_kept_levels;
}

}  // namespace

Plan make_plan(const Config& config, const Dimensions& dimensions) {
    GrowthPlan growth{
        .task = config.task,
        .dimensions = dimensions,
        .split = {config.splitter, config.min_samples_leaf, dimensions.max_features},
        .window_size = config.window_size,
        .max_depth = config.max_depth,
        .max_leaves = max_leaves(config),
        .node_bytes = node_bytes_for(max_leaves(config), dimensions.n_features),
        .leaves = config.task == Task::classification
                      ? LeafLayout::for_classification(max_leaves(config), dimensions.n_classes,
                                                       config.window_size)
                      : LeafLayout::for_regression(max_leaves(config)),
        .is_incremental = is_incremental(config, dimensions)};
    if (growth.is_incremental && keeps_levels(config)) {
        growth.kept_levels = std::min(growth.reachable_depth(), max_kept_levels);
    }
    return {config, growth};
}

}  // namespace shrubs
