#pragma once

// Grows a shrub for classification with `SplitSearch`: the same shrub as `grow` would, sooner.

#include "shrubs/growth/grow.hpp"

namespace shrubs {

/// Requires `splitter="best"`, all features tried in every node, and memory for the search.
void grow_incrementally(const GrowthTask& task, const GrowScratch& scratch, NewShrub& shrub,
                        LeafIds leaf_ids);

}  // namespace shrubs
