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

/// Sums and differences of targets may exceed what there are numbers for.
inline double kept_finite(double value) {
    constexpr double largest = std::numeric_limits<double>::max();
    return std::clamp(value, -largest, largest);
}

/// One of them by slot. Requires two examples before each, and the lag.
class RecalledValues {
 public:
    /// Targets count as `y * down`, which single precision can hold. The last `lag` outcomes before
    /// an example were not known yet.
    RecalledValues(const Window& window, std::uint32_t feature, double down, std::uint32_t lag)
        : window_(window), feature_(feature), lag_(lag), down_(down) {}

    float operator[](std::uint32_t slot) const {
        if (!window_.labels().empty()) {
            return static_cast<float>(window_.labels()[before(slot, feature_ + 1)]);
        }
        const double last = window_.targets()[before(slot, 1)] * down_;
        const double change = last - window_.targets()[before(slot, 2)] * down_;
        return static_cast<float>(feature_ == 0 ? last : change);
    }
    /// The change of the target since the last one that was known.
    double changed(std::uint32_t slot) const {
        return kept_finite(window_.targets()[slot] - window_.targets()[before(slot, 1)]);
    }

 private:
    std::uint32_t before(std::uint32_t slot, std::uint32_t n) const {
        const std::uint32_t back = n + lag_;
        return slot >= back ? slot - back : slot + window_.capacity() - back;
    }

    const Window& window_;
    std::uint32_t feature_;
    std::uint32_t lag_;
    double down_;
};

}  // namespace shrubs
