#pragma once

// Blocks of examples from a generator of single ones.

#include <cstddef>
#include <cstdint>
#include <span>

namespace shrubs {

/// Writes one example per entry of `y`: its label there, its features in the same row of `X`,
/// which is (y.size(), n_features) by rows.
template <class Generator>
void fill_rows(Generator& generator, std::span<float> X, std::span<std::int64_t> y) {
    const std::size_t n_features = generator.n_features();
    for (std::size_t row = 0; row < y.size(); ++row) {
        y[row] = generator.next(X.subspan(row * n_features, n_features));
    }
}

}  // namespace shrubs
