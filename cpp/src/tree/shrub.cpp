#include "shrubs/tree/shrub.hpp"

namespace shrubs {

namespace {

template <NodeBytes Bytes>
std::uint32_t walk(const std::byte* nodes, std::uint32_t n_inner, std::span<const float> x) {
    std::uint32_t node_index = 0;
    std::uint32_t leaf = 0;
    while (n_inner != 0) {
        const Node node = read_node<Bytes>(nodes, node_index);
        if (node.split.goes_left(x[node.split.feature])) {
            node_index += 1;
            n_inner = node.n_left;
        } else {
            node_index += 1 + node.n_left;
            leaf += 1 + node.n_left;
            n_inner -= 1 + node.n_left;
        }
    }
    return leaf;
}

// Where a walk is: the next node, how many inner nodes are left, and the first leaf of these.
struct Walk {
    const std::byte* node;
    std::uint32_t n_inner;
    std::uint32_t leaf;
};

// All bits or none: compilers make a branch of a choice, but not of a mask.
std::uint32_t mask(bool all) {
    return 0U - static_cast<std::uint32_t>(all);
}

// Whether it goes left, without a branch. No comparison with a missing value holds.
template <bool plain>
[[gnu::always_inline]] inline bool goes_left(const Split& split, float value) {
    const bool at_most = value <= split.threshold;
    if constexpr (plain) {
        return at_most;
    }
    const std::uint32_t of_numbers = mask(!split.nominal) & mask(at_most);
    const std::uint32_t of_categories = mask(split.nominal) & mask(value == split.threshold);
    return (of_numbers | of_categories | (mask(split.missing_left) & mask(value != value))) != 0;
}

// Takes a step without a branch; a walk that has ended stays where it is.
template <NodeBytes Bytes, bool plain>
[[gnu::always_inline]] inline void step(Walk& walk, const float* x) {
    const Node node = read_node<Bytes>(walk.node, 0);
    const std::uint32_t goes_on = mask(walk.n_inner != 0);
    const std::uint32_t right =
        mask(!goes_left<plain>(node.split, x[node.split.feature])) & goes_on;
    const std::uint32_t skipped = node.n_left & right;
    walk.n_inner =
        (node.n_left & goes_on) ^ ((node.n_left ^ (walk.n_inner - 1 - node.n_left)) & right);
    walk.leaf += skipped + (right & 1U);
    // The place behind the last node may not be there.
    const std::uint32_t n_passed = (1 + skipped) & mask(walk.n_inner != 0);
    walk.node += std::size_t{n_passed} * static_cast<std::size_t>(Bytes);
}

template <NodeBytes Bytes, bool plain>
void walk_together(std::span<const ShrubView, 4> shrubs, const float* x,
                   std::span<std::uint16_t, 4> found) {
    Walk a{shrubs[0].nodes, shrubs[0].n_inner, 0};
    Walk b{shrubs[1].nodes, shrubs[1].n_inner, 0};
    Walk c{shrubs[2].nodes, shrubs[2].n_inner, 0};
    Walk d{shrubs[3].nodes, shrubs[3].n_inner, 0};
    while ((a.n_inner | b.n_inner | c.n_inner | d.n_inner) != 0) {
        step<Bytes, plain>(a, x);
        step<Bytes, plain>(b, x);
        step<Bytes, plain>(c, x);
        step<Bytes, plain>(d, x);
    }
    found[0] = static_cast<std::uint16_t>(a.leaf);
    found[1] = static_cast<std::uint16_t>(b.leaf);
    found[2] = static_cast<std::uint16_t>(c.leaf);
    found[3] = static_cast<std::uint16_t>(d.leaf);
}

}  // namespace

Node read_node(NodeBytes bytes, const std::byte* nodes, std::uint32_t index) {
    return bytes == NodeBytes::small ? read_node<NodeBytes::small>(nodes, index)
                                     : read_node<NodeBytes::wide>(nodes, index);
}

void write_node(NodeBytes bytes, std::byte* nodes, std::uint32_t index, const Node& node) {
    std::byte* at = nodes + std::size_t{index} * static_cast<std::size_t>(bytes);
    const std::uint32_t flags =
        (node.split.nominal ? 0x4000U : 0U) | (node.split.missing_left ? 0x8000U : 0U);
    std::memcpy(at, &node.split.threshold, 4);
    if (bytes == NodeBytes::small) {
        const auto meta =
            static_cast<std::uint16_t>(flags | (node.split.feature << 8U) | node.n_left);
        std::memcpy(at + 4, &meta, 2);
    } else {
        const auto meta = static_cast<std::uint16_t>(flags | node.split.feature);
        const auto n_left = static_cast<std::uint16_t>(node.n_left);
        std::memcpy(at + 4, &meta, 2);
        std::memcpy(at + 6, &n_left, 2);
    }
}

void find_four_leaves(NodeBytes bytes, std::span<const ShrubView, 4> shrubs,
                      std::span<const float> x, std::span<std::uint16_t, 4> found, bool plain) {
    constexpr NodeBytes small = NodeBytes::small;
    constexpr NodeBytes wide = NodeBytes::wide;
    if (plain) {
        bytes == small ? walk_together<small, true>(shrubs, x.data(), found)
                       : walk_together<wide, true>(shrubs, x.data(), found);
    } else {
        bytes == small ? walk_together<small, false>(shrubs, x.data(), found)
                       : walk_together<wide, false>(shrubs, x.data(), found);
    }
}

std::uint32_t find_leaf(NodeBytes bytes, const std::byte* nodes, std::uint32_t n_inner,
                        std::span<const float> x) {
    return bytes == NodeBytes::small ? walk<NodeBytes::small>(nodes, n_inner, x)
                                     : walk<NodeBytes::wide>(nodes, n_inner, x);
}

}  // namespace shrubs
