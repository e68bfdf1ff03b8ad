#include "shrubs/growth/incremental/last_shrub.hpp"

#include <cstring>

namespace shrubs {

namespace {

bool is_equal(const Split& a, const Split& b) {
    return a.feature == b.feature && a.threshold == b.threshold && a.nominal == b.nominal &&
           a.missing_left == b.missing_left;
}

}  // namespace

LastShrub::Memory LastShrub::reserve(Arena& arena, const GrowthPlan& plan) {
    const std::uint64_t leaves = plan.max_leaves;
    return {.nodes = arena.array<std::byte>(Purpose::cache, plan.all_node_bytes()),
            .leaves = arena.array<std::byte>(Purpose::cache, plan.leaves.bytes()),
            .middles = arena.array<std::uint16_t>(Purpose::cache, plan.max_inner()),
            .leaf_of = arena.array<std::uint16_t>(Purpose::cache, plan.window_size),
            .ends = arena.array<std::uint16_t>(Purpose::cache, leaves + 1),
            .new_leaf = arena.array<std::uint16_t>(Purpose::scratch, leaves + 1),
            .new_sizes = arena.array<std::uint16_t>(Purpose::scratch, leaves),
            .facts = arena.array<std::uint64_t>(Purpose::cache, 2)};
}

void LastShrub::forget() {
    if (is_kept()) {
        memory_.facts[0] = Subtree::none;
        memory_.facts[1] = 0;
        memory_.ends[0] = 0;
    }
}

Subtree LastShrub::begin(const Window& window, Changes& changes) const {
    const std::uint64_t n_new = window.n_added() - memory_.facts[1];
    if (memory_.facts[0] == Subtree::none || n_new > Changes::max || n_new >= window.size()) {
        std::ranges::fill(memory_.leaf_of, std::uint16_t{0});
        memory_.new_leaf[0] = Subtree::none;
        return {};
    }
    Subtree all{0, static_cast<std::uint16_t>(memory_.facts[0]), 0};
    const auto no_leaf = static_cast<std::uint16_t>(all.n_leaves());
    std::fill_n(memory_.new_leaf.begin(), no_leaf + 1, Subtree::none);
    changes.n = static_cast<std::uint32_t>(n_new);
    const std::uint32_t n_before = n_examples(all);
    for (std::uint32_t i = 0; i < changes.n; ++i) {
        const std::uint32_t slot = window.slot(window.size() - 1 - i);
        changes.slots[i] = static_cast<std::uint16_t>(slot);
        changes.leaves[i] = memory_.leaf_of[slot];
        memory_.leaf_of[slot] = no_leaf;
        // While the window fills, examples come to slots that were free.
        if (window.size() + i < n_before + changes.n) {
            all.lose(i);
        }
        all.gain(i);
    }
    return all;
}

// Two cuts of one feature, all values being present, both put the lowest of the examples that
// stayed on the left. So they separate them in the same way if they put as many there.
LastShrub::Sides LastShrub::sides(const Subtree& subtree, const Changes& changes,
                                  const Window& window, const Split& split,
                                  std::uint32_t n_left) const {
    if (!subtree.is_inner()) {
        return {};
    }
    const Node node = read_node(node_bytes_, memory_.nodes.data(), subtree.first_node);
    const bool is_cut =
        node.split.feature == split.feature && !split.nominal && !window.has_missing(split.feature);
    if (!is_cut && !is_equal(node.split, split)) {
        return {};
    }
    const auto narrow = [](std::uint32_t number) { return static_cast<std::uint16_t>(number); };
    const std::uint32_t next = subtree.first_node + 1U;
    Subtree left{narrow(next), narrow(node.n_left), subtree.first_leaf};
    Subtree right{narrow(next + node.n_left), narrow(subtree.n_inner - 1U - node.n_left),
                  narrow(subtree.first_leaf + left.n_leaves())};
    const float* values = window.column(split.feature).data();
    for (std::uint32_t i = 0; i < changes.n; ++i) {
        const std::uint32_t bit = 1U << i;
        if ((subtree.gone & bit) != 0) {
            (changes.leaves[i] < right.first_leaf ? left : right).lose(i);
        }
        if ((subtree.come & bit) != 0) {
            (split.goes_left(values[changes.slots[i]]) ? left : right).gain(i);
        }
    }
    if (n_examples(left) - left.n_gone != n_left - left.n_come) {
        return {};
    }
    return {left, right};
}

void LastShrub::copy_nodes(const Subtree& subtree, std::byte* nodes, std::uint16_t* middles) const {
    const auto bytes = static_cast<std::size_t>(node_bytes_);
    std::memcpy(nodes, memory_.nodes.data() + subtree.first_node * bytes, subtree.n_inner * bytes);
    std::copy_n(memory_.middles.data() + subtree.first_node, subtree.n_inner, middles);
}

void LastShrub::take_leaves(const Subtree& subtree, std::uint32_t first_leaf) const {
    for (std::uint32_t i = 0; i < subtree.n_leaves(); ++i) {
        const std::uint32_t leaf = subtree.first_leaf + i;
        memory_.new_leaf[leaf] = static_cast<std::uint16_t>(first_leaf + i);
        set_size(first_leaf + i, memory_.ends[leaf + 1] - memory_.ends[leaf]);
    }
}

void LastShrub::keep(const Window& window, const Grown& grown, LeafIds leaf_ids) const {
    std::memcpy(memory_.nodes.data(), grown.nodes,
                grown.n_inner * static_cast<std::size_t>(node_bytes_));
    std::memcpy(memory_.leaves.data(), grown.leaves, memory_.leaves.size());
    std::copy_n(grown.middles, grown.n_inner, memory_.middles.data());
    for (std::uint32_t leaf = 0; leaf <= grown.n_inner; ++leaf) {
        memory_.ends[leaf + 1] =
            static_cast<std::uint16_t>(memory_.ends[leaf] + memory_.new_sizes[leaf]);
    }
    const std::uint16_t* new_leaf = memory_.new_leaf.data();
    std::uint16_t* leaf_of = memory_.leaf_of.data();
    for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
        const std::uint32_t taken = new_leaf[leaf_of[slot]];
        // Masks instead of a branch that cannot be guessed.
        const std::uint32_t is_new = 0U - static_cast<std::uint32_t>(taken == Subtree::none);
        const std::uint32_t leaf = (leaf_ids.get(slot) & is_new) | (taken & ~is_new);
        leaf_ids.set(slot, leaf);
        leaf_of[slot] = static_cast<std::uint16_t>(leaf);
    }
    memory_.facts[0] = grown.n_inner;
    memory_.facts[1] = window.n_added();
}

}  // namespace shrubs
