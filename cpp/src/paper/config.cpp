#include "shrubs/paper/config.hpp"

namespace shrubs {

bool is_valid(const Config& config, const Dimensions& dimensions) {
    const auto within = [](std::uint32_t value, std::uint32_t low, std::uint32_t high) {
        return low <= value && value <= high;
    };
    const bool classification = config.task == Task::classification;
    const bool one_tree =
        config.method == Method::tree_always || config.method == Method::tree_on_error;
    return (config.method == Method::shrub_ensemble ||
            (one_tree && classification && config.max_shrubs == 1 && config.grow_every == 1)) &&
           (classification || config.task == Task::regression) &&
           (config.loss == Loss::mse || (classification && config.loss == Loss::cross_entropy)) &&
           (config.splitter == Splitter::best || config.splitter == Splitter::random) &&
           config.cache <= Cache::all && within(config.max_shrubs, 1, most_shrubs) &&
           within(config.window_size, 1, largest_window) &&
           (within(config.max_depth, 1, largest_window) || config.max_depth == no_limit) &&
           within(config.min_samples_leaf, 1, largest_window) &&
           within(config.steps_per_example, 1, most_steps) &&
           within(config.grow_every, 1, longest_pause) && config.step_size > 0.0 &&
           config.step_size <= 1e100 && within(dimensions.n_features, 0, most_features) &&
           within(dimensions.n_classes, 0, classification ? most_classes : 0) &&
           dimensions.max_features <= dimensions.n_features &&
           (dimensions.max_features >= 1 || dimensions.n_features == 0);
}

}  // namespace shrubs
