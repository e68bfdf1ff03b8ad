#pragma once

// The outcomes before an example as features that need no room.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "shrubs/window/window.hpp"

namespace shrubs {

/// How many there are: the label before an example and the one before that, or the target before it
/// and how that had changed.
inline constexpr std::uint32_t recalled_features = 2;

/// A target as a feature.
inline float as_feature(double target) {
    constexpr double largest = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(target, -largest, largest));
}

/// Sums and differences of targets may exceed what there are numbers for.
inline double kept_finite(double value) {
    constexpr double largest = std::numeric_limits<double>::max();
    return std::clamp(value, -largest, largest);
}

/// One of them by slot. Requires two examples before each.
class RecalledValues {
 public:
    RecalledValues(const Window& window, std::uint32_t feature)
        : window_(window), feature_(feature) {}

    float operator[](std::uint32_t slot) const {
        if (!window_.labels().empty()) {
            return static_cast<float>(window_.labels()[before(slot, feature_ + 1)]);
        }
        const double last = window_.targets()[before(slot, 1)];
        return as_feature(feature_ == 0 ? last : last - window_.targets()[before(slot, 2)]);
    }
    /// The change of the target that came with an example.
    double changed(std::uint32_t slot) const {
        return kept_finite(window_.targets()[slot] - window_.targets()[before(slot, 1)]);
    }

 private:
    std::uint32_t before(std::uint32_t slot, std::uint32_t n) const {
        return slot >= n ? slot - n : slot + window_.capacity() - n;
    }

    const Window& window_;
    std::uint32_t feature_;
};

}  // namespace shrubs
