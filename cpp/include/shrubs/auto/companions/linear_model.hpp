#pragma once

// A linear model by adaptive gradient steps: softmax for classes, squared loss for targets.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/feature_scale.hpp"

namespace shrubs {

/// Works on memory that it does not own. One row of weights per feature, one for the constant, and
/// one per bucket of categories.
class LinearModel {
 public:
    struct Memory {
        std::span<float> weights;  ///< ((d + 1 + n_buckets) * W,)
        std::span<float> squares;  ///< the same: sums of squared gradients
    };

    LinearModel() = default;
    LinearModel(const Memory& memory, std::size_t width, std::uint32_t n_buckets)
        : memory_(memory), width_(width), n_buckets_(n_buckets) {}

    /// The scores of all outputs, in `scores`.
    void score(std::span<const float> x, std::span<const float> standardised,
               const FeatureScale& scale, std::span<double> scores) const;
    /// One step against `gradient` (W,).
    void learn(std::span<const float> x, std::span<const float> standardised,
               const FeatureScale& scale, std::span<const double> gradient);

    const Memory& memory() const { return memory_; }

 private:
    // `each(first weight, value)` for every row that takes part.
    template <class Each>
    void for_each_row(std::span<const float> x, std::span<const float> standardised,
                      const FeatureScale& scale, Each each) const;

    Memory memory_;
    std::size_t width_ = 0;
    std::uint32_t n_buckets_ = 0;
};

}  // namespace shrubs
