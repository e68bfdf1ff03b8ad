#pragma once

// What is counted while a cut is sought: classes, or sums of targets. Both give the score of a cut,
// the larger the better.
//
// A cut has a left side. Missing values are counted apart, in `missing_cell`, and join the larger
// side. Cells collect the examples between two neighbouring cuts.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "shrubs/auto/auto_config.hpp"
#include "shrubs/impurity.hpp"

namespace shrubs {

inline constexpr std::uint32_t missing_cell = careful_cuts + 1;
inline constexpr std::uint32_t n_cells = careful_cuts + 2;

/// How good a cut is, and where missing values go.
struct CutScore {
    double score = -std::numeric_limits<double>::infinity();
    bool missing_left = false;
};

/// Classes, scored by Gini.
class ClassTally {
 public:
    /// Scratch: `totals` and `lefts` are `(n_classes,)`, `cells` is `(n_cells * n_classes,)`.
    ClassTally(std::span<const std::uint16_t> labels, std::span<std::uint32_t> totals,
               std::span<std::uint32_t> lefts, std::span<std::uint16_t> cells)
        : labels_(labels), totals_(totals), lefts_(lefts), cells_(cells) {}

    /// Takes the examples of a node. Whether a cut could gain anything.
    bool begin_node(std::span<const std::uint16_t> members) {
        std::ranges::fill(totals_, 0U);
        for (const std::uint16_t slot : members) {
            ++totals_[labels_[slot]];
        }
        n_ = static_cast<std::uint32_t>(members.size());
        return totals_[labels_[members[0]]] < n_;
    }
    std::span<const std::uint32_t> totals() const { return totals_; }

    void clear_cells() { std::ranges::fill(cells_, std::uint16_t{0}); }
    void add(std::uint32_t cell, std::uint32_t slot) {
        ++cells_[cell * totals_.size() + labels_[slot]];
    }

    void begin_left() {
        std::ranges::fill(lefts_, 0U);
        n_left_ = 0;
    }
    void add_left(std::uint32_t slot) {
        ++lefts_[labels_[slot]];
        ++n_left_;
    }
    /// Moves the members for which `goes_left(slot)` holds to the empty left side.
    template <class GoesLeft>
    void add_left_where(std::span<const std::uint16_t> members, GoesLeft goes_left) {
        for (const std::uint16_t slot : members) {
            lefts_[labels_[slot]] += goes_left(slot) ? 1U : 0U;
        }
        for (const std::uint32_t n : lefts_) {
            n_left_ += n;
        }
    }
    void add_cell_left(std::uint32_t cell) {
        for (std::size_t c = 0; c < lefts_.size(); ++c) {
            const std::uint32_t n = cells_[cell * lefts_.size() + c];
            lefts_[c] += n;
            n_left_ += n;
        }
    }

    CutScore score(std::uint32_t n_missing) const {
        const std::uint32_t n_right = n_ - n_left_ - n_missing;
        const bool missing_left = n_left_ >= n_right;
        const std::uint16_t* absent = cells_.data() + missing_cell * lefts_.size();
        std::uint64_t left_squares = 0;
        std::uint64_t right_squares = 0;
        for (std::size_t c = 0; c < lefts_.size(); ++c) {
            const std::uint64_t left = lefts_[c] + (n_missing > 0 && missing_left ? absent[c] : 0U);
            const std::uint64_t right = totals_[c] - left;
            left_squares += left * left;
            right_squares += right * right;
        }
        const std::uint32_t n_left = n_left_ + (missing_left ? n_missing : 0);
        if (n_left == 0 || n_left == n_) {
            return {};
        }
        return {gini_score(left_squares, n_left, right_squares, n_ - n_left), missing_left};
    }

 private:
    std::span<const std::uint16_t> labels_;
    std::span<std::uint32_t> totals_;
    std::span<std::uint32_t> lefts_;
    std::span<std::uint16_t> cells_;
    std::uint32_t n_ = 0;
    std::uint32_t n_left_ = 0;
};

/// Targets, scored by the variance within the sides.
class TargetTally {
 public:
    /// Targets count as `y * down - centre`; `cells` is scratch, `(n_cells,)`.
    TargetTally(std::span<const double> targets, double down, double centre,
                std::span<double> cells)
        : targets_(targets), down_(down), centre_(centre), cells_(cells) {}

    bool begin_node(std::span<const std::uint16_t> members) {
        total_ = 0.0;
        bool differs = false;
        for (const std::uint16_t slot : members) {
            total_ += value(slot);
            differs = differs || targets_[slot] != targets_[members[0]];
        }
        n_ = static_cast<std::uint32_t>(members.size());
        return differs;
    }

    void clear_cells() {
        std::ranges::fill(cells_, 0.0);
        n_in_cell_.fill(0);
    }
    void add(std::uint32_t cell, std::uint32_t slot) {
        cells_[cell] += value(slot);
        ++n_in_cell_[cell];
    }

    void begin_left() {
        left_ = 0.0;
        n_left_ = 0;
    }
    void add_left(std::uint32_t slot) {
        left_ += value(slot);
        ++n_left_;
    }
    template <class GoesLeft>
    void add_left_where(std::span<const std::uint16_t> members, GoesLeft goes_left) {
        for (const std::uint16_t slot : members) {
            if (goes_left(slot)) {
                add_left(slot);
            }
        }
    }
    void add_cell_left(std::uint32_t cell) {
        left_ += cells_[cell];
        n_left_ += n_in_cell_[cell];
    }

    CutScore score(std::uint32_t n_missing) const {
        const std::uint32_t n_right = n_ - n_left_ - n_missing;
        const bool missing_left = n_left_ >= n_right;
        const bool adds = n_missing > 0 && missing_left;
        const double left = left_ + (adds ? cells_[missing_cell] : 0.0);
        const double right = total_ - left;
        const std::uint32_t n_left = n_left_ + (adds ? n_missing : 0);
        if (n_left == 0 || n_left == n_) {
            return {};
        }
        return {left * left / static_cast<double>(n_left) +
                    right * right / static_cast<double>(n_ - n_left),
                missing_left};
    }

 private:
    double value(std::uint32_t slot) const { return targets_[slot] * down_ - centre_; }

    std::span<const double> targets_;
    double down_;
    double centre_;
    std::span<double> cells_;
    std::array<std::uint32_t, n_cells> n_in_cell_{};
    double total_ = 0.0;
    double left_ = 0.0;
    std::uint32_t n_ = 0;
    std::uint32_t n_left_ = 0;
};

}  // namespace shrubs
