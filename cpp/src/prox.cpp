#include "shrubs/prox.hpp"

#include <algorithm>
#include <numeric>

namespace shrubs {

void project_sparse_simplex(std::span<double> weights, std::size_t max_shrubs,
                            std::span<std::uint16_t> order) {
    order = order.first(weights.size());
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
        return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
    });
    const std::size_t n_kept = std::min(max_shrubs, weights.size());

    // tau is taken at the largest j with w_(j) > (w_(1) + ... + w_(j) - 1) / j. (The paper prints
    // the -1 inside the sum; docs/algorithm.md shows why that cannot be meant.) The projection does
    // not change when all weights move by the same amount; measured from the largest one, j = 1
    // always holds, however large the weights are.
    const double largest = weights[order[0]];
    double sum = 0.0;
    double tau = 0.0;
    for (std::size_t j = 0; j < n_kept; ++j) {
        const double weight = weights[order[j]] - largest;
        sum += weight;
        const double candidate = (sum - 1.0) / static_cast<double>(j + 1);
        if (weight > candidate) {
            tau = candidate;
        }
    }
    for (std::size_t j = 0; j < weights.size(); ++j) {
        double& weight = weights[order[j]];
        const double projected = (weight - largest) - tau;
        weight = j < n_kept && projected > 0.0 ? projected : 0.0;
    }
}

}  // namespace shrubs
