#pragma once

// The nodes of a shrub in a byte state.

#include <cstdint>
#include <span>

#include "shrubs/growth/grow.hpp"
#include "shrubs/state/archive.hpp"

namespace shrubs {

/// Stored as 8-byte nodes, whatever the learner uses. What is read has to be a tree with these
/// kinds of features that is not too deep. `pending` is scratch, (max_depth,).
void archive_nodes(Archive& archive, const NewShrub& shrub, std::span<const std::uint8_t> nominal,
                   std::uint32_t max_depth, std::span<PendingNode> pending);

/// Whether each left subtree fits into its parent's and none is too deep.
bool is_tree(const NewShrub& shrub, std::uint32_t max_depth, std::span<PendingNode> pending);

}  // namespace shrubs
