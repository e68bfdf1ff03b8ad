#pragma once

// What a learner is told (Config), what the stream decided (Dimensions), and the limits of both.

#include <cstdint>

namespace shrubs {

enum class Task : std::uint8_t { classification, regression };
/// The ensemble of the paper, or one tree on the window: grown anew at every example, or only after
/// it was wrong on the new one.
enum class Method : std::uint8_t { shrub_ensemble, tree_always, tree_on_error };
enum class Loss : std::uint8_t { mse, cross_entropy };
enum class Splitter : std::uint8_t { best, random };
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

/// The shape of the examples. A class or feature never seen before changes it.
struct Dimensions {
    std::uint32_t n_features = 0;
    std::uint32_t n_classes = 0;
    /// Features tried per node, at most `n_features`.
    std::uint32_t max_features = 0;
};

inline constexpr std::uint32_t small_window = 32;
inline constexpr std::uint32_t largest_window = 65535;
inline constexpr std::uint32_t most_shrubs = 65534;
inline constexpr std::uint32_t most_features = 16384;
inline constexpr std::uint32_t most_classes = 65535;
inline constexpr std::uint32_t most_steps = 1000000;
inline constexpr std::uint32_t longest_pause = 1000000;

/// Whether the gradient comes from the Gram matrix of the shrubs' predictions.
inline bool uses_gram(const Config& config) {
    return config.method == Method::shrub_ensemble && config.task == Task::classification &&
           config.loss == Loss::mse;
}

/// Whether the core can work with these values. The caller explains what is wrong; this guards.
bool is_valid(const Config& config, const Dimensions& dimensions);

}  // namespace shrubs
