#pragma once

// Points above and below a sine curve (Gama et al., 2004), as MOA draws them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/numerics/random.hpp"

namespace shrubs {

struct SineOptions {
    std::uint64_t seed = 1;
    std::uint32_t function = 1;       ///< the curve and which side is positive, 1 to 4
    bool irrelevant_features = true;  ///< two more features that the label does not depend on
    bool balance = false;             ///< alternate the classes
};

/// Features in [0, 1). The label is 0 (positive) or 1 (negative).
class Sine {
 public:
    explicit Sine(const SineOptions& options) : random_(options.seed, 0), options_(options) {}

    std::size_t n_features() const { return options_.irrelevant_features ? 4 : 2; }

    /// Writes the next example's features, `x` is (n_features,), and returns its label.
    std::uint16_t next(std::span<float> x);

 private:
    Random random_;
    SineOptions options_;
    std::uint16_t next_class_ = 1;
};

}  // namespace shrubs
