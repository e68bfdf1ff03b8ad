#pragma once

// The constants of the learner that needs no tuning, and the little that it is told.

#include <array>
#include <cstdint>

#include "shrubs/state/archive.hpp"
#include "shrubs/window/dimensions.hpp"

namespace shrubs {

struct AutoConfig {
    Task task = Task::classification;
    /// All that the learner may take.
    std::uint64_t arena_bytes = std::uint64_t{1} << 20U;
    std::uint64_t seed = 0;
    /// 1: some experts know the outcomes that came last.
    std::uint8_t recalls = 1;
    /// So many outcomes come between the prediction of an example and its own.
    std::uint32_t label_delay = 0;

    bool operator==(const AutoConfig&) const = default;
};

/// More memory than the longest windows of the most features and classes could use.
inline constexpr std::uint64_t largest_auto_arena = std::uint64_t{1} << 40U;
/// Windows are 16, 32, 64, ... examples long, up to all that is kept.
inline constexpr std::uint32_t shortest_window = 16;
inline constexpr std::uint32_t longest_window = 16384;
/// Shrubs of each window length, and of the short ones.
inline constexpr std::uint32_t shrubs_per_length = 8;
inline constexpr std::uint32_t shrubs_per_short_length = 4;
inline constexpr std::uint32_t longest_short_window = 32;
/// In the time in which a window is renewed, so many shrubs are grown for each place.
inline constexpr std::uint32_t shrubs_per_place = 2;
/// Windows of the reactive shrubs, each grown again after it was wrong, at most so often in the
/// time in which its window is renewed.
inline constexpr std::array<std::uint32_t, 4> reactive_lengths = {8, 16, 32, 64};
inline constexpr std::uint32_t reactive_per_window = 16;
inline constexpr std::uint32_t largest_auto_depth = 16;
/// Where memory is too short for all of that: shrubs of each window length, at most; a reactive one
/// of this length; their leaves; and the shortest window.
inline constexpr std::uint32_t most_small_shrubs = 4;
inline constexpr std::uint32_t small_reactive_length = 16;
inline constexpr std::uint32_t most_small_leaves = 8;
inline constexpr std::uint32_t shortest_small_window = 8;
/// Shrubs of each window length, from this one on, that know the outcomes before an example.
inline constexpr std::uint32_t recalling_per_length = 2;
inline constexpr std::uint32_t shortest_recalling = 32;
/// Those that have less than their share in the prediction, reactive ones if they have less than
/// this part of it, are grown so much rarer while the past predicts as well as ever.
inline constexpr std::uint32_t slower_if_light = 8;
inline constexpr double light_reactive = 0.05;
/// Examples of a node that its split is judged by.
inline constexpr std::uint32_t most_sampled = 32;
/// With every example growing shrubs visit so many values, times window lengths and features:
/// mostly all that they need.
inline constexpr std::uint32_t growing_rate = 80;
/// Of classes, growing takes no more than so many times what the rest of an example does.
inline constexpr std::uint32_t growing_bound = 3;
/// The same of a regression, where no example is like another.
inline constexpr std::uint32_t target_growing_rate = 160;
/// A shrub leaves out this share of the window, the oldest, which go before it is grown.
inline constexpr std::uint32_t growing_share = 16;
/// A step size for each mixture.
inline constexpr std::array<double, 4> auto_step_sizes = {0x1p-10, 0x1p-7, 0x1p-4, 0x1p-1};
/// What is kept of a loss from one example to the next: of the mixtures, by which they are mixed,
/// and of the shrubs, by which the worst of equally light ones is found.
inline constexpr double loss_forgetting = 0.995;
inline constexpr double mixture_rate = 2.0;
/// The same for targets, by their squared error in deviations, which is at least so large.
inline constexpr double target_rate = 0.1;
inline constexpr double least_error = 1e-6;
/// Examples in a leaf, beyond which all its counts are halved; a count is a byte.
inline constexpr std::uint32_t max_in_leaf = 250;
/// Later targets count in the mean of a leaf as if so many had come.
inline constexpr std::uint32_t longest_mean = 1000;
inline constexpr double linear_rate = 0.05;

/// Whether there are more features than examples that judge them.
constexpr bool are_many(std::uint64_t n_features) {
    return n_features > most_sampled;
}

namespace limits {

inline constexpr std::uint32_t label_delay = 65535;

}  // namespace limits

/// Whether the core can work with these values; the memory may still be too small.
inline bool is_valid(const AutoConfig& config, const Dimensions& dimensions) {
    const bool classification = config.task == Task::classification;
    return (classification || config.task == Task::regression) && config.recalls <= 1 &&
           config.label_delay <= limits::label_delay && config.arena_bytes <= largest_auto_arena &&
           dimensions.n_features <= limits::features &&
           dimensions.n_classes <= (classification ? limits::classes : 0);
}

/// What stands at the head of a byte state.
inline void archive_header(Archive& archive, AutoConfig& config, Dimensions& dimensions,
                           std::uint16_t version) {
    archive.require(version >= 10);  // before, neighbours knew all features
    archive.value(config.task);
    archive.value(config.arena_bytes);
    archive.value(config.seed);
    archive.value(config.recalls);
    archive.value(config.label_delay);
    archive.value(dimensions.n_features);
    archive.value(dimensions.n_classes);
}

}  // namespace shrubs
