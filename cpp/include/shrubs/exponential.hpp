#pragma once

// The exponential of the cross-entropy loss: the same bits on every platform, no libm.

namespace shrubs {

/// e to the power `x`, accurate to about one unit in the last place. Requires x <= 700.
double exponential(double x);

}  // namespace shrubs
