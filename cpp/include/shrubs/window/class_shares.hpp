#pragma once

// How often classes are taken to come, and probabilities as if they all came equally often.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/window/window.hpp"

namespace shrubs {

/// The examples of each class in a window, and one more: so none is taken never to come.
inline void count_classes(const Window& window, std::span<double> shares) {
    std::ranges::fill(shares, 1.0);
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        shares[window.labels()[window.slot(age)]] += 1.0;
    }
}

/// The same once an example of this class is in the window. Call it before.
inline void count_next_class(const Window& window, std::uint16_t label, std::span<double> shares) {
    if (window.is_full()) {
        shares[window.labels()[window.slot(0)]] -= 1.0;
    }
    shares[label] += 1.0;
}

/// Divides probabilities by the shares of their classes, so that they sum to one again. They come
/// from `n_examples`, and so few cannot tell that a class never comes: one example more, of all
/// classes alike, is added.
inline void divide_by_shares(std::span<const double> shares, double n_examples,
                             std::span<double> f) {
    const double more = 1.0 / (std::max(n_examples, 1.0) * static_cast<double>(f.size()));
    double sum = 0.0;
    for (std::size_t c = 0; c < f.size(); ++c) {
        f[c] = (f[c] + more) / shares[c];
        sum += f[c];
    }
    for (double& p : f) {
        p /= sum;
    }
}

}  // namespace shrubs
