#pragma once

// Any one of the generators.

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "shrubs/generators/agrawal.hpp"
#include "shrubs/generators/hyperplane.hpp"
#include "shrubs/generators/led.hpp"
#include "shrubs/generators/random_rbf.hpp"
#include "shrubs/generators/sea.hpp"
#include "shrubs/generators/sine.hpp"

namespace shrubs {

using AnyGenerator = std::variant<Agrawal, Hyperplane, Led, RandomRbf, Sea, Sine>;

inline std::size_t n_features(const AnyGenerator& generator) {
    return std::visit([](const auto& one) { return one.n_features(); }, generator);
}

inline std::size_t memory_bytes(const AnyGenerator& generator) {
    const auto owned = [](const auto& one) -> std::size_t {
        if constexpr (requires { one.memory_bytes(); }) {
            return one.memory_bytes() - sizeof(one);
        } else {
            return 0;
        }
    };
    return sizeof(generator) + std::visit(owned, generator);
}

/// Writes one example per entry of `y`: its label there, its features in the same row of `X`,
/// which is (y.size(), n_features) by rows.
inline void fill(AnyGenerator& generator, std::span<float> X, std::span<std::int64_t> y) {
    std::visit(
        [&](auto& one) {
            const std::size_t n_features = one.n_features();
            for (std::size_t row = 0; row < y.size(); ++row) {
                y[row] = one.next(X.subspan(row * n_features, n_features));
            }
        },
        generator);
}

}  // namespace shrubs
