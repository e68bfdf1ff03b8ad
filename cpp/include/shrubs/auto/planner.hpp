#pragma once

// How the learner that needs no tuning divides the memory it is given: known before the first
// example, never exceeded.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "shrubs/auto/companions/companions.hpp"
#include "shrubs/auto/config.hpp"
#include "shrubs/auto/mixtures.hpp"
#include "shrubs/tree/shrub.hpp"

namespace shrubs {

/// Shrubs that are grown on windows of the same length.
struct ShrubGroup {
    std::uint16_t length = 0;  ///< of the window
    std::uint16_t first_place = 0;
    std::uint16_t max_leaves = 0;  ///< per shrub
    std::uint8_t n_places = 0;     ///< shrubs
    bool reactive = false;         ///< grown again when wrong, not by the clock
    bool recalls = false;          ///< its shrubs know the outcomes before an example
    NodeBytes node_bytes = NodeBytes::wide;
    std::uint8_t bed = 0;      ///< where its shrubs grow, one at a time
    std::uint32_t offset = 0;  ///< of its first shrub among all shrubs
    std::uint32_t stride = 0;  ///< bytes per shrub

    /// So many are grown in the time in which a window is renewed.
    std::uint32_t shrubs_per_window() const {
        return reactive ? reactive_per_window : shrubs_per_place * n_places;
    }
};

inline constexpr std::size_t max_lengths = 11 + 1;
static_assert(longest_window <= 0xFFFF);
inline constexpr std::size_t max_groups = 2 * max_lengths + reactive_lengths.size();
inline constexpr std::size_t max_experts =
    max_lengths * (shrubs_per_length + recalling_per_length) + reactive_lengths.size() +
    max_companions;

/// The sizes of a learner. `Groups` is room for as many groups as there can be while it is planned,
/// and a view of those that there are once it is in use.
template <class Groups>
struct PlanOf {
    PlanOf() = default;
    template <class Others>
    PlanOf(const PlanOf<Others>& plan, Groups its_groups)
        : task(plan.task),
          dimensions(plan.dimensions),
          window_size(plan.window_size),
          n_groups(plan.n_groups),
          groups(its_groups),
          n_places(plan.n_places),
          n_experts(plan.n_experts),
          ranges(plan.ranges),
          shrub_bytes(plan.shrub_bytes),
          n_beds(plan.n_beds),
          n_in_beds(plan.n_in_beds),
          is_small(plan.is_small),
          companions(plan.companions),
          n_buckets(plan.n_buckets),
          n_contexts(plan.n_contexts),
          n_neighbours(plan.n_neighbours),
          n_drifts(plan.n_drifts),
          total_bytes(plan.total_bytes) {}

    Task task = Task::classification;
    Dimensions dimensions;
    std::uint32_t window_size = 0;  ///< 0: the memory is too small
    std::uint32_t n_groups = 0;
    Groups groups{};
    std::uint32_t n_places = 0;   ///< those that recall come first
    std::uint32_t n_experts = 0;  ///< shrubs and companions
    ExpertRanges ranges;
    std::uint64_t shrub_bytes = 0;  ///< of all shrubs
    /// One for each window length, and one for the shrubs that are grown at once.
    std::uint32_t n_beds = 0;
    std::uint32_t n_in_beds = 0;  ///< examples that all of them have room for
    /// Few and small shrubs, which are grown at once, and one range of experts.
    bool is_small = false;
    Chosen companions{};
    std::uint32_t n_buckets = 0;     ///< for categories, a power of two or 0
    std::uint32_t n_contexts = 0;    ///< of the last labels, a power of two or 0
    std::uint32_t n_neighbours = 0;  ///< examples in bytes
    std::uint32_t n_drifts = 0;      ///< remembered at most
    std::uint64_t total_bytes = 0;

    /// Of the nodes that wait while a shrub is grown.
    std::uint32_t max_pending() const { return is_small ? most_small_leaves : largest_auto_depth; }
    /// Companions that know features need their scales.
    std::uint32_t n_scales() const {
        const bool any = std::any_of(companions.begin(), companions.begin() + n_knowing_features,
                                     [](bool chosen) { return chosen; });
        return any ? dimensions.n_features : 0;
    }
    std::span<const ShrubGroup> all_groups() const { return {groups.data(), n_groups}; }
    /// How many examples the beds before this one have room for.
    std::uint32_t bed_offset(std::uint32_t bed) const {
        std::uint32_t n = 0;
        for (const ShrubGroup& group : all_groups()) {
            n += group.bed < bed && !group.recalls ? group.length : 0;
        }
        return n;
    }
    /// Values that an example visits whatever grows, at least: for each class, weights in a mixture
    /// and in its step, and what companions know of each feature; and all that neighbours keep.
    std::uint64_t n_visited() const {
        const std::uint64_t n_features = dimensions.n_features;
        const auto n_models = static_cast<std::uint64_t>(
            std::count(companions.begin(), companions.begin() + neighbours_companion, true));
        return width() * (2 * ranges.n_weights() + n_models * n_features) +
               (companions[neighbours_companion] ? n_neighbours * Neighbours::n_compared(n_features)
                                                 : 0);
    }
    /// Numbers in a prediction: classes, or 1.
    std::uint32_t width() const { return task == Task::classification ? dimensions.n_classes : 1; }
    CompanionSizes companion_sizes() const {
        return {task, dimensions.n_features, width(), n_buckets, n_contexts, n_neighbours};
    }
};
using AutoPlan = PlanOf<std::array<ShrubGroup, max_groups>>;
using PlanInUse = PlanOf<std::span<const ShrubGroup>>;

AutoPlan make_auto_plan(const AutoConfig& config, const Dimensions& dimensions,
                        std::uint32_t n_nominal);

/// The fewest bytes for which there is a plan, whatever the configuration says about them.
std::uint64_t smallest_auto_arena(AutoConfig config, const Dimensions& dimensions,
                                  std::uint32_t n_nominal);

/// Bytes of the companions that were chosen.
std::uint64_t companion_bytes(const AutoPlan& plan);

}  // namespace shrubs
