#pragma once

// The nodes of a shrub in a byte state.

#include <cstdint>
#include <span>

#include "shrubs/growth/grow.hpp"
#include "shrubs/state/archive.hpp"

namespace shrubs {

/// Stored as the 8-byte node, whatever the learner uses.
void put_node(Writer& out, const Node& node);

/// Reads the nodes of a shrub; whether they form a tree is seen when all are there.
bool get_nodes(Reader& in, std::span<const std::byte> nominal, const NewShrub& shrub);

/// Whether each left subtree fits into its parent's and none is too deep.
bool is_tree(const NewShrub& shrub, std::uint32_t max_depth, std::span<PendingNode> pending);

}  // namespace shrubs
