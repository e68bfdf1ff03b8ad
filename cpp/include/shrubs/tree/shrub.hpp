#pragma once

// A trained shrub: flat nodes and prediction.
//
// Inner nodes are stored in preorder, leaves apart from them and from left to right. A node knows
// only how many inner nodes its left subtree has (`n_left`). That is enough to find both children:
//
//     inner  | i | left subtree: n_left nodes | right subtree: n - 1 - n_left nodes |
//     leaves | l  ... n_left + 1 leaves ...   | ... n - n_left leaves ...           |
//
// where the subtree of node i has n inner nodes and its first leaf is l. A subtree without inner
// nodes is a leaf. A node takes 6 bytes when the shrub is small (at most 256 leaves and 64
// features) and 8 otherwise.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace shrubs {

/// The question an inner node asks of an example.
struct Split {
    float threshold = 0.0F;  ///< NaN: all present values go right
    std::uint32_t feature = 0;
    bool nominal = false;       ///< left if equal to the threshold, not if at most the threshold
    bool missing_left = false;  ///< where a missing value goes

    bool goes_left(float value) const {
        if (value != value) {
            return missing_left;
        }
        return nominal ? value == threshold : value <= threshold;
    }
};

struct Node {
    Split split;
    std::uint32_t n_left = 0;  ///< inner nodes in the left subtree
};

inline constexpr std::uint32_t small_max_leaves = 256;
inline constexpr std::uint32_t small_max_features = 64;

/// Bytes per inner node.
enum class NodeBytes : std::uint8_t { small = 6, wide = 8 };

inline NodeBytes node_bytes_for(std::uint32_t max_leaves, std::uint32_t n_features) {
    return max_leaves <= small_max_leaves && n_features <= small_max_features ? NodeBytes::small
                                                                              : NodeBytes::wide;
}

/// Reads and writes the nodes of one shrub.
template <NodeBytes Bytes>
Node read_node(const std::byte* nodes, std::uint32_t index) {
    const std::byte* at = nodes + std::size_t{index} * static_cast<std::size_t>(Bytes);
    Node node;
    std::uint16_t meta = 0;
    std::memcpy(&node.split.threshold, at, 4);
    std::memcpy(&meta, at + 4, 2);
    node.split.nominal = (meta & 0x4000U) != 0;
    node.split.missing_left = (meta & 0x8000U) != 0;
    if constexpr (Bytes == NodeBytes::small) {
        node.split.feature = (std::uint32_t{meta} >> 8U) & 0x3FU;
        node.n_left = meta & 0xFFU;
    } else {
        std::uint16_t n_left = 0;
        std::memcpy(&n_left, at + 6, 2);
        node.split.feature = meta & 0x3FFFU;
        node.n_left = n_left;
    }
    return node;
}

Node read_node(NodeBytes bytes, const std::byte* nodes, std::uint32_t index);
void write_node(NodeBytes bytes, std::byte* nodes, std::uint32_t index, const Node& node);

/// The leaf that `x` falls into, for a shrub of `n_inner` inner nodes.
std::uint32_t find_leaf(NodeBytes bytes, const std::byte* nodes, std::uint32_t n_inner,
                        std::span<const float> x);

/// The inner nodes of a shrub.
struct ShrubView {
    const std::byte* nodes = nullptr;
    std::uint32_t n_inner = 0;
};

/// The leaves that `x` falls into in four shrubs, which wait for each other instead of guessing.
/// None may be a single leaf. `plain`: no value is missing, and no split nominal.
void find_four_leaves(NodeBytes bytes, std::span<const ShrubView, 4> shrubs,
                      std::span<const float> x, std::span<std::uint16_t, 4> found, bool plain);
/// The same for eight or sixteen, plain or not. With AVX2, eight are walked down as one, and two
/// bytes behind their nodes may be read.
void find_many_leaves(NodeBytes bytes, std::span<const ShrubView> shrubs, std::span<const float> x,
                      std::span<std::uint16_t> found);

}  // namespace shrubs
