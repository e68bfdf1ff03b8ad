#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace shrubs {

/// Projects `weights` onto the vectors that are nonnegative, sum to one and have at most
/// `max_shrubs` nonzero entries (the prox operator of Algorithm 1, lines 10 and 11), in place.
///
/// The order of the entries is kept. Of equal weights, the earlier one survives.
/// Requires `max_shrubs >= 1`, finite weights, and an `order` (scratch) as long as `weights`. If
/// the last call was for the first `n_ordered` of these weights and has left its order, which
/// seldom changes much, that is where sorting begins.
void project_sparse_simplex(std::span<double> weights, std::size_t max_shrubs,
                            std::span<std::uint16_t> order, std::size_t n_ordered = 0);

/// What is not larger than this gets no weight, and changes nothing, if it joins `weights` before
/// they are projected; up to rounding. The arguments are those above.
double find_least_weight(std::span<const double> weights, std::size_t max_shrubs,
                         std::span<std::uint16_t> order, std::size_t n_ordered = 0);

/// Whether a weight is certain not to be larger than the least one: rounding may lift a computed
/// weight a little above the bound that holds for the exact one.
inline bool is_too_small(double weight, double least) {
    constexpr double safety = 1e-9;
    return weight + safety * (1.0 + std::abs(weight)) <= least;
}

}  // namespace shrubs
