#pragma once

// The hyperparameters of Algorithm 1, and their limits.

#include <cstdint>

#include "shrubs/growth/split.hpp"
#include "shrubs/state/archive.hpp"
#include "shrubs/window/dimensions.hpp"

namespace shrubs {

/// The ensemble of the paper, or one tree on the window: grown anew at every example, or only after
/// it was wrong on the new one.
enum class Method : std::uint8_t { shrub_ensemble, tree_always, tree_on_error };
enum class Loss : std::uint8_t { mse, cross_entropy };
/// What is kept to grow faster; the shrubs are the same. `automatic` keeps it for windows of more
/// than `small_window` examples.
enum class Cache : std::uint8_t { automatic, none, all };

inline constexpr std::uint32_t no_limit = 0xFFFFFFFF;

/// The hyperparameters, in the words of the paper.
struct Config {
    Method method = Method::shrub_ensemble;
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
};

inline constexpr std::uint32_t small_window = 32;
namespace limits {

inline constexpr std::uint32_t shrubs = 65534;
inline constexpr std::uint32_t steps_per_example = 1000000;
inline constexpr std::uint32_t grow_every = 1000000;

}  // namespace limits

/// Whether the gradient comes from the Gram matrix of the shrubs' predictions.
inline bool uses_gram(const Config& config) {
    return config.method == Method::shrub_ensemble && config.task == Task::classification &&
           config.loss == Loss::mse;
}

/// Whether the core can work with these values. The caller explains what is wrong; this guards.
bool is_valid(const Config& config, const Dimensions& dimensions);

/// What stands at the head of a byte state of this version.
void archive_header(Archive& archive, Config& config, Dimensions& dimensions,
                    std::uint16_t version);

}  // namespace shrubs
