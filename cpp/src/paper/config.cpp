#include "shrubs/paper/config.hpp"

namespace shrubs {

bool is_valid(const Config& config, const Dimensions& dimensions) {
    const auto within = [](std::uint32_t value, std::uint32_t high) {
        return 1 <= value && value <= high;
    };
    return is_valid(config.growth(), dimensions) &&
           (config.loss == Loss::mse ||
            (config.task == Task::classification && config.loss == Loss::cross_entropy)) &&
           within(config.max_shrubs, limits::shrubs) &&
           within(config.steps_per_example, limits::steps_per_example) &&
           within(config.grow_every, limits::grow_every) && config.step_size > 0.0 &&
           config.step_size <= 1e100;
}

void archive_header(Archive& archive, Config& config, Dimensions& dimensions,
                    std::uint16_t version) {
    std::uint8_t method = 0;  // earlier versions kept windowed trees here
    archive.value(method);
    archive.require(method == 0);
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
