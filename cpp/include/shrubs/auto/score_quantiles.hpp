#pragma once

// How large scores have been, for intervals and sets that cover a given share of the outcomes.
//
// A score says how far an outcome was from its prediction. For each of a few levels a quantile is
// kept by online conformal prediction: it rises after a score above it and falls after any other,
// by steps in the ratio of the level, so that over any stretch the share of misses is right up to
// the distance it has moved. docs/no-tuning.md has the argument.

#include <array>
#include <cstddef>
#include <cstdint>

#include "shrubs/state/archive.hpp"

namespace shrubs {

/// 1 for the most likely class, which is in every set; for others the more the less likely.
double class_score(double probability, bool is_most_likely);

class ScoreQuantiles {
 public:
    /// In thousandths.
    static constexpr std::array<std::int32_t, 16> levels = {50,  100, 200, 300, 400, 500, 600, 700,
                                                            750, 800, 850, 900, 950, 975, 990, 999};

    /// `score` is not negative and no NaN. No quantile falls below `least`.
    void learn(double score, double least);
    /// What this share of the scores does not exceed; infinite before the first. Requires a
    /// coverage between 0 and 1, both excluded.
    double at(double coverage) const;

    /// What is read must fit so many examples.
    void archive(Archive& archive, std::uint64_t examples_seen);

 private:
    /// Positions grow nearly as the logarithm of a score, by 2^20 where it doubles.
    struct Quantile {
        std::int32_t place = 0;
        std::int32_t extreme = 0;  ///< of the run: the smallest miss, or the largest hit
        std::int16_t run = 0;      ///< misses in a row, or hits, negative
        std::int16_t debt = 0;     ///< misses beyond their share, in thousandths
    };
    static void follow(Quantile& quantile, std::size_t level, std::int32_t score,
                       std::int64_t step);

    std::uint32_t seen_ = 0;
    std::array<Quantile, levels.size()> quantiles_{};
};

}  // namespace shrubs
