#pragma once

// Targets of a window, brought to a common scale so that no finite target can overflow a sum.

#include <cstdint>
#include <span>

#include "shrubs/window/window.hpp"

namespace shrubs {

/// z = y * 2^-exponent - centre: less than 8 in size, with mean about zero over the window.
struct TargetScale {
    double down = 1.0;      ///< 2^-exponent
    double up = 1.0;        ///< 2^exponent
    double centre = 0.0;    ///< mean of y * 2^-exponent
    double variance = 1.0;  ///< of the scaled targets; 1 if they are all equal

    /// 2^(2 exponent), kept finite.
    double squared() const;
    /// Scales a prediction, which may stem from far larger targets that have left the window.
    double scaled_prediction(double y) const;
    /// The target whose scaled value is `z`, kept finite.
    double unscaled(double z) const;
};

/// The targets of a window on their common scale.
struct ScaledTargets {
    TargetScale scale;
    std::span<const double> centred;  ///< (B,) by slot
};

/// The scale of the window's targets; `centred[slot]` receives the scaled targets.
TargetScale scale_targets(const Window& window, std::span<double> centred);

}  // namespace shrubs
