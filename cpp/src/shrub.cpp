#include "shrubs/shrub.hpp"

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

std::uint32_t find_leaf(NodeBytes bytes, const std::byte* nodes, std::uint32_t n_inner,
                        std::span<const float> x) {
    return bytes == NodeBytes::small ? walk<NodeBytes::small>(nodes, n_inner, x)
                                     : walk<NodeBytes::wide>(nodes, n_inner, x);
}

}  // namespace shrubs
