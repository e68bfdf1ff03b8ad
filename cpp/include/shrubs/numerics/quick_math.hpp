#pragma once

// Logarithm and inverse square root to about seven and fifteen digits: few operations, the same
// bits on every platform, no libm.

#include <bit>
#include <cstdint>

namespace shrubs {

/// One double, as kernels see it that take several side by side.
struct OneDouble {
    double of;

    static OneDouble all(double value) { return {value}; }
    OneDouble operator+(const OneDouble& b) const { return {of + b.of}; }
    OneDouble operator-(const OneDouble& b) const { return {of - b.of}; }
    OneDouble operator*(const OneDouble& b) const { return {of * b.of}; }
    OneDouble operator/(const OneDouble& b) const { return {of / b.of}; }
    /// Bits, as those of a whole number.
    OneDouble operator&(std::uint64_t bits) const { return from(word() & bits); }
    OneDouble operator|(std::uint64_t bits) const { return from(word() | bits); }
    OneDouble operator>>(int n) const { return from(word() >> n); }

 private:
    std::uint64_t word() const { return std::bit_cast<std::uint64_t>(of); }
    static OneDouble from(std::uint64_t word) { return {std::bit_cast<double>(word)}; }
};

/// Requires normal numbers above 0.
template <class Doubles>
[[gnu::always_inline]] inline Doubles quick_logarithms(const Doubles& x) {
    // A whole number in the last bits of 2^52, so that several are taken at a time.
    const Doubles exponent = (x >> 52 | 0x4330000000000000U) - Doubles::all(0x1p52 + 1023.0);
    const Doubles m = (x & 0xFFFFFFFFFFFFFU) | 0x3FF0000000000000U;
    const Doubles root = Doubles::all(1.4142135623730951);
    const Doubles z = (m - root) / (m + root);
    const Doubles square = z * z;
    const Doubles inner = Doubles::all(1.0 / 5.0) + square * Doubles::all(1.0 / 7.0);
    const Doubles series = Doubles::all(1.0) + square * (Doubles::all(1.0 / 3.0) + square * inner);
    return (exponent + Doubles::all(0.5)) * Doubles::all(0.6931471805599453) +
           Doubles::all(2.0) * z * series;
}

/// Requires a normal number above 0.
inline double quick_logarithm(double x) {
    return quick_logarithms(OneDouble{x}).of;
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
