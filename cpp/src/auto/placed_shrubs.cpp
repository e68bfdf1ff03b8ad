#include "shrubs/auto/placed_shrubs.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/growth/archive_nodes.hpp"

namespace shrubs {

PlacedShrubs::Memory PlacedShrubs::reserve(Arena& arena, const AutoPlan& plan) {
    return {.shrubs = arena.array<std::byte>(Purpose::shrubs, plan.shrub_bytes),
            .n_inner = arena.array<std::uint16_t>(Purpose::shrubs, plan.n_places),
            .born = arena.array<std::uint64_t>(Purpose::shrubs, plan.n_places),
            .losses = arena.array<double>(Purpose::shrubs, plan.n_places),
            .groups = arena.array<ShrubGroup>(Purpose::shrubs, plan.n_groups),
            .group_of = arena.array<std::uint8_t>(Purpose::shrubs, plan.n_places)};
}

PlacedShrubs::PlacedShrubs(const Memory& memory, const AutoPlan& plan)
    : plan_(plan, memory.groups), memory_(memory) {
    std::ranges::copy(plan.all_groups(), memory_.groups.begin());
    std::ranges::fill(memory_.n_inner, not_grown);
    for (std::uint32_t g = 0; g < plan_.n_groups; ++g) {
        std::fill_n(memory_.group_of.begin() + plan_.groups[g].first_place,
                    plan_.groups[g].n_places, static_cast<std::uint8_t>(g));
    }
}

// Sixteen at a time, or eight, those with small and with wide nodes apart. Where there are fewer,
// the first of them is walked down more than once.
void PlacedShrubs::find_leaves(std::span<const float> x, std::span<std::uint16_t> found) const {
    struct Together {
        std::array<ShrubView, 16> shrubs;
        std::array<std::uint16_t, 16> places;
        std::size_t n = 0;
    };
    std::array<Together, 2> all;
    const auto find_each = [&](Together& together, NodeBytes bytes) {
        auto& [shrubs, places, n] = together;
        std::array<std::uint16_t, 16> leaves;
        std::fill(shrubs.begin() + n, shrubs.end(), shrubs[0]);
        find_many_leaves(bytes, std::span(shrubs).first(n <= 8 ? 8 : 16), x, leaves);
        for (std::size_t i = 0; i < n; ++i) {
            found[places[i]] = leaves[i];
#ifdef __GNUC__  // far from each other, and all are asked soon
            __builtin_prefetch(this->leaves(places[i]) + leaves[i] * leaf_bytes());
#endif
        }
        n = 0;
    };
    for (std::uint32_t place = 0; place < plan_.n_places; ++place) {
        found[place] = 0;
        if (!is_grown(place) || n_inner(place) == 0) {
            continue;
        }
        const NewShrub next = shrub(place);
        Together& together = all[next.node_bytes == NodeBytes::small ? 0 : 1];
        together.shrubs[together.n] = {next.nodes, next.n_inner};
        together.places[together.n] = static_cast<std::uint16_t>(place);
        if (++together.n == together.shrubs.size()) {
            find_each(together, next.node_bytes);
        }
    }
    for (const NodeBytes bytes : {NodeBytes::small, NodeBytes::wide}) {
        if (Together& together = all[bytes == NodeBytes::small ? 0 : 1]; together.n > 0) {
            find_each(together, bytes);
        }
    }
}

void PlacedShrubs::forget_feature(std::uint32_t place, std::uint32_t feature) const {
    for (std::uint32_t i = 0; i < n_inner(place); ++i) {
        const NodeBytes bytes = group_of(place).node_bytes;
        Node node = read_node(bytes, nodes(place), i);
        if (node.split.feature == feature) {
            node.split.threshold = std::numeric_limits<float>::quiet_NaN();
            write_node(bytes, nodes(place), i, node);
        }
    }
}

void PlacedShrubs::renumber_classes(std::uint32_t place, ClassNumbers now) const {
    for (std::uint32_t leaf = 0; leaf <= n_inner(place); ++leaf) {
        counting_leaves(place).renumber_classes(leaf, now);
    }
    for (std::uint32_t i = 0; i < n_inner(place) && group_of(place).recalls; ++i) {
        const NodeBytes bytes = group_of(place).node_bytes;
        Node node = read_node(bytes, nodes(place), i);
        if (node.split.feature >= plan_.dimensions.n_features) {
            node.split.threshold = renumbered(node.split.threshold, now);
            write_node(bytes, nodes(place), i, node);
        }
    }
}

void PlacedShrubs::archive(Archive& archive, std::span<const std::uint8_t> nominal,
                           std::uint64_t examples_seen, std::span<PendingNode> pending) {
    for (std::uint32_t place = 0; place < plan_.n_places && archive.ok(); ++place) {
        archive.value(memory_.n_inner[place]);
        if (!archive.ok() || !is_grown(place)) {
            continue;
        }
        archive.value(memory_.born[place]);
        archive.value(memory_.losses[place]);
        archive.require(n_inner(place) < group_of(place).max_leaves &&
                        born(place) < examples_seen && is_finite_and_not_negative(loss(place)));
        if (archive.ok()) {
            const std::size_t n_known =
                nominal.size() - (group_of(place).recalls ? 0 : recalled_features);
            archive_nodes(archive, shrub(place), nominal.first(n_known), plan_.max_pending(),
                          pending);
            archive_leaves(archive, place);
        }
    }
}

void PlacedShrubs::archive_leaves(Archive& archive, std::uint32_t place) const {
    const std::size_t n_leaves = n_inner(place) + std::size_t{1};
    archive.array(std::span(leaves(place), n_leaves * leaf_bytes()));
    for (std::uint32_t leaf = 0; leaf < n_leaves && archive.reads() && archive.ok(); ++leaf) {
        if (plan_.task == Task::regression) {
            const AveragingLeaves averages = averaging_leaves(place);
            archive.require(is_finite(averages.mean(leaf)) && averages.count(leaf) >= 1 &&
                            averages.count(leaf) <= longest_mean);
        } else {
            archive.require(counting_leaves(place).is_valid(leaf));
        }
    }
}

bool PlacedShrubs::copy_from(const PlacedShrubs& other, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t n_inner = other.n_inner(from);
    if (!other.is_grown(from) || n_inner >= group_of(to).max_leaves) {
        return false;
    }
    set(to, n_inner, other.born(from));
    loss(to) = other.loss(from);
    for (std::uint32_t i = 0; i < n_inner; ++i) {
        Node node = read_node(other.group_of(from).node_bytes, other.nodes(from), i);
        if (node.split.feature >= other.plan_.dimensions.n_features) {  // recalled: the last ones
            node.split.feature += plan_.dimensions.n_features - other.plan_.dimensions.n_features;
        }
        write_node(group_of(to).node_bytes, nodes(to), i, node);
    }
    for (std::uint32_t leaf = 0; leaf <= n_inner; ++leaf) {
        if (plan_.task == Task::regression) {
            const AveragingLeaves old = other.averaging_leaves(from);
            averaging_leaves(to).set(leaf, old.mean(leaf), old.count(leaf));
        } else {
            counting_leaves(to).copy_from(leaf, other.counting_leaves(from), leaf);
        }
    }
    return true;
}

void PlacedShrubs::copy_same_from(const PlacedShrubs& other, std::uint32_t place) const {
    const std::size_t n_inner = other.n_inner(place);
    set(place, other.n_inner(place), other.born(place));
    loss(place) = other.loss(place);
    std::copy_n(other.nodes(place), n_inner * static_cast<std::size_t>(group_of(place).node_bytes),
                nodes(place));
    std::copy_n(other.leaves(place), (n_inner + 1) * leaf_bytes(), leaves(place));
}

}  // namespace shrubs
