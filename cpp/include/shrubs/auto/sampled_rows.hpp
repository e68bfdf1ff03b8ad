#pragma once

// One cut of each feature of a node, features side by side: the rows of its sampled examples are
// read once for the ranges and once for the scores. Processors with AVX2 take eight features per
// instruction, others four; every result is the same bits either way.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "shrubs/auto/node_draw.hpp"
#include "shrubs/growth/split.hpp"
#include "shrubs/simd/floats.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// Sampled examples, class by class.
struct SampledRows {
    std::span<const float* const> rows;         ///< the features of each example
    std::span<const std::uint32_t> n_in_class;  ///< so many of the first class come first
};

/// Which values go left: up to the cut, from a floor on, or the cut alone.
enum class GoesLeft : std::uint8_t { at_most, between, equal };

class RowCuts {
 public:
    /// Whether rows are the shorter way to so many features of a window.
    static bool suit(const Window& window, std::uint32_t n_tried) {
        constexpr std::uint32_t at_once = 8;
        const std::uint32_t n_features = window.n_features();
        return !is_small_code && n_features >= FourFloats::size && n_features <= max_features &&
               n_tried * at_once >= n_features;
    }
    /// The largest prime number below 64: there is a bit for every number that `NodeDraw` draws.
    static constexpr std::uint32_t max_features = 61;

    RowCuts(const SampledRows& examples, std::uint32_t n_features)
        : examples_(examples), n_features_(n_features) {
        std::fill_n(scores_.begin() + n_features, max_between, 0.0F);
    }

    /// Finds the range of every feature.
    void measure();
    /// If a value is missing, nothing else is known.
    bool has_missing() const { return has_missing_; }
    /// 1 where examples differ; 0 also for numbers below 64 that are no features.
    std::uint32_t divides(std::uint32_t number) const { return varying_ >> number & 1U; }
    bool is_constant(std::uint32_t feature) const { return divides(feature) == 0; }
    float low(std::uint32_t feature) const { return floors_[feature]; }
    float high(std::uint32_t feature) const { return highs_[feature]; }

    /// What is at most the threshold goes left.
    void cut_numbers(const NodeDraw& draw);
    /// What equals the category goes left.
    void cut_category(std::uint32_t feature, float category) {
        floors_[feature] = cuts_[feature] = category;
        has_floors_ = true;
    }
    float threshold(std::uint32_t feature) const { return cuts_[feature]; }

    /// Judges the cuts of all features.
    void judge();
    /// All of the above where all features are nominal: what equals the category of its feature
    /// goes left. The categories are those of one of the examples, so no ranges are needed.
    void judge_categories(const float* categories);
    std::uint32_t n_left(std::uint32_t feature) const {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(n_left_[feature]));
    }
    /// The score of a cut that divides the examples, in single precision: scores that differ do so
    /// here, equal ones are equal.
    float score(std::uint32_t feature) const { return scores_[feature]; }
    /// The score is a fraction of these, as that of `Gini` is; both are exact.
    double above(std::uint32_t feature) const { return above_[feature]; }
    double below(std::uint32_t feature) const {
        return n_left_[feature] * (static_cast<float>(examples_.rows.size()) - n_left_[feature]);
    }

 private:
    using ByFeature = std::array<float, max_features>;
    /// Numbers that are no features, below the next prime number; a power of two.
    static constexpr std::uint32_t max_between = 8;

    struct Measure;
    template <GoesLeft goes>
    struct Judge;
    template <class Floats, class Kernel>
    void for_all(Kernel kernel);
    void measure_avx2();
    void cut_portably(const NodeDraw& draw);
    void cut_avx2(const NodeDraw& draw);
    void judge_avx2();
    void judge_categories_avx2();

    SampledRows examples_;
    std::uint32_t n_features_;
    bool has_missing_ = false;
    bool has_floors_ = false;
    std::uint64_t varying_ = 0;  ///< a bit for each feature that is not constant
    ByFeature floors_;           ///< the smallest value that goes left
    ByFeature highs_;            ///< the largest value of all
    ByFeature cuts_;             ///< the largest one that goes left
    ByFeature n_left_;
    ByFeature above_;
    std::array<float, max_features + max_between> scores_;
};

}  // namespace shrubs
