#pragma once

// Grows a shrub for classification with `SplitSearch`: the same shrub as `grow` would, sooner.

#include "shrubs/growth/grow.hpp"
#include "shrubs/growth/incremental/split_search.hpp"

namespace shrubs {

/// Requires `plan.is_incremental`.
void grow_incrementally(const Window& window, const GrowthPlan& plan, const GrowScratch& scratch,
                        NewShrub& shrub);

}  // namespace shrubs
