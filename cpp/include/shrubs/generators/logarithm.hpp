#pragma once

// The logarithm behind normal random numbers: the same bits on every platform, no libm.

namespace shrubs {

/// The natural logarithm of `x`, accurate to about two units in the last place. Requires a normal
/// number above 0.
double logarithm(double x);

}  // namespace shrubs
