#pragma once

// Where a shrub predicts otherwise than another one, or than the labels of the window it was grown
// on.
//
// The error of an example is q(x_j) - y_j, or q(x_j) minus what the other shrub predicts, in fixed
// point. A pure leaf predicts its labels, and two shrubs that follow each other have most leaves in
// common. Products with a shrub are those with the labels, or with the other shrub, and a few
// errors.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/paper/members.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// What the errors of a shrub are measured from: a member, or the labels.
struct Compared {
    static constexpr std::uint32_t labels = 0xFFFFFFFF;

    std::uint32_t shrub;
    std::uint32_t with;
};

/// Writes the slots of the examples whose error is not zero, and returns their number. Looks at as
/// many of the first slots as there is room for. `known` is scratch: with one entry per leaf, no
/// leaf is looked at twice.
std::size_t find_errors(const Members& members, const Compared& compared, const Window& window,
                        std::span<std::uint16_t> slots, std::span<std::int32_t> known);

struct ErrorSums {
    std::int64_t of_labels = 0;  ///< entries of the errors for the labels of their examples
    std::int64_t of_first = 0;   ///< entries of class 0
};
/// Writes the errors of some examples, measured from their entry of class 0: (slots, C).
ErrorSums measure_errors(const Members& members, const Compared& compared, const Window& window,
                         std::span<const std::uint16_t> slots, std::span<std::int32_t> errors);

/// The sum of <q_i, error> over these examples, with the errors measured from their entry of class
/// 0. (The entries of q_i sum to one: fixed_one * `of_first` is what that leaves out.)
std::int64_t sum_products(const Members& members, std::uint32_t i,
                          std::span<const std::uint16_t> slots,
                          std::span<const std::int32_t> errors);

/// The same for at most 2^16 examples that have the same error, (C,): those of one leaf and one
/// class. For dense leaves of at most `max_classes_by_leaf` classes.
std::int64_t sum_equal_products(const Members& members, std::uint32_t i,
                                std::span<const std::uint16_t> slots,
                                std::span<const std::int32_t> error);

/// All examples, leaf by leaf of one shrub.
struct ByLeaf {
    std::uint32_t shrub;
    std::span<const std::uint16_t> slots;
    std::span<const std::int32_t> ends;  ///< where the slots of each leaf end
};
/// `slots` is scratch, (B,), `ends` as well, one per leaf at least.
ByLeaf sort_by_leaf(const Members& members, std::uint32_t shrub, const Window& window,
                    std::span<std::uint16_t> slots, std::span<std::int32_t> ends);

/// The sum of <q_i, q_shrub> over all examples, for dense leaves of at most so many classes. Few
/// additions per example, where errors take as many products.
inline constexpr std::uint32_t max_classes_by_leaf = 17;
/// Of fewer classes, products take no longer than sums.
inline constexpr std::uint32_t min_classes_by_leaf = 5;
std::int64_t sum_products(const Members& members, std::uint32_t i, const ByLeaf& by_leaf);

}  // namespace shrubs
