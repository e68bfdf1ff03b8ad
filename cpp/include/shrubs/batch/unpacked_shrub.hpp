#pragma once

// A shrub unpacked for many predictions: nodes that name both children, so that a step down takes
// no branch that a processor would have to guess, and several rows walk down side by side.
//
// Values are compared as integers that have their order: that is faster. It holds numeric splits
// and is asked about rows without missing values; `find_leaf` does the rest. The leaves are the
// same.

#include <cstdint>
#include <span>

#include "shrubs/tree/shrub.hpp"

namespace shrubs {

struct UnpackedNode {
    std::uint32_t threshold;  ///< as `threshold_key`
    std::uint32_t feature;
    std::uint32_t children[2];  ///< where at most the threshold, where larger
};

/// A view of inner nodes in preorder, followed by the leaves; a leaf is its own child.
class UnpackedShrub {
 public:
    static std::size_t n_nodes(std::uint32_t n_inner) { return 2 * std::size_t{n_inner} + 1; }

    /// `nodes` has room for `n_nodes(n_inner)`.
    UnpackedShrub(NodeBytes bytes, const std::byte* packed, std::uint32_t n_inner,
                  std::span<UnpackedNode> nodes);

    bool has_nominal() const { return has_nominal_; }
    /// The leaf of each row, `(n,)`; `rows` is `(n, n_features)` of `order_key`. Requires that no
    /// split is nominal.
    void find_leaves(std::span<const std::uint32_t> rows, std::size_t n_features,
                     std::span<std::uint32_t> leaves) const;

 private:
    std::span<const UnpackedNode> nodes_;
    std::uint32_t n_inner_;
    std::uint32_t depth_ = 0;
    bool has_nominal_ = false;
};

}  // namespace shrubs
