#pragma once

// Two passes over some rows, for neighbouring features side by side: the range of their values, and
// how many of them lie up to a cut; and the scores of these cuts. Processors with AVX2 take eight
// features per instruction, others four; every result is the same bits either way.

#include <cstddef>
#include <cstdint>
#include <span>

namespace shrubs {

/// The rows of some examples, from the first of the features on.
struct Rows {
    const float* first = nullptr;          ///< of slot 0
    std::size_t stride = 0;                ///< from one slot to the next
    std::span<const std::uint16_t> slots;  ///< the examples

    const float* row(std::size_t at) const { return first + slots[at] * stride; }
};

/// What is known of `width` cuts.
template <std::uint32_t width>
struct CutScores {
    float n_left[width];
    float left_squares[width];  ///< sums over the classes of the squared counts of a side
    float right_squares[width];
    float scores[width];  ///< as those of `Gini` up to five roundings, 0 if not allowed
    float largest;        ///< score
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

    /// Scores the cuts by the counts above. Requires at most 4096 examples: counts and sums of
    /// their squares are exact. A cut is allowed if `min_samples_leaf` examples are on both sides.
    static void score_cuts(std::span<const std::uint32_t> totals, const float* counts,
                           std::uint32_t min_samples_leaf, CutScores<width>& cuts);
};

}  // namespace shrubs
