#pragma once

// What a shrub predicts for the examples of the window otherwise than something known: than another
// shrub, or than the labels.
//
// The error of an example is q_shrub(x_j) - q_known(x_j). Two shrubs grown one after the other
// differ in few examples, and a shrub differs from the labels in its impure leaves only. So
// products with a shrub are those with what is known, and a few errors.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/paper/members.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

struct Comparison {
    /// Requires that the shrub was grown on this window: its pure leaves predict the labels.
    static constexpr std::uint32_t labels = 0xFFFFFFFF;

    const Members& members;
    const Window& window;
    std::uint32_t shrub = 0;       ///< a member
    std::uint32_t known = labels;  ///< another member, or the labels
};

/// Writes the slots of the examples whose error is not zero, at most (B,), in the order of
/// `Window::for_each_slot`, and returns their number.
std::size_t find_errors(const Comparison& comparison, std::span<std::uint16_t> slots);

struct ErrorSums {
    std::int64_t of_labels = 0;  ///< entries of the errors for the labels of their examples
    std::int64_t of_first = 0;   ///< entries of class 0
};
/// Writes the errors of some examples, measured from their entry of class 0: (slots, C).
ErrorSums measure_errors(const Comparison& comparison, std::span<const std::uint16_t> slots,
                         std::span<std::int32_t> errors);

/// The sum of <q_i, error> over these examples, with the errors measured from their entry of class
/// 0. (The entries of q_i sum to one: fixed_one * `of_first` is what that leaves out.)
std::int64_t sum_products(const Members& members, std::uint32_t i,
                          std::span<const std::uint16_t> slots,
                          std::span<const std::int32_t> errors);

}  // namespace shrubs
