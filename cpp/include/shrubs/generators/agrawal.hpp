#pragma once

// Loan applicants of ten kinds (Agrawal, Imielinski and Swami, 1993), as MOA generates them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/numerics/random.hpp"

namespace shrubs {

struct AgrawalOptions {
    std::uint64_t seed = 1;
    std::uint32_t function = 1;  ///< the class rule, 1 to 10
    double perturbation = 0.05;  ///< how far numbers move after labelling, as part of their range
    bool balance = false;        ///< alternate the classes
    bool one_hot = false;        ///< nominal features as one column per category, in their place
};

/// Features: salary, commission, age, education, car, zip code, house value, years, loan.
class Agrawal {
 public:
    explicit Agrawal(const AgrawalOptions& options) : random_(options.seed, 0), options_(options) {}

    std::size_t n_features() const { return options_.one_hot ? 40 : 9; }

    /// Writes the next example's features, `x` is (n_features,), and returns its label.
    std::uint16_t next(std::span<float> x);

 private:
    Random random_;
    AgrawalOptions options_;
    std::uint16_t next_class_ = 1;
};

}  // namespace shrubs
