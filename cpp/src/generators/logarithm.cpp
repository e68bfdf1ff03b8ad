#include "shrubs/generators/logarithm.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace shrubs {

namespace {

// 1/(2i + 1) for i = 10, ..., 0: on |z| < 0.172 the first term left out is below 1e-18.
constexpr std::array<double, 11> artanh = {1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0,
                                           1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0,  1.0 / 7.0,
                                           1.0 / 5.0,  1.0 / 3.0,  1.0};

constexpr double sqrt_2 = 1.4142135623730951;
// ln(2) in two parts: the product of the first with a small integer is exact.
constexpr double ln2_high = 0.693147180369123816490;
constexpr double ln2_low = 1.90821492927058770002e-10;

}  // namespace

double logarithm(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<std::int32_t>(bits >> 52U) - 1023;
    const auto mantissa = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFU) | 0x3FF0000000000000U);
    const bool is_large = mantissa > sqrt_2;
    const double m = is_large ? mantissa * 0.5 : mantissa;
    const auto k = static_cast<double>(is_large ? exponent + 1 : exponent);
    const double z = (m - 1.0) / (m + 1.0);
    const double z_squared = z * z;
    double series = artanh[0];
    for (std::size_t i = 1; i < artanh.size(); ++i) {
        series = series * z_squared + artanh[i];
    }
    return k * ln2_high + (k * ln2_low + 2.0 * z * series);
}

}  // namespace shrubs
