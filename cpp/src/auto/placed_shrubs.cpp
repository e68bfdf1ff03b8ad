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

std::byte* PlacedShrubs::nodes(std::uint32_t place) const {
    const ShrubGroup& group = group_of(place);
    return memory_.shrubs.data() + group.offset + (place - group.first_place) * group.stride;
}

std::byte* PlacedShrubs::leaves(std::uint32_t place) const {
    return nodes(place) + (group_of(place).max_leaves - std::size_t{1}) *
                              static_cast<std::size_t>(group_of(place).node_bytes);
}

// Eight at a time, as long as their nodes are alike. Where there are fewer, the first of them is
// walked down more than once.
void PlacedShrubs::find_leaves(std::span<const float> x, std::span<std::uint16_t> found) const {
    std::array<ShrubView, 8> eight;
    std::array<std::uint16_t, 8> places;
    std::array<std::uint16_t, 8> leaves;
    NodeBytes bytes = NodeBytes::small;
    std::size_t n = 0;
    const auto find_each = [&] {
        if (n > 0) {
            std::fill(eight.begin() + n, eight.end(), eight[0]);
            find_eight_leaves(bytes, eight, x, leaves);
        }
        for (std::size_t i = 0; i < n; ++i) {
            found[places[i]] = leaves[i];
#ifdef __GNUC__  // far from each other, and all are asked soon
            __builtin_prefetch(this->leaves(places[i]) + leaves[i] * leaf_bytes());
#endif
        }
        n = 0;
    };
    for (std::uint32_t place = 0; place < plan_.n_places; ++place) {
        const NewShrub next = shrub(place);
        found[place] = 0;
        if (!is_grown(place) || next.n_inner == 0) {
            continue;
        }
        if (next.node_bytes != bytes || n == eight.size()) {
            find_each();
            bytes = next.node_bytes;
        }
        eight[n] = {next.nodes, next.n_inner};
        places[n++] = static_cast<std::uint16_t>(place);
    }
    find_each();
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
