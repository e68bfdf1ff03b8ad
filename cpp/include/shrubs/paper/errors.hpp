#pragma once

// Where a shrub predicts otherwise than the labels of the window it was grown on.
//
// The error of an example is q(x_j) - y_j, in fixed point. A pure leaf predicts its labels, so
// only the examples of impure leaves have one. Products with a shrub are those with the labels, and
// a few errors.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/paper/members.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// Writes the slots of the examples whose error is not zero, at most (B,), and returns their
/// number.
std::size_t find_errors(const Members& members, std::uint32_t shrub, const Window& window,
                        std::span<std::uint16_t> slots);

struct ErrorSums {
    std::int64_t of_labels = 0;  ///< entries of the errors for the labels of their examples
    std::int64_t of_first = 0;   ///< entries of class 0
};
/// Writes the errors of some examples, measured from their entry of class 0: (slots, C).
ErrorSums measure_errors(const Members& members, std::uint32_t shrub, const Window& window,
                         std::span<const std::uint16_t> slots, std::span<std::int32_t> errors);

/// The sum of <q_i, error> over these examples, with the errors measured from their entry of class
/// 0. (The entries of q_i sum to one: fixed_one * `of_first` is what that leaves out.)
std::int64_t sum_products(const Members& members, std::uint32_t i,
                          std::span<const std::uint16_t> slots,
                          std::span<const std::int32_t> errors);

}  // namespace shrubs
