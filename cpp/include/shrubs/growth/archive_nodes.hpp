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

/// The depth of a tree: the most questions on a way to a leaf. `not_a_tree` if a left subtree does
/// not fit into its parent's, or one is too deep.
inline constexpr std::uint32_t not_a_tree = 0xFFFFFFFF;
std::uint32_t depth_of(const NewShrub& shrub, std::uint32_t max_depth,
                       std::span<PendingNode> pending);

}  // namespace shrubs
