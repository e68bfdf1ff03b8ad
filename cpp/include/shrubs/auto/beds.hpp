#pragma once

// Where the shrubs of the learner that needs no tuning grow: a bed for each window length, with one
// shrub at a time in it, and one for the reactive shrubs, which are grown at once.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "shrubs/auto/growing_shrub.hpp"
#include "shrubs/auto/placed_shrubs.hpp"
#include "shrubs/auto/planner.hpp"
#include "shrubs/memory/arena.hpp"
#include "shrubs/state/archive.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// Works on memory that it does not own.
class Beds {
 public:
    struct Memory {
        std::span<GrowingShrub> shrubs;       ///< (beds,)
        std::span<std::uint16_t> order;       ///< the slots of the examples of all beds
        std::span<PendingNode> pending;       ///< (beds * max_pending,)
        std::span<std::uint16_t> rest;        ///< (window_size,) scratch
        std::span<std::uint32_t> totals;      ///< (C,) scratch
        std::span<std::uint32_t> ids;         ///< (C,) scratch
        std::span<float> centred;             ///< of a regression, the targets of all beds
        std::span<std::uint16_t> favourites;  ///< (beds * max_favourites,) if features are many
        std::span<float> merits;              ///< (d,) the same: what splits by them told
    };
    static Memory reserve(Arena& arena, const AutoPlan& plan);

    Beds() = default;
    explicit Beds(const Memory& memory);

    const GrowingShrub& operator[](std::size_t bed) const { return memory_.shrubs[bed]; }
    /// Those that grow a little with every example.
    std::size_t n_slow() const { return memory_.shrubs.size() - 1; }
    /// Scratch that others may use too, (C,) each.
    std::span<std::uint32_t> totals() const { return memory_.totals; }
    std::span<std::uint32_t> ids() const { return memory_.ids; }
    /// Of a shrub of a regression, the targets as splits see them, the oldest first.
    std::span<float> centred(const PlanInUse& plan, const GrowingShrub& shrub) const {
        return memory_.centred.subspan(plan.bed_offset(plan.groups[shrub.group].bed), shrub.length);
    }
    std::span<PendingNode> scratch() const { return pending(n_slow()); }
    /// Of the shrub in a bed, where features are many; `no_feature` behind the last.
    std::span<std::uint16_t> favourites(std::size_t bed) const {
        const std::size_t n = memory_.favourites.size() / memory_.shrubs.size();
        return memory_.favourites.subspan(bed * n, n);
    }
    static constexpr std::uint16_t no_feature = 0xFFFF;
    std::span<float> merits() const { return memory_.merits; }

    /// Begins with a shrub; it has group, place, length, when it began and the scale of targets.
    void sow(std::size_t bed, const GrowingShrub& shrub, const Window& window, std::uint64_t seed);
    /// Visits about so many values of the shrub in a bed. Returns whether it is grown.
    bool tend(std::size_t bed, std::uint64_t n_values, const Window& window,
              const PlacedShrubs& shrubs);
    /// The same to the end: nodes that are left after so many values are leaves.
    void finish(std::size_t bed, std::uint64_t n_values, const Window& window,
                const PlacedShrubs& shrubs);
    /// In the place of all that shrubs earned that were grown again.
    void copy_merits_from(const Beds& other) const;
    void clear(std::size_t bed) { memory_.shrubs[bed].group = GrowingShrub::none; }
    /// Whether the next example will take the place of one that the shrub in a bed needs.
    bool is_in_danger(std::size_t bed, const Window& window, const PlacedShrubs& shrubs) const;

    /// Shrubs are told by how they began and how far they are: reading grows them as far again.
    /// What they earned meanwhile is part of the merits, which come last.
    void archive(Archive& archive, const Window& window, const PlacedShrubs& shrubs,
                 std::uint64_t seed, std::uint64_t examples_seen);

 private:
    template <class Grow>
    auto grow(std::size_t bed, const Window& window, const PlacedShrubs& shrubs, Grow grow);
    bool fits(const GrowingShrub& shrub, std::uint32_t age, std::size_t bed, const Window& window,
              const PlacedShrubs& shrubs) const;

    std::span<PendingNode> pending(std::size_t bed) const {
        const std::size_t n = memory_.pending.size() / memory_.shrubs.size();
        return memory_.pending.subspan(bed * n, n);
    }

    Memory memory_;
};

}  // namespace shrubs
