#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace shrubs {

/// Projects `weights` onto the vectors that are nonnegative, sum to one and have at most
/// `max_shrubs` nonzero entries (the prox operator of Algorithm 1, lines 10 and 11), in place.
///
/// The order of the entries is kept. Of equal weights, the earlier one survives.
/// Requires `max_shrubs >= 1`, finite weights, and an `order` (scratch) as long as `weights`.
void project_sparse_simplex(std::span<double> weights, std::size_t max_shrubs,
                            std::span<std::uint16_t> order);

}  // namespace shrubs
