#include "shrubs/tree/targets.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace shrubs {

namespace {

double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

// floor(log2(a)) of a finite a > 0, not below the smallest normal exponent.
int exponent_of(double a) {
    const auto biased = static_cast<int>(std::bit_cast<std::uint64_t>(a) >> 52U);
    return std::max(biased - 1023, -1022);
}

// Above 2^1022 its inverse would be subnormal: exact all the same, but slow and lossy to go back.
constexpr int largest_exponent = 1022;

}  // namespace

double TargetScale::squared() const {
    return std::min(up * up, 1e100);
}

double TargetScale::scaled_prediction(double y) const {
    return std::clamp(y * down, -1e100, 1e100) - centre;
}

double TargetScale::unscaled(double z) const {
    constexpr double largest = std::numeric_limits<double>::max();
    return std::clamp((z + centre) * up, -largest, largest);
}

TargetScale scale_targets(const Window& window, std::span<double> centred) {
    double largest = 0.0;
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const double target = window.targets()[window.slot(age)];
        largest = std::max(largest, target < 0.0 ? -target : target);
    }
    const int exponent = largest > 0.0 ? std::min(exponent_of(largest), largest_exponent) : 0;
    TargetScale scale{power_of_two(-exponent), power_of_two(exponent)};
    double sum = 0.0;
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        centred[slot] = window.targets()[slot] * scale.down;
        sum += centred[slot];
    }
    scale.centre = sum / static_cast<double>(window.size());
    double squares = 0.0;
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        double& z = centred[window.slot(age)];
        z -= scale.centre;
        squares += z * z;
    }
    const double variance = squares / static_cast<double>(window.size());
    scale.variance = variance < 1e-300 ? 1.0 : variance;
    return scale;
}

}  // namespace shrubs
