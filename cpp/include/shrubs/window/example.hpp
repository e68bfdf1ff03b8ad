#pragma once

#include <cstdint>
#include <span>

namespace shrubs {

/// A labelled example: a view of its features, and its class or its target.
struct Example {
    std::span<const float> x;  ///< (n_features,), NaN for missing; no infinity, no negative zero
    std::uint16_t label = 0;   ///< classification
    double target = 0.0;       ///< regression, finite
    bool is_first = false;     ///< of a class that was not known when it was predicted
};

}  // namespace shrubs
