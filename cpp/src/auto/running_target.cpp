#include "shrubs/auto/running_target.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "shrubs/numerics/quick_math.hpp"

namespace shrubs {

namespace {

constexpr double most_deviations = 100.0;
constexpr double least_variance = 1e-300;

double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

// floor(log2 |y|) from -1022 to 1022.
int exponent_of(double y) {
    const auto biased = static_cast<int>((std::bit_cast<std::uint64_t>(y) >> 52U) & 0x7FFU);
    return std::clamp(biased - 1023, -1022, 1022);
}

}  // namespace

bool RunningTarget::is_valid(const State& state) {
    return state.exponent >= -1022 && state.exponent <= 1022 && state.seen <= longest &&
           state.mean >= -4.0 && state.mean <= 4.0 && state.variance >= 0.0 &&
           state.variance <= 64.0;
}

double RunningTarget::down() const {
    return power_of_two(-state_.exponent);
}

double RunningTarget::deviation() const {
    return state_.variance > least_variance ? state_.variance * inverse_root(state_.variance) : 1.0;
}

double RunningTarget::standardise(double y) const {
    if (state_.seen == 0) {
        return 0.0;
    }
    const double z = (y * down() - state_.mean) / deviation();
    return std::clamp(z, -most_deviations, most_deviations);
}

double RunningTarget::restore(double z) const {
    constexpr double largest = std::numeric_limits<double>::max();
    const double y = (z * deviation() + state_.mean) * power_of_two(state_.exponent);
    return std::clamp(y, -largest, largest);
}

void RunningTarget::learn(double y) {
    const int exponent = exponent_of(y);
    if (state_.seen == 0 || exponent > state_.exponent) {
        const int rise = state_.seen == 0 ? 0 : std::min(exponent - state_.exponent, 1022);
        state_.mean *= power_of_two(-rise);
        state_.variance *= power_of_two(-rise) * power_of_two(-rise);
        state_.exponent = exponent;
    }
    state_.seen = std::min(state_.seen + 1, longest);
    const double share = 1.0 / state_.seen;
    const double difference = y * down() - state_.mean;
    state_.mean += share * difference;
    if (state_.seen > 1) {
        state_.variance += share * (difference * difference - state_.variance);
    }
}

}  // namespace shrubs
