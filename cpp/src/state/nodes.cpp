#include "shrubs/state/nodes.hpp"

#include <array>

namespace shrubs {

void put_node(Writer& out, const Node& node) {
    std::array<std::byte, 8> bytes{};
    write_node(NodeBytes::wide, bytes.data(), 0, node);
    out.put_bytes(bytes);
}

bool get_nodes(Reader& in, std::span<const std::byte> nominal, const NewShrub& shrub) {
    for (std::uint32_t i = 0; i < shrub.n_inner; ++i) {
        const auto bytes = in.get_bytes(8);
        if (!in.ok()) {
            return false;
        }
        const Node node = read_node<NodeBytes::wide>(bytes.data(), 0);
        const float threshold = node.split.threshold;
        if (node.split.feature >= nominal.size() ||
            node.split.nominal != (nominal[node.split.feature] != std::byte{0}) ||
            (threshold == threshold && !is_finite(threshold)) || node.n_left >= shrub.n_inner - i) {
            return false;
        }
        write_node(shrub.node_bytes, shrub.nodes, i, node);
    }
    return true;
}

// Mirrors the walk of a prediction, with the sizes of the right subtrees that are still to come on
// a stack. These sizes and that of the current subtree sum to the nodes left, so the stack never
// runs empty.
bool is_tree(const NewShrub& shrub, std::uint32_t max_depth, std::span<PendingNode> pending) {
    std::size_t n_pending = 0;
    std::uint32_t size = shrub.n_inner;
    std::uint32_t depth = 0;
    for (std::uint32_t i = 0; i < shrub.n_inner; ++i) {
        while (size == 0) {
            size = pending[--n_pending].end;
            depth = pending[n_pending].depth;
        }
        const Node node = read_node(shrub.node_bytes, shrub.nodes, i);
        if (node.n_left >= size || depth >= max_depth || n_pending >= pending.size()) {
            return false;
        }
        ++depth;
        pending[n_pending++] = {0, 0, static_cast<std::uint16_t>(size - 1 - node.n_left),
                                static_cast<std::uint16_t>(depth)};
        size = node.n_left;
    }
    return true;
}

}  // namespace shrubs
