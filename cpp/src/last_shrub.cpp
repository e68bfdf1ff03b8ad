#include "shrubs/last_shrub.hpp"

#include <algorithm>
#include <cstring>

namespace shrubs {

void LastShrub::forget() {
    if (is_kept()) {
        memory_.facts[0] = Subtree::none;
        memory_.facts[1] = 0;
    }
}

Subtree LastShrub::begin(const Window& window) const {
    const std::uint64_t n_new = window.n_added() - memory_.facts[1];
    if (memory_.facts[0] == Subtree::none || n_new >= window.size()) {
        return {};
    }
    for (std::uint32_t age = window.size() - static_cast<std::uint32_t>(n_new); age < window.size();
         ++age) {
        memory_.leaf_of[window.slot(age)] = Subtree::none;
    }
    return {0, static_cast<std::uint16_t>(memory_.facts[0]), 0, 0};
}

LastShrub::Sides LastShrub::sides(const Subtree& subtree, std::uint32_t feature) const {
    if (!subtree.exists() || subtree.n_inner == 0) {
        return {};
    }
    const Node node = read_node(node_bytes_, memory_.nodes.data(), subtree.first_node);
    if (node.split.feature != feature) {
        return {};
    }
    const auto narrow = [](std::uint32_t number) { return static_cast<std::uint16_t>(number); };
    const std::uint32_t next = subtree.first_node + 1U;
    return {{narrow(next), narrow(node.n_left), subtree.first_leaf, 0},
            {narrow(next + node.n_left), narrow(subtree.n_inner - 1U - node.n_left),
             narrow(subtree.first_leaf + node.n_left + 1U), 0}};
}

void LastShrub::copy_nodes(const Subtree& subtree, std::byte* to) const {
    const auto bytes = static_cast<std::size_t>(node_bytes_);
    std::memcpy(to, memory_.nodes.data() + subtree.first_node * bytes, subtree.n_inner * bytes);
}

void LastShrub::keep(const Window& window, const std::byte* nodes, std::uint32_t n_inner,
                     const std::byte* leaves, LeafIds leaf_ids) const {
    std::memcpy(memory_.nodes.data(), nodes, n_inner * static_cast<std::size_t>(node_bytes_));
    std::memcpy(memory_.leaves.data(), leaves, memory_.leaves.size());
    std::uint16_t* ends = memory_.ends.data();
    std::fill_n(ends, n_inner + std::size_t{2}, std::uint16_t{0});
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        const std::uint32_t leaf = leaf_ids.get(slot);
        memory_.leaf_of[slot] = static_cast<std::uint16_t>(leaf);
        ++ends[leaf + 1];
    }
    for (std::uint32_t leaf = 0; leaf <= n_inner; ++leaf) {
        ends[leaf + 1] = static_cast<std::uint16_t>(ends[leaf + 1] + ends[leaf]);
    }
    memory_.facts[0] = n_inner;
    memory_.facts[1] = window.n_added();
}

}  // namespace shrubs
