#pragma once

// Two passes over some rows, for neighbouring features side by side: the range of their values, and
// how many of them lie up to a cut; and the scores of these cuts. Processors with AVX2 take eight
// features per instruction, others four; every result is the same bits either way.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "shrubs/tree/impurity.hpp"

namespace shrubs {

/// The rows of some examples, from the first of the features on.
struct Rows {
    const float* first = nullptr;          ///< of slot 0
    std::size_t stride = 0;                ///< from one slot to the next
    std::span<const std::uint16_t> slots;  ///< the examples

    const float* row(std::size_t at) const { return first + slots[at] * stride; }
};

/// What is left of a cut of each feature: all between two values, both included.
struct Between {
    const float* floors;  ///< null: there are none
    const float* cuts;
};

/// One cut, exactly, for any number of examples.
struct CountedCut {
    std::uint64_t n_left = 0;
    std::uint64_t n_right = 0;
    std::uint64_t left_squares = 0;
    std::uint64_t right_squares = 0;

    /// That of `Gini`, less than any other if one side is too small.
    double score(std::uint64_t min_samples_leaf) const {
        return n_left >= min_samples_leaf && n_right >= min_samples_leaf
                   ? gini_score(left_squares, n_left, right_squares, n_right)
                   : -std::numeric_limits<double>::infinity();
    }
};
/// Takes the counts of one cut, class by class, `stride` apart.
CountedCut count_cut(std::span<const std::uint32_t> totals, const float* counts,
                     std::size_t stride);

/// What is known of `width` cuts.
template <std::uint32_t width>
struct CutScores {
    float n_left[width];
    float left_squares[width];  ///< sums over the classes of the squared counts of a side
    float right_squares[width];
    float scores[width];  ///< as those of `Gini` up to five roundings, 0 if not allowed
    float largest;        ///< score

    CountedCut counted(std::uint32_t i, std::uint64_t size) const {
        const auto whole = [](float number) { return static_cast<std::uint32_t>(number); };
        return {whole(n_left[i]), size - whole(n_left[i]), whole(left_squares[i]),
                whole(right_squares[i])};
    }
};

/// For `width` features, 4, 8, 16 or 24.
template <std::uint32_t width>
struct RowPasses {
    /// Finds the smallest and the largest present value; returns true if one is missing.
    static bool measure(const Rows& rows, float* low, float* high);

    /// Counts the values that are at most the cut, class by class: `counts[c * width + i]`, if
    /// there are examples of class c. The first `totals[0]` examples are of class 0, the next
    /// `totals[1]` of class 1, and so on.
    static void count_up_to(const Rows& rows, std::span<const std::uint32_t> totals,
                            const float* cuts, float* counts);

    /// The same for examples in any order.
    static void count_between(const Rows& rows, const Gini& impurity, const Between& between,
                              float* counts);

    /// Scores the cuts by the counts above. Requires at most `exact_size` examples: counts and sums
    /// of their squares are exact. A cut is allowed if `min_samples_leaf` examples are on both
    /// sides.
    static void score_cuts(std::span<const std::uint32_t> totals, const float* counts,
                           std::uint32_t min_samples_leaf, CutScores<width>& cuts);
};

}  // namespace shrubs
