#pragma once

// The shrubs of the learner that needs no tuning: a place for each, group after group.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/counting_leaves.hpp"
#include "shrubs/auto/planner.hpp"
#include "shrubs/growth/grow.hpp"
#include "shrubs/memory/arena.hpp"
#include "shrubs/state/archive.hpp"
#include "shrubs/tree/shrub.hpp"
#include "shrubs/window/recalled.hpp"

namespace shrubs {

/// Bytes of one leaf.
inline std::uint64_t auto_leaf_bytes(Task task, std::uint64_t n_classes) {
    return task == Task::classification ? CountingLeaves::bytes(n_classes) : 10;
}

class PlacedShrubs {
 public:
    struct Memory {
        std::span<std::byte> shrubs;       ///< nodes and leaves
        std::span<std::uint16_t> n_inner;  ///< (places,)
        std::span<std::uint64_t> born;     ///< (places,)
        std::span<double> losses;          ///< (places,) forgotten slowly
        std::span<ShrubGroup> groups;      ///< of the plan
        std::span<std::uint8_t> group_of;  ///< (places,)
    };
    static Memory reserve(Arena& arena, const AutoPlan& plan);

    PlacedShrubs() = default;
    PlacedShrubs(const Memory& memory, const AutoPlan& plan);

    const PlanInUse& plan() const { return plan_; }
    bool is_grown(std::uint32_t place) const { return memory_.n_inner[place] != not_grown; }
    std::uint32_t n_inner(std::uint32_t place) const { return memory_.n_inner[place]; }
    std::uint64_t born(std::uint32_t place) const { return memory_.born[place]; }
    double& loss(std::uint32_t place) const { return memory_.losses[place]; }
    const ShrubGroup& group_of(std::uint32_t place) const {
        return plan_.groups[memory_.group_of[place]];
    }
    std::byte* nodes(std::uint32_t place) const {
        const ShrubGroup& group = group_of(place);
        return memory_.shrubs.data() + group.offset + (place - group.first_place) * group.stride;
    }
    /// Its inner nodes, to be read or written.
    NewShrub shrub(std::uint32_t place) const {
        return {.nodes = nodes(place),
                .node_bytes = group_of(place).node_bytes,
                .n_inner = memory_.n_inner[place]};
    }
    std::byte* leaves(std::uint32_t place) const {
        return nodes(place) + (group_of(place).max_leaves - std::size_t{1}) *
                                  static_cast<std::size_t>(group_of(place).node_bytes);
    }
    CountingLeaves counting_leaves(std::uint32_t place) const {
        return {leaves(place), plan_.width()};
    }
    AveragingLeaves averaging_leaves(std::uint32_t place) const {
        return AveragingLeaves(leaves(place));
    }

    /// The leaf of each grown shrub that `x`, with the recalled features, falls into.
    void find_leaves(std::span<const float> x, std::span<std::uint16_t> found) const;

    /// A shrub was grown in this place.
    void set(std::uint32_t place, std::uint32_t n_inner, std::uint64_t born) const {
        memory_.n_inner[place] = static_cast<std::uint16_t>(n_inner);
        memory_.born[place] = born;
    }

    void clear(std::uint32_t place) const { memory_.n_inner[place] = not_grown; }

    /// A split by this feature asks only whether it is there.
    void forget_feature(std::uint32_t place, std::uint32_t feature) const;
    /// No leaf has an example of a class that goes, and no split asks for it.
    void renumber_classes(std::uint32_t place, ClassNumbers now) const;

    /// `nominal` has the recalled features too; `pending` is scratch, (max_pending,).
    void archive(Archive& archive, std::span<const std::uint8_t> nominal,
                 std::uint64_t examples_seen, std::span<PendingNode> pending);
    /// Takes over a shrub of `other`; false if it has become too large for this place.
    bool copy_from(const PlacedShrubs& other, std::uint32_t from, std::uint32_t to);
    /// Takes over the shrub in this place of `other`, which has the same plan.
    void copy_same_from(const PlacedShrubs& other, std::uint32_t place) const;

 private:
    static constexpr std::uint16_t not_grown = 0xFFFF;

    void archive_leaves(Archive& archive, std::uint32_t place) const;
    std::size_t leaf_bytes() const {
        return static_cast<std::size_t>(auto_leaf_bytes(plan_.task, plan_.width()));
    }

    PlanInUse plan_;
    Memory memory_;
};

}  // namespace shrubs
