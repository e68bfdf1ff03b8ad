#pragma once

// How mixed the two sides of a cut are: Gini for classes, variance for targets.
//
// Both count the examples of the left side one by one and give a score in constant time; the best
// cut has the largest score. Scores are exact up to one rounding, so ties are real ties.

#include <cstddef>
#include <cstdint>
#include <span>

namespace shrubs {

/// (sum_c L_c^2) / n_L + (sum_c R_c^2) / n_R, rounded once.
inline double gini_score(std::uint64_t left_squares, std::uint64_t n_left,
                         std::uint64_t right_squares, std::uint64_t n_right) {
    // Below 2^63, and signed numbers become floating-point in one instruction.
    const auto above = static_cast<std::int64_t>(left_squares * n_right + right_squares * n_left);
    const auto below = static_cast<std::int64_t>(n_left * n_right);
    return static_cast<double>(above) / static_cast<double>(below);
}

/// Scores in single precision that differ by less than this share of the larger one may be equal:
/// they are off by five roundings at most.
inline constexpr float doubt = 0x1p-20F;

/// Up to so many examples all sums of squared counts are exact in single precision: they do not
/// exceed 2^24.
inline constexpr std::uint32_t exact_size = 4096;

/// The same for a node of any size, in which sums of squares are rounded for every class.
inline float doubt_in(std::size_t size, std::size_t n_classes) {
    return size <= exact_size ? doubt : static_cast<float>(n_classes + 8) * 0x1p-23F;
}

/// In a node of n examples, two different scores differ by at least 16 / n^4: they are fractions
/// with denominators n_L n_R <= n^2 / 4. No score exceeds n. So up to this size they differ by more
/// than 2^-19 of themselves, and scores that may be equal are equal.
inline constexpr std::uint32_t certain_size = 24;

/// Gini. Score: (sum_c L_c^2) / n_L + (sum_c R_c^2) / n_R, from exact integers.
class Gini {
 public:
    /// `totals` and `lefts` are scratch, `(n_classes,)`. `by_class`: members stand class by class.
    Gini(std::span<const std::uint16_t> labels, std::span<std::uint32_t> totals,
         std::span<std::uint32_t> lefts, bool by_class = false)
        : labels_(labels), totals_(totals), lefts_(lefts), by_class_(by_class) {}

    /// Counts the classes of the examples of a node.
    void count_classes(std::span<const std::uint16_t> members) const;
    /// Takes the examples of a node.
    void begin_node(std::span<const std::uint16_t> members);
    bool is_pure(std::span<const std::uint16_t> members) const;
    std::span<const std::uint16_t> labels() const { return labels_; }
    /// Class counts of the node.
    std::span<const std::uint32_t> totals() const { return totals_; }

    /// Empties the left side.
    void begin_cut();
    /// Moves an example to the left side.
    void add_left(std::uint32_t slot) {
        const std::uint16_t label = labels_[slot];
        const std::uint64_t left = lefts_[label]++;
        const std::uint64_t right = totals_[label] - left;
        left_squares_ += 2 * left + 1;
        right_squares_ -= 2 * right - 1;
    }
    /// Moves the members for which `goes_left(slot)` holds to the left side, without a branch that
    /// a processor would have to guess. Returns how many they are.
    template <class GoesLeft>
    std::uint32_t add_left_where(std::span<const std::uint16_t> members, GoesLeft goes_left) {
        std::uint32_t n_moved = 0;
        for (const std::uint16_t slot : members) {
            const std::uint32_t moved = goes_left(slot) ? 1 : 0;
            lefts_[labels_[slot]] += moved;
            n_moved += moved;
        }
        left_squares_ = 0;
        right_squares_ = 0;
        for (std::size_t c = 0; c < lefts_.size(); ++c) {
            const std::uint64_t left = lefts_[c];
            const std::uint64_t right = totals_[c] - left;
            left_squares_ += left * left;
            right_squares_ += right * right;
        }
        return n_moved;
    }
    double score(std::uint64_t n_left, std::uint64_t n_right) const {
        return gini_score(left_squares_, n_left, right_squares_, n_right);
    }

 private:
    std::span<const std::uint16_t> labels_;
    std::span<std::uint32_t> totals_;
    std::span<std::uint32_t> lefts_;
    bool by_class_;
    std::uint64_t node_squares_ = 0;
    std::uint64_t left_squares_ = 0;
    std::uint64_t right_squares_ = 0;
};

/// Variance. Score: S_L^2 / n_L + S_R^2 / n_R with sums of the centred targets.
class Variance {
 public:
    Variance(std::span<const double> targets, std::span<const double> centred)
        : targets_(targets), centred_(centred) {}

    void begin_node(std::span<const std::uint16_t> members);
    bool is_pure(std::span<const std::uint16_t> members) const;
    /// Sum of the centred targets of the node.
    double total() const { return total_; }

    void begin_cut() { left_ = 0.0; }
    void add_left(std::uint32_t slot) { left_ += centred_[slot]; }
    template <class GoesLeft>
    std::uint32_t add_left_where(std::span<const std::uint16_t> members, GoesLeft goes_left) {
        std::uint32_t n_moved = 0;
        for (const std::uint16_t slot : members) {
            const std::uint32_t moved = goes_left(slot) ? 1 : 0;
            left_ += centred_[slot] * moved;  // a zero of either sign changes no sum
            n_moved += moved;
        }
        return n_moved;
    }
    double score(std::uint64_t n_left, std::uint64_t n_right) const {
        const double right = total_ - left_;
        return left_ * left_ / static_cast<double>(n_left) +
               right * right / static_cast<double>(n_right);
    }

 private:
    std::span<const double> targets_;
    std::span<const double> centred_;
    double total_ = 0.0;
    double left_ = 0.0;
};

}  // namespace shrubs
