#pragma once

// The digits of a seven-segment display with noise (Breiman et al., 1984), as MOA draws them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/numerics/random.hpp"

namespace shrubs {

struct LedOptions {
    std::uint64_t seed = 1;
    std::uint32_t n_drift_features = 0;  ///< segments that change places with irrelevant bits, <= 7
    double noise = 0.1;                  ///< probability that a segment is flipped
    bool one_hot = false;                ///< two columns per bit: is it 0, is it 1
};

/// Seven segments and 17 irrelevant bits; the label is the digit.
class Led {
 public:
    explicit Led(const LedOptions& options);

    std::size_t n_features() const { return one_hot_ ? 48 : 24; }

    /// Writes the next example's features, `x` is (n_features,), and returns its label.
    std::uint16_t next(std::span<float> x);

 private:
    Random random_;
    std::uint64_t flip_below_;  // of 2^32
    std::uint32_t swapped_;     // bit i: segment i is swapped
    bool one_hot_;
};

}  // namespace shrubs
