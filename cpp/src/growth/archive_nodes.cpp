#include "shrubs/growth/archive_nodes.hpp"

#include <algorithm>
#include <array>

namespace shrubs {

namespace {

bool is_allowed(const Node& node, std::span<const std::uint8_t> nominal) {
    return node.split.feature < nominal.size() &&
           node.split.nominal == (nominal[node.split.feature] != 0) &&
           is_finite_or_missing(node.split.threshold);
}

}  // namespace

void archive_nodes(Archive& archive, const NewShrub& shrub, std::span<const std::uint8_t> nominal,
                   std::uint32_t max_depth, std::span<PendingNode> pending) {
    for (std::uint32_t i = 0; i < shrub.n_inner && archive.ok(); ++i) {
        std::array<std::byte, 8> bytes{};
        if (!archive.reads()) {
            write_node(NodeBytes::wide, bytes.data(), 0,
                       read_node(shrub.node_bytes, shrub.nodes, i));
        }
        archive.value(bytes);
        if (archive.reads()) {
            const Node node = read_node<NodeBytes::wide>(bytes.data(), 0);
            archive.require(is_allowed(node, nominal) && node.n_left < shrub.n_inner - i);
            if (archive.ok()) {
                write_node(shrub.node_bytes, shrub.nodes, i, node);
            }
        }
    }
    if (archive.reads() && archive.ok()) {
        archive.require(depth_of(shrub, max_depth, pending) != not_a_tree);
    }
}

// Mirrors the walk of a prediction, with the sizes of the right subtrees that are still to come on
// a stack. These sizes and that of the current subtree sum to the nodes left, so the stack never
// runs empty.
std::uint32_t depth_of(const NewShrub& shrub, std::uint32_t max_depth,
                       std::span<PendingNode> pending) {
    std::size_t n_pending = 0;
    std::uint32_t size = shrub.n_inner;
    std::uint32_t depth = 0;
    std::uint32_t deepest = 0;
    for (std::uint32_t i = 0; i < shrub.n_inner; ++i) {
        while (size == 0) {
            size = pending[--n_pending].end;
            depth = pending[n_pending].depth;
        }
        const Node node = read_node(shrub.node_bytes, shrub.nodes, i);
        if (node.n_left >= size || depth >= max_depth || n_pending >= pending.size()) {
            return not_a_tree;
        }
        deepest = std::max(deepest, ++depth);
        pending[n_pending++] = {0, 0, static_cast<std::uint16_t>(size - 1 - node.n_left),
                                static_cast<std::uint16_t>(depth)};
        size = node.n_left;
    }
    return deepest;
}

}  // namespace shrubs
