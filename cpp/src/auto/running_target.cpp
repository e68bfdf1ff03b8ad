#include "shrubs/auto/running_target.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "shrubs/numerics/quick_math.hpp"

namespace shrubs {

namespace {

constexpr double max_target_deviations = 100.0;
constexpr double least_target_variance = 1e-300;

double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

// floor(log2 |y|) from -1022 to 1022.
int exponent_of(double y) {
    const auto biased = static_cast<int>((std::bit_cast<std::uint64_t>(y) >> 52U) & 0x7FFU);
    return std::clamp(biased - 1023, -1022, 1022);
}

}  // namespace

void RunningTarget::archive(Archive& archive, std::uint64_t examples_seen) {
    archive.value(exponent_);
    archive.value(seen_);
    archive.value(mean_);
    archive.value(variance_);
    archive.value(low_);
    archive.value(high_);
    archive.value(is_record_);
    archive.require(is_finite(low_) && is_finite(high_) && low_ <= high_ && is_record_ <= 1);
    archive.require(exponent_ >= -1022 && exponent_ <= 1022 &&
                    seen_ == std::min<std::uint64_t>(examples_seen, longest) && mean_ >= -4.0 &&
                    mean_ <= 4.0 && variance_ >= 0.0 && variance_ <= 64.0);
}

double RunningTarget::down() const {
    return power_of_two(-exponent_);
}

double RunningTarget::deviation() const {
    return variance_ > least_target_variance ? variance_ * inverse_root(variance_) : 1.0;
}

double RunningTarget::standardise(double y) const {
    if (seen_ == 0) {
        return 0.0;
    }
    const double z = (y * down() - mean_) / deviation();
    return std::clamp(z, -max_target_deviations, max_target_deviations);
}

double RunningTarget::restore(double z) const {
    constexpr double largest = std::numeric_limits<double>::max();
    const double y = (z * deviation() + mean_) * power_of_two(exponent_);
    return std::clamp(y, -largest, largest);
}

void RunningTarget::learn(double y) {
    is_record_ = seen_ == 0 || !contains(y) ? 1 : 0;
    low_ = seen_ == 0 ? y : std::min(low_, y);
    high_ = seen_ == 0 ? y : std::max(high_, y);
    const int exponent = exponent_of(y);
    if (seen_ == 0 || exponent > exponent_) {
        const int rise = seen_ == 0 ? 0 : std::min<std::int32_t>(exponent - exponent_, 1022);
        mean_ *= power_of_two(-rise);
        variance_ *= power_of_two(-rise) * power_of_two(-rise);
        exponent_ = exponent;
    }
    seen_ = std::min(seen_ + 1, longest);
    const double share = 1.0 / seen_;
    const double difference = y * down() - mean_;
    mean_ += share * difference;
    if (seen_ > 1) {
        variance_ += share * (difference * difference - variance_);
    }
}

}  // namespace shrubs
