#include "shrubs/auto/feature_scale.hpp"

#include <algorithm>
#include <limits>

namespace shrubs {

namespace {

// No value is beyond the largest float, no difference beyond twice that.
bool is_mean(double value) {
    constexpr double largest = 2.0 * std::numeric_limits<float>::max();
    return value >= -largest && value <= largest;
}
bool is_variance(double value) {
    constexpr double largest = 4.0 * std::numeric_limits<float>::max();
    return value >= 0.0 && value <= largest * largest;
}

}  // namespace

FeatureScale::Memory FeatureScale::reserve(Arena& arena, std::uint32_t n_features) {
    return {.means = arena.array<double>(Purpose::weights, n_features),
            .variances = arena.array<double>(Purpose::weights, n_features),
            .seen = arena.array<std::uint16_t>(Purpose::weights, n_features),
            .binary = arena.array<std::uint8_t>(Purpose::weights, n_features),
            .standardised = arena.array<float>(Purpose::scratch, n_features)};
}

void FeatureScale::begin() {
    std::ranges::fill(memory_.binary, std::uint8_t{1});
}

std::span<const float> FeatureScale::standardise(std::span<const float> x) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] != x[i] || is_category(i)) {
            memory_.standardised[i] = 0.0F;
            continue;
        }
        memory_.standardised[i] = standardised(x[i], memory_.means[i], inverse_deviation(i));
    }
    return memory_.standardised;
}

void FeatureScale::learn(std::span<const float> x) {
    for (std::size_t i = 0; i < size(); ++i) {
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

void FeatureScale::forget(std::size_t feature) {
    if (feature >= size()) {
        return;
    }
    memory_.means[feature] = 0.0;
    memory_.variances[feature] = 0.0;
    memory_.seen[feature] = 0;
    memory_.binary[feature] = 1;
}

void FeatureScale::archive(Archive& archive, std::uint64_t examples_seen) {
    const std::uint64_t max_seen = std::min<std::uint64_t>(examples_seen, longest);
    archive.array(memory_.means, is_mean);
    archive.array(memory_.variances, is_variance);
    archive.array(memory_.seen, [&](std::uint16_t seen) { return seen <= max_seen; });
    archive.array(memory_.binary, [](std::uint8_t flag) { return flag <= 1; });
}

void FeatureScale::copy_from(const FeatureScale& other) {
    if (size() < other.size()) {
        return;  // nobody here needs it
    }
    std::ranges::copy(other.memory_.means, memory_.means.begin());
    std::ranges::copy(other.memory_.variances, memory_.variances.begin());
    std::ranges::copy(other.memory_.seen, memory_.seen.begin());
    std::ranges::copy(other.memory_.binary, memory_.binary.begin());
}

}  // namespace shrubs
