#pragma once

// The sizes of a learner, known before the first example.

#include "shrubs/growth/growth_plan.hpp"
#include "shrubs/paper/config.hpp"

namespace shrubs {

struct Plan {
    Config config;
    GrowthPlan growth;
};

/// Requires `is_valid(config, dimensions)`.
Plan make_plan(const Config& config, const Dimensions& dimensions);

}  // namespace shrubs
