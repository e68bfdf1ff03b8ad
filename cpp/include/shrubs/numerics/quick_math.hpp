#pragma once

// Logarithm and inverse square root to about seven and fifteen digits: few operations, the same
// bits on every platform, no libm.

#include <bit>
#include <cstdint>

namespace shrubs {

/// Requires a normal number above 0.
inline double quick_logarithm(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    // A whole number in the last bits of 2^52, so that several are taken at a time.
    const double exponent =
        std::bit_cast<double>(bits >> 52U | 0x4330000000000000U) - (0x1p52 + 1023.0);
    const auto m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFU) | 0x3FF0000000000000U);
    constexpr double root = 1.4142135623730951;
    const double z = (m - root) / (m + root);
    const double square = z * z;
    const double series = 1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0)));
    return (exponent + 0.5) * 0.6931471805599453 + 2.0 * z * series;
}

/// Requires a normal number above 0.
inline double inverse_root(double x) {
    double y = std::bit_cast<double>(0x5FE6EB50C7B537A9U - (std::bit_cast<std::uint64_t>(x) >> 1U));
    for (int i = 0; i < 4; ++i) {
        y = y * (1.5 - 0.5 * x * y * y);
    }
    return y;
}

}  // namespace shrubs
