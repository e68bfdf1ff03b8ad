#pragma once

// The streams that the benchmarks learn from: something to learn, label noise, and drift.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shrubs/numerics/random.hpp"

namespace shrubs::plain {

/// Examples of one of two streams, the same ones on every machine.
///
/// rotating: features uniform in [-1, 1). Every class has a direction in each pair of neighbouring
///           features, equally spaced around the circle; the label is the class with the largest
///           inner product. The directions turn by a full circle every 20,000 examples. A tenth of
///           the labels is drawn at random.
/// led:      binary features. The label is a digit, the first 7 features are its segments, each
///           flipped with probability 0.1; the others are coin flips. Every 1,000 examples another
///           7 neighbouring features take the place of the segments.
class DriftingStream {
 public:
    enum class Kind : std::uint8_t { rotating, led };

    DriftingStream(Kind kind, std::uint32_t n_features, std::uint32_t n_classes)
        : kind_(kind), n_features_(n_features), n_classes_(n_classes), random_(1, 0) {}

    /// Writes the features of the next example, `(n_features,)`, and returns its label.
    std::uint16_t next(std::span<float> x);

 private:
    std::uint16_t next_rotating(std::span<float> x);
    std::uint16_t next_led(std::span<float> x);

    Kind kind_;
    std::uint32_t n_features_;
    std::uint32_t n_classes_;
    Random random_;
    std::uint64_t n_given_ = 0;
};

}  // namespace shrubs::plain
