#include "shrubs/batch/unpacked_shrub.hpp"

#include <algorithm>

#include "shrubs/batch/order_key.hpp"

namespace shrubs {

namespace {

constexpr std::size_t side_by_side = 16;

std::uint32_t step(const UnpackedNode* nodes, std::uint32_t at, const std::uint32_t* x) {
    const UnpackedNode& node = nodes[at];
    return node.children[node.threshold < x[node.feature] ? 1 : 0];
}

}  // namespace

// A parent comes before its children and tells them, in the fields they will overwrite, how deep
// they are, how many inner nodes their subtree has and which its first leaf is.
UnpackedShrub::UnpackedShrub(NodeBytes bytes, const std::byte* packed, std::uint32_t n_inner,
                             std::span<UnpackedNode> nodes)
    : nodes_(nodes.first(n_nodes(n_inner))), n_inner_(n_inner) {
    if (n_inner > 0) {
        nodes[0] = {0, 1, {n_inner, 0}};
    }
    for (std::uint32_t i = 0; i < n_inner; ++i) {
        const Node node = read_node(bytes, packed, i);
        const auto [unused, depth, about] = nodes[i];
        const std::uint32_t sizes[] = {node.n_left, about[0] - 1 - node.n_left};
        const std::uint32_t firsts[] = {about[1], about[1] + node.n_left + 1};
        const std::uint32_t inner[] = {i + 1, i + 1 + node.n_left};
        nodes[i] = {threshold_key(node.split.threshold), node.split.feature, {0, 0}};
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            nodes[i].children[side] = sizes[side] > 0 ? inner[side] : n_inner + firsts[side];
            if (sizes[side] > 0) {
                nodes[inner[side]] = {0, depth + 1, {sizes[side], firsts[side]}};
            }
        }
        depth_ = std::max(depth_, depth);
        has_nominal_ = has_nominal_ || node.split.nominal;
    }
    for (std::uint32_t leaf = n_inner; leaf < nodes_.size(); ++leaf) {
        nodes[leaf] = {0, 0, {leaf, leaf}};
    }
}

void UnpackedShrub::find_leaves(std::span<const std::uint32_t> rows, std::size_t n_features,
                                std::span<std::uint32_t> leaves) const {
    const UnpackedNode* nodes = nodes_.data();
    std::size_t i = 0;
    for (; i + side_by_side <= leaves.size(); i += side_by_side) {
        const std::uint32_t* x = rows.data() + i * n_features;
        std::uint32_t at[side_by_side] = {};
        for (std::uint32_t level = 0; level < depth_; ++level) {
            for (std::size_t k = 0; k < side_by_side; ++k) {
                at[k] = step(nodes, at[k], x + k * n_features);
            }
        }
        for (std::size_t k = 0; k < side_by_side; ++k) {
            leaves[i + k] = at[k] - n_inner_;
        }
    }
    for (; i < leaves.size(); ++i) {
        std::uint32_t at = 0;
        for (std::uint32_t level = 0; level < depth_; ++level) {
            at = step(nodes, at, rows.data() + i * n_features);
        }
        leaves[i] = at - n_inner_;
    }
}

}  // namespace shrubs
