#pragma once

// Sums against a threshold (Street and Kim, 2001), as MOA draws them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/numerics/random.hpp"

namespace shrubs {

struct SeaOptions {
    std::uint64_t seed = 1;
    std::uint32_t function = 1;  ///< the threshold, 1 to 4
    double noise = 0.1;          ///< probability that the label is flipped
    bool balance = false;        ///< alternate the classes, before the noise
};

/// Three features in [0, 10); class 0 if the first two sum to at most the threshold.
class Sea {
 public:
    explicit Sea(const SeaOptions& options);

    std::size_t n_features() const { return 3; }

    /// Writes the next example's features, `x` is (n_features,), and returns its label.
    std::uint16_t next(std::span<float> x);

 private:
    Random random_;
    double threshold_;
    double noise_;
    bool balance_;
    std::uint16_t next_class_ = 1;
};

}  // namespace shrubs
