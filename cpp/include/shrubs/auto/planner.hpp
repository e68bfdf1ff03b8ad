#pragma once

// How the learner that needs no tuning divides the memory it is given: known before the first
// example, never exceeded.

#include <array>
#include <cstdint>
#include <span>

#include "shrubs/auto/config.hpp"
#include "shrubs/paper/plan.hpp"

namespace shrubs {

/// Shrubs that are grown on windows of the same length.
struct ShrubGroup {
    std::uint32_t length = 0;    ///< of the window
    std::uint32_t n_places = 0;  ///< shrubs
    std::uint32_t first_place = 0;
    std::uint32_t max_leaves = 0;  ///< per shrub
    bool reactive = false;         ///< grown anew when wrong, not by the clock
    std::uint64_t offset = 0;      ///< of its first shrub in the arena
    std::uint64_t stride = 0;      ///< bytes per shrub
};

inline constexpr std::size_t most_groups = 11 + 1 + reactive_lengths.size();
inline constexpr std::size_t most_experts =
    std::size_t{11 + 1} * shrubs_per_length + reactive_lengths.size() + bayes_forgetting.size() + 1;

struct AutoPlan {
    std::uint32_t window_size = 0;  ///< 0: the memory is too small
    std::uint32_t n_groups = 0;
    std::array<ShrubGroup, most_groups> groups;
    std::uint32_t n_places = 0;
    std::uint32_t n_bayes = 0;
    bool has_linear = false;
    std::uint32_t n_buckets = 0;  ///< for categories, a power of two or 0
    std::uint32_t n_experts = 0;
    std::uint32_t width = 0;  ///< numbers in a prediction: classes, or 1

    // the window
    Region values, labels, targets, nominal;
    // the shrubs
    Region shrubs, n_inner, born, losses;
    // the weights
    Region weights, mixture_losses;
    // the companions
    Region means, variances, seen, binary;
    Region bayes_n, bayes_means, bayes_variances, bayes_buckets;
    Region linear_weights, linear_squares;
    // scratch
    Region row, leaves, predictions, mixtures, descended, kept, order, features, pending, totals,
        lefts, left_counts, centred, standardised, output, target;

    std::uint64_t total_bytes = 0;

    std::span<const ShrubGroup> all_groups() const { return {groups.data(), n_groups}; }
};

/// Bytes of one leaf.
inline std::uint64_t auto_leaf_bytes(Task task, std::uint64_t n_classes) {
    return task == Task::classification ? 2 * n_classes : 10;
}

AutoPlan make_auto_plan(const AutoConfig& config, const Dimensions& dimensions,
                        std::uint32_t n_nominal);

/// The fewest bytes for which there is a plan.
std::uint64_t smallest_auto_arena(Task task, const Dimensions& dimensions, std::uint32_t n_nominal);

/// Bytes by purpose; the companions count as weights.
MemoryReport report(const AutoPlan& plan);

}  // namespace shrubs
