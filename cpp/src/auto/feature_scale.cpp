#include "shrubs/auto/feature_scale.hpp"

#include <algorithm>

#include "shrubs/numerics/quick_math.hpp"

namespace shrubs {

void FeatureScale::begin() {
    std::ranges::fill(memory_.binary, std::uint8_t{1});
}

std::span<const float> FeatureScale::standardise(std::span<const float> x) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] != x[i] || is_category(i)) {
            memory_.standardised[i] = 0.0F;
            continue;
        }
        const double deviations =
            (x[i] - memory_.means[i]) * inverse_root(memory_.variances[i] + 1e-12);
        memory_.standardised[i] = static_cast<float>(std::clamp(deviations, -3.0, 3.0));
    }
    return memory_.standardised;
}

void FeatureScale::learn(std::span<const float> x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] != x[i]) {
            continue;
        }
        if (x[i] != 0.0F && x[i] != 1.0F) {
            memory_.binary[i] = 0;
        }
        if (is_category(i)) {
            continue;
        }
        if (memory_.seen[i] < longest) {
            ++memory_.seen[i];
        }
        const double share = 1.0 / memory_.seen[i];
        const double difference = x[i] - memory_.means[i];
        memory_.means[i] += share * difference;
        if (memory_.seen[i] > 1) {
            memory_.variances[i] += share * (difference * difference - memory_.variances[i]);
        }
    }
}

}  // namespace shrubs
