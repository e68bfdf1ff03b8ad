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
inline Plan make_plan(const Config& config, const Dimensions& dimensions) {
    return {config, make_growth_plan(config.growth(), dimensions)};
}

}  // namespace shrubs
