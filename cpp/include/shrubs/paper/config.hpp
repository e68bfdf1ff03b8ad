#pragma once

// The hyperparameters of Algorithm 1, and their limits.

#include <cstdint>

#include "shrubs/growth/growth_plan.hpp"
#include "shrubs/state/archive.hpp"
#include "shrubs/window/dimensions.hpp"

namespace shrubs {

enum class Loss : std::uint8_t { mse, cross_entropy };
/// The hyperparameters, in the words of the paper.
struct Config {
    Task task = Task::classification;
    Loss loss = Loss::mse;
    Splitter splitter = Splitter::best;
    /// Regression: measure the step in variances of the window's targets.
    bool target_scaling = true;
    Cache cache = Cache::automatic;
    std::uint32_t max_shrubs = 32;
    std::uint32_t window_size = 256;
    std::uint32_t max_depth = no_limit;
    std::uint32_t min_samples_leaf = 1;
    std::uint32_t steps_per_example = 1;
    /// A newcomer is considered at every so many examples, the first one included.
    std::uint32_t grow_every = 1;
    double step_size = 0.1;
    std::uint64_t seed = 0;

    bool operator==(const Config&) const = default;
    GrowthOptions growth() const {
        return {task, splitter, cache, window_size, max_depth, min_samples_leaf};
    }
};

namespace limits {

inline constexpr std::uint32_t shrubs = 65534;
inline constexpr std::uint32_t steps_per_example = 1000000;
inline constexpr std::uint32_t grow_every = 1000000;

}  // namespace limits

/// Whether the core can work with these values. The caller explains what is wrong; this guards.
bool is_valid(const Config& config, const Dimensions& dimensions);

/// What stands at the head of a byte state of this version.
void archive_header(Archive& archive, Config& config, Dimensions& dimensions,
                    std::uint16_t version);

}  // namespace shrubs
