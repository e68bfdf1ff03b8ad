#pragma once

// Mean and variance of each feature, forgotten slowly, for the experts that need a common scale.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/memory/arena.hpp"
#include "shrubs/numerics/quick_math.hpp"
#include "shrubs/state/archive.hpp"

namespace shrubs {

class FeatureScale {
 public:
    /// Later examples count as if so many had been seen.
    static constexpr std::uint16_t longest = 1000;

    struct Memory {
        std::span<double> means;                     ///< (d,)
        std::span<double> variances;                 ///< (d,)
        std::span<std::uint16_t> seen;               ///< (d,) present values
        std::span<std::uint8_t> binary;              ///< (d,) 1: all values so far were 0 or 1
        std::span<float> standardised;               ///< (d,) scratch
        std::span<const std::uint8_t> nominal = {};  ///< (d,) the window's
    };

    static Memory reserve(Arena& arena, std::uint32_t n_features);

    FeatureScale() = default;
    explicit FeatureScale(const Memory& memory) : memory_(memory) {}

    /// Before the first example.
    void begin();

    std::size_t size() const { return memory_.means.size(); }
    bool is_nominal(std::size_t feature) const { return memory_.nominal[feature] != 0; }
    bool is_binary(std::size_t feature) const { return memory_.binary[feature] != 0; }
    /// Nominal, with more categories than 0 and 1. Two of them are as good as a number.
    bool is_category(std::size_t feature) const {
        return is_nominal(feature) && !is_binary(feature);
    }
    double mean(std::size_t feature) const { return memory_.means[feature]; }
    double variance(std::size_t feature) const { return memory_.variances[feature]; }
    /// One over the deviation.
    double inverse_deviation(std::size_t feature) const {
        return inverse_root(memory_.variances[feature] + 1e-12);
    }
    /// Present values, at most `longest`.
    std::uint32_t seen(std::size_t feature) const { return memory_.seen[feature]; }

    /// In deviations from the mean, at most 3.
    static float standardised(float value, double mean, double inverse_deviation) {
        return static_cast<float>(std::clamp((value - mean) * inverse_deviation, -3.0, 3.0));
    }
    /// The same of all features, and 0 for missing values.
    std::span<const float> standardise(std::span<const float> x) const;
    /// Those of the last `x`, until something is learned.
    std::span<const float> standardised() const { return memory_.standardised; }
    void learn(std::span<const float> x);
    /// The feature is as new.
    void forget(std::size_t feature);

    /// What is read must fit so many examples.
    void archive(Archive& archive, std::uint64_t examples_seen);
    void copy_from(const FeatureScale& other);

 private:
    Memory memory_;
};

}  // namespace shrubs
