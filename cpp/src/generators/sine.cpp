#include "shrubs/generators/sine.hpp"

#include <array>

namespace shrubs {

namespace {

constexpr double pi = 3.141592653589793;
// The same in two parts: the product of the first with a small integer is exact.
constexpr double pi_high = 3.1415926218032837;
constexpr double pi_low = 3.178650954705639e-08;

// 1/(2i + 1)! for i = 10, ..., 0: on |r| <= pi/2 the first term left out is below 1e-17.
constexpr std::array<double, 11> taylor = {1.0 / 51090942171709440000.0,
                                           1.0 / 121645100408832000.0,
                                           1.0 / 355687428096000.0,
                                           1.0 / 1307674368000.0,
                                           1.0 / 6227020800.0,
                                           1.0 / 39916800.0,
                                           1.0 / 362880.0,
                                           1.0 / 5040.0,
                                           1.0 / 120.0,
                                           1.0 / 6.0,
                                           1.0};

// The same bits on every platform, no libm. Requires x in [0, 10].
double portable_sine(double x) {
    const auto k = static_cast<std::int32_t>(x / pi + 0.5);
    const auto kd = static_cast<double>(k);
    const double r = (x - kd * pi_high) - kd * pi_low;
    const double r_squared = r * r;
    double series = taylor[0];
    for (std::size_t i = 1; i < taylor.size(); ++i) {
        series = taylor[i] - series * r_squared;
    }
    return k % 2 == 0 ? r * series : -r * series;
}

double curve(std::uint32_t function, double x) {
    return function <= 2 ? portable_sine(x) : 0.5 + 0.3 * portable_sine(3.0 * pi * x);
}

}  // namespace

std::uint16_t Sine::next(std::span<float> x) {
    const bool is_positive_below = options_.function % 2 == 1;
    std::uint16_t label = 0;
    do {
        const double a = random_.uniform();
        const double b = random_.uniform();
        x[0] = static_cast<float>(a);
        x[1] = static_cast<float>(b);
        label = (b < curve(options_.function, a)) == is_positive_below ? 0 : 1;
    } while (options_.balance && label != next_class_);
    next_class_ = label ^ 1U;
    for (float& irrelevant : x.subspan(2)) {
        irrelevant = static_cast<float>(random_.uniform());
    }
    return label;
}

}  // namespace shrubs
