#pragma once

// The two sides of a rotating hyperplane (Hulten, Spencer and Domingos, 2001), as in MOA.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shrubs/numerics/random.hpp"

namespace shrubs {

struct HyperplaneOptions {
    std::uint64_t seed = 1;
    std::uint32_t n_features = 10;
    std::uint32_t n_drift_features = 2;  ///< the first ones change their weight, <= n_features
    double magnitude = 0.0;              ///< change of these weights after every example
    double noise = 0.05;                 ///< probability that the label is flipped
    double reversal = 0.1;               ///< probability that a weight's change turns round
};

/// Features in [0, 1); class 1 if their weighted sum reaches half the sum of the weights.
class Hyperplane {
 public:
    explicit Hyperplane(const HyperplaneOptions& options);

    std::size_t n_features() const { return weights_.size(); }
    std::size_t memory_bytes() const;

    /// Writes the next example's features, `x` is (n_features,), and returns its label.
    std::uint16_t next(std::span<float> x);

 private:
    void rotate();

    Random random_;
    double noise_;
    double reversal_;
    std::vector<double> weights_;  // (n_features,)
    std::vector<double> changes_;  // (n_drift_features,), +magnitude or -magnitude
};

}  // namespace shrubs
