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
           config.cache <= Cache::all && within(config.max_shrubs, 1, limits::shrubs) &&
           within(config.window_size, 1, limits::window_size) &&
           (within(config.max_depth, 1, limits::window_size) || config.max_depth == no_limit) &&
           within(config.min_samples_leaf, 1, limits::window_size) &&
           within(config.steps_per_example, 1, limits::steps_per_example) &&
           within(config.grow_every, 1, limits::grow_every) && config.step_size > 0.0 &&
           config.step_size <= 1e100 && within(dimensions.n_features, 0, limits::features) &&
           within(dimensions.n_classes, 0, classification ? limits::classes : 0) &&
           dimensions.max_features <= dimensions.n_features &&
           (dimensions.max_features >= 1 || dimensions.n_features == 0);
}

void archive_header(Archive& archive, Config& config, Dimensions& dimensions,
                    std::uint16_t version) {
    archive.value(config.method);
    archive.value(config.task);
    archive.value(config.loss);
    archive.value(config.splitter);
    auto flags = static_cast<std::uint8_t>((config.target_scaling ? 1U : 0U) |
                                           (static_cast<unsigned>(config.cache) << 1U));
    archive.value(flags);
    config.target_scaling = (flags & 1U) != 0;
    config.cache = static_cast<Cache>(flags >> 1U);
    archive.value(config.max_shrubs);
    archive.value(config.window_size);
    archive.value(config.max_depth);
    archive.value(config.min_samples_leaf);
    archive.value(config.steps_per_example);
    archive.value(config.step_size);
    archive.value(config.seed);
    archive.value(dimensions.n_features);
    archive.value(dimensions.n_classes);
    archive.value(dimensions.max_features);
    if (version > 1) {
        archive.value(config.grow_every);
    }
}

}  // namespace shrubs
