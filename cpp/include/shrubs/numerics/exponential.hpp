#pragma once

// The exponential and the softmax: the same bits on every platform, no libm.

#include <span>

namespace shrubs {

/// e to the power `x`, accurate to about one unit in the last place. Requires x <= 700.
double exponential(double x);

/// Turns scores into probabilities, in place. Requires at least one.
void softmax(std::span<double> scores);

}  // namespace shrubs
