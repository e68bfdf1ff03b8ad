#pragma once

// The product of the Gram matrix with the weights.

#include <cstdint>
#include <span>

#include "shrubs/paper/gram.hpp"

namespace shrubs {

/// (Q w)_i for i = `from`, ..., `to` - 1; nothing else is written. Each adds up in ascending k,
/// whatever the range. `weights` has one entry per member.
void multiply(const Gram& gram, std::span<const double> weights, std::uint32_t from,
              std::uint32_t to, std::span<double> product);

}  // namespace shrubs
