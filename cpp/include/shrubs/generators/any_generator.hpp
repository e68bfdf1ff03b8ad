#pragma once

// Any one of the generators.

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

inline void fill(AnyGenerator& generator, std::span<float> X, std::span<std::int64_t> y) {
    std::visit([&](auto& one) { one.fill(X, y); }, generator);
}

}  // namespace shrubs
