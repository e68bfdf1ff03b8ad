#pragma once

// Grows a shrub for classification with `ClassSearch`: the same shrub as `grow` would, sooner.

#include "shrubs/class_search.hpp"
#include "shrubs/config.hpp"
#include "shrubs/grow.hpp"

namespace shrubs {

/// Requires `splitter="best"`, all features tried in every node, and memory for the search.
void grow_classes(const Window& window, const Config& config, const LeafLayout& layout,
                  const GrowScratch& scratch, NewShrub& shrub, LeafIds leaf_ids);

}  // namespace shrubs
