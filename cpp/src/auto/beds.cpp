#include "shrubs/auto/beds.hpp"

#include <algorithm>
#include <array>

namespace shrubs {

namespace {

std::uint32_t whole_root(std::uint32_t n) {
    std::uint32_t root = 0;
    while ((root + 1) * (root + 1) <= n) {
        ++root;
    }
    return root;
}

// Examples before those of a shrub that it needs.
std::uint32_t n_recalled(const ShrubGroup& group, const GrowingShrub& shrub) {
    return group.recalls ? recalled_features + shrub.lag : 0;
}

std::span<const std::uint16_t> chosen(std::span<const std::uint16_t> favourites) {
    const auto end = std::ranges::find(favourites, Beds::no_feature);
    return favourites.first(static_cast<std::size_t>(end - favourites.begin()));
}

struct ClassOutcomes {
    static constexpr bool of_classes = true;
    const Window& window;
    CountingLeaves leaves;
    std::span<std::uint32_t> totals;
    std::span<std::uint32_t> ids;

    bool same(std::uint16_t a, std::uint16_t b) const {
        return window.labels()[a] == window.labels()[b];
    }
    SampledGini judge(const NodeSample& sample) const { return {sample, window.labels(), ids}; }
    double explained(const DividedJury& jury) const {
        return jury.explained(window.labels(), totals, ids);
    }
    void write_leaf(std::uint32_t leaf, std::span<const std::uint16_t> members) const {
        if (std::ranges::all_of(members,
                                [&](std::uint16_t slot) { return same(members[0], slot); })) {
            leaves.begin(leaf, window.labels()[members[0]],
                         static_cast<std::uint32_t>(members.size()));
            return;
        }
        std::ranges::fill(totals, 0U);
        for (const std::uint16_t slot : members) {
            ++totals[window.labels()[slot]];
        }
        leaves.begin(leaf, totals);
    }
};

// Targets as splits see them, by slot.
struct CentredTargets {
    std::span<const float> values;
    std::uint32_t first_slot;
    std::uint32_t capacity;

    float operator[](std::uint32_t slot) const {
        return values[slot >= first_slot ? slot - first_slot : slot + capacity - first_slot];
    }
};

// Targets, or how they differ from something else.
struct TargetOutcomes {
    static constexpr bool of_classes = false;
    std::span<const double> targets;
    CentredTargets centred;
    AveragingLeaves leaves;
    bool relative;
    double unit;

