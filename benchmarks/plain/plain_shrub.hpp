#pragma once

// A shrub as one would write it first: nodes in a vector, grown by recursion, every tried feature
// gathered and sorted again at every node.
//
// It covers what the benchmarks need: classes, numeric features, no missing values.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shrubs/numerics/random.hpp"
#include "shrubs/paper/config.hpp"

namespace shrubs::plain {

struct LabelledExample {
    std::vector<float> x;
    std::uint16_t label = 0;
};

struct PlainNode {
    std::uint32_t feature = 0;
    float threshold = 0.0F;
    std::uint32_t left = 0;   ///< index of the child; 0 for a leaf, as no child is the root
    std::uint32_t right = 0;  ///< index of the child, or for a leaf its number
};

struct PlainShrub {
    std::uint64_t born = 0;
    std::size_t n_classes = 0;
    std::vector<PlainNode> nodes;  ///< in preorder
    std::vector<double> leaves;    ///< h, (n_leaves, n_classes); multiples of 1 / 32768

    /// h(x), `(n_classes,)`.
    std::span<const double> predict(std::span<const float> x) const {
        const PlainNode* node = nodes.data();
        while (node->left != 0) {
            node = &nodes[x[node->feature] <= node->threshold ? node->left : node->right];
        }
        return {leaves.data() + node->right * n_classes, n_classes};
    }
};

/// Grows the shrub of example number `born` on `window`, oldest example first.
PlainShrub grow_plain(const std::vector<LabelledExample>& window, const Config& config,
                      const Dimensions& dimensions, std::uint64_t born);

}  // namespace shrubs::plain
