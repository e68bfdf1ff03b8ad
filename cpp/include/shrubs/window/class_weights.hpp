#pragma once

// Weights of classes: what they are where classes are to be balanced, and what they do.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/numerics/quick_math.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// (n + 1) to the power -3/4, for a class with n examples in the window. The power -1 would be
/// right for probabilities that are; those of an ensemble are too cautious.
inline double balancing_weight(std::uint32_t n) {
    const double root = inverse_root(static_cast<double>(n) + 1.0);
    return root * (root * inverse_root(root));
}

/// The examples of each class in a window.
inline void count_classes(const Window& window, std::span<std::uint32_t> counts) {
    std::ranges::fill(counts, 0U);
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        ++counts[window.labels()[window.slot(age)]];
    }
}

/// Multiplies probabilities by the weights of their classes, so that they sum to one again. They
/// come from `n_examples`, and so few cannot tell that a class never comes: one example more, of
/// all classes alike, is added.
inline void weigh(std::span<const double> weights, std::uint32_t n_examples, std::span<double> f) {
    const double more = 1.0 / (std::max<double>(n_examples, 1.0) * static_cast<double>(f.size()));
    double sum = 0.0;
    for (std::size_t c = 0; c < f.size(); ++c) {
        f[c] = (f[c] + more) * weights[c];
        sum += f[c];
    }
    for (double& p : f) {
        p /= sum;
    }
}

}  // namespace shrubs