    bool same(std::uint16_t a, std::uint16_t b) const { return centred[a] == centred[b]; }
    SampledVariance judge(const NodeSample& sample) const { return {sample, centred}; }
    double explained(const DividedJury& jury) const { return jury.explained(centred); }
    void write_leaf(std::uint32_t leaf, std::span<const std::uint16_t> members) const {
        leaves.set(leaf, 0.0, 0);
        for (const std::uint16_t slot : members) {
            leaves.learn(leaf, relative ? kept_finite(centred[slot] * unit) : targets[slot]);
        }
    }
};

}  // namespace

Beds::Memory Beds::reserve(Arena& arena, const AutoPlan& plan) {
    constexpr Purpose scratch = Purpose::scratch;
    return {.shrubs = arena.array<GrowingShrub>(Purpose::shrubs, plan.n_beds),
            .order = arena.array<std::uint16_t>(Purpose::shrubs, plan.n_in_beds),
            .pending = arena.array<PendingNode>(Purpose::shrubs,
                                                std::uint64_t{plan.n_beds} * plan.max_pending()),
            .rest = arena.array<std::uint16_t>(scratch, plan.window_size),
            .totals = arena.array<std::uint32_t>(scratch, plan.dimensions.n_classes),
            .ids = arena.array<std::uint32_t>(scratch, plan.dimensions.n_classes),
            .centred = arena.array<float>(Purpose::shrubs,
                                          plan.task == Task::regression ? plan.n_in_beds : 0),
            .favourites = arena.array<std::uint16_t>(
                Purpose::shrubs,
                are_many(plan.dimensions.n_features) ? plan.n_beds * max_favourites : 0U),
            .merits = arena.array<float>(Purpose::shrubs, are_many(plan.dimensions.n_features)
                                                              ? plan.dimensions.n_features
                                                              : 0U)};
}

Beds::Beds(const Memory& memory) : memory_(memory) {
    std::ranges::fill(memory_.shrubs, GrowingShrub{});
    std::ranges::fill(memory_.favourites, no_feature);
}

void Beds::sow(std::size_t bed, const GrowingShrub& shrub, const Window& window,
               std::uint64_t seed) {
    const std::uint32_t n_features = window.n_features();
    // Every second shrub with favourites tries nothing else.
    const std::array<std::uint32_t, 6> tried = {
        n_features, std::max<std::uint32_t>(whole_root(n_features), 1), (n_features + 1) / 2};
    const std::uint32_t n_choices = chosen(favourites(bed)).empty() ? 3 : 6;
    GrowingShrub& sown = memory_.shrubs[bed];
    sown = shrub;
    sown.random = Random(seed, shrub.began * max_groups + shrub.group);
    sown.prime = prime_from(n_features);
    sown.max_features = tried[sown.random.below(n_choices)];
    sown.all_nominal = std::ranges::find(window.nominal(), 0) == window.nominal().end();
}

// Calls `grow` with the shrub in a bed.
template <class Grow>
auto Beds::grow(std::size_t bed, const Window& window, const PlacedShrubs& shrubs, Grow grow) {
    GrowingShrub& shrub = memory_.shrubs[bed];
    const ShrubGroup& group = shrubs.group_of(shrub.place);
    const GrowthLimits limits{
        .max_leaves = group.max_leaves,
        .min_samples_split = std::max<std::uint32_t>(2, 3 * shrub.length / (2 * group.max_leaves)),
        .recalls = group.recalls};
    const GrowthMemory memory{.order = memory_.order.subspan(shrubs.plan().bed_offset(group.bed)),
                              .pending = pending(bed),
                              .rest = memory_.rest,
                              .favourites = chosen(favourites(bed)),
                              .merits = memory_.merits};
    const NewShrub nodes{.nodes = shrubs.nodes(shrub.place), .node_bytes = group.node_bytes};
    const auto grow_on = [&](const auto& outcomes) {
        return grow(Growth(window, outcomes, limits, memory, shrub, nodes));
    };
    if (shrubs.plan().task == Task::classification) {
        return grow_on(ClassOutcomes{window, shrubs.counting_leaves(shrub.place), memory_.totals,
                                     memory_.ids});
    }
    return grow_on(
        TargetOutcomes{window.targets(),
                       {centred(shrubs.plan(), shrub), shrub.first_slot, window.capacity()},
                       shrubs.averaging_leaves(shrub.place),
                       shrub.relative != 0,
                       1.0 / shrub.down});
}

bool Beds::tend(std::size_t bed, std::uint64_t n_values, const Window& window,
                const PlacedShrubs& shrubs) {
    return grow(bed, window, shrubs, [&](auto&& growth) { return growth.advance(n_values); });
}

void Beds::finish(std::size_t bed, std::uint64_t n_values, const Window& window,
                  const PlacedShrubs& shrubs) {
    grow(bed, window, shrubs, [&](auto&& growth) { growth.finish(n_values); });
}

void Beds::copy_merits_from(const Beds& other) const {
    const std::span<const float> known =
        other.memory_.merits.first(std::min(other.memory_.merits.size(), memory_.merits.size()));
    std::ranges::fill(std::ranges::copy(known, memory_.merits.begin()).out, memory_.merits.end(),
                      0.0F);
}

bool Beds::is_in_danger(std::size_t bed, const Window& window, const PlacedShrubs& shrubs) const {
    const GrowingShrub& shrub = memory_.shrubs[bed];
    return !shrub.is_free() && window.is_full() &&
           window.age(shrub.first_slot) <= n_recalled(shrubs.group_of(shrub.place), shrub);
}

void Beds::archive(Archive& archive, const Window& window, const PlacedShrubs& shrubs,
                   std::uint64_t seed, std::uint64_t examples_seen) {
    for (std::size_t bed = 0; bed < n_slow() && archive.ok(); ++bed) {
        GrowingShrub shrub = memory_.shrubs[bed];
        archive.value(shrub.group);
        if (!archive.ok() || shrub.is_free()) {
            continue;
        }
        std::uint32_t age = window.age(shrub.first_slot);
        archive.value(shrub.place);
        archive.value(shrub.length);
        archive.value(shrub.lag);
        archive.value(age);
        archive.value(shrub.began);
        archive.value(shrub.n_visited);
        archive.array(favourites(bed), [&](std::uint16_t feature) {
            return feature == no_feature || feature < window.n_features();
        });
        archive.require(shrub.began < examples_seen && fits(shrub, age, bed, window, shrubs));
        if (shrubs.plan().task == Task::regression && archive.ok()) {
            archive.value(shrub.relative);
            archive.value(shrub.down);
            archive.value(shrub.mean);
            archive.require(shrub.relative <= 1 && is_finite(shrub.down) && shrub.down > 0.0 &&
                            is_finite(1.0 / shrub.down) && is_finite(shrub.mean));
            archive.array(centred(shrubs.plan(), shrub).first(shrub.n_gathered()), is_finite);
        }
        if (archive.reads() && archive.ok()) {
            const std::uint64_t n_visited = shrub.n_visited;
            shrub.n_visited = 0;
            shrub.first_slot = window.slot(age);
            sow(bed, shrub, window, seed);
            archive.require(n_visited <= all_values && !tend(bed, n_visited, window, shrubs) &&
                            memory_.shrubs[bed].n_visited == n_visited);
        }
    }
    archive.array(memory_.merits, [](float merit) { return merit >= 0.0F && merit <= most_merit; });
}

bool Beds::fits(const GrowingShrub& shrub, std::uint32_t age, std::size_t bed, const Window& window,
                const PlacedShrubs& shrubs) const {
    const PlanInUse& plan = shrubs.plan();
    if (shrub.group >= plan.n_groups || shrub.place >= plan.n_places ||
        shrubs.is_grown(shrub.place) ||
        &shrubs.group_of(shrub.place) != &plan.groups[shrub.group]) {
        return false;
    }
    const ShrubGroup& group = plan.groups[shrub.group];
    return group.bed == bed && shrub.length >= 1 && shrub.length <= group.length &&
           shrub.lag <= window.size() && age >= n_recalled(group, shrub) && age <= window.size() &&
           shrub.length <= window.size() - age;
}

}  // namespace shrubs
