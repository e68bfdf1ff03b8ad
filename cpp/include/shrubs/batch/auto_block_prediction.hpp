#pragma once

// The prediction of many rows by the learner that needs no tuning: expert after expert, a block of
// rows at a time. Each row mixes its experts in the same order as alone, so the bits are the same.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "shrubs/auto/ensemble.hpp"
#include "shrubs/batch/ranked_shrubs.hpp"

namespace shrubs {

class AutoBlockPrediction {
 public:
    /// Rows that go through all experts together.
    static constexpr std::size_t max_rows = RankedShrubs::max_rows;

    /// Whether so many rows are predicted faster than one by one. No, if nothing was learned.
    static bool pays(const AutoEnsemble& ensemble, std::size_t n_rows);

    /// Requires that something was learned, and that the ensemble does not change meanwhile.
    explicit AutoBlockPrediction(const AutoEnsemble& ensemble);

    /// `X` is `(n_rows, n_features)` with at most `max_rows`, `out` `(n_rows, width)`.
    template <class T>
    void predict(const T* X, std::size_t n_rows, double* out) {
        const std::size_t n_features = n_columns_ - recalled_features;
        rows_.resize(n_rows * n_columns_);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const auto end = std::transform(
                X + row * n_features, X + (row + 1) * n_features, &rows_[row * n_columns_],
                [](T value) { return static_cast<float>(value) + 0.0F; });  // -0 is 0
            std::ranges::copy(recalled_, end);
        }
        predict_rows({out, n_rows * width_});
    }

    /// All that it keeps from one block to the next.
    std::size_t memory_bytes() const;

 private:
    // By range of experts; the step sizes side by side.
    using Weights = std::array<FourFloats, std::tuple_size_v<decltype(ExpertRanges::ranges)>>;

    struct Shrub {
        std::uint32_t place;
        std::size_t group;  // of ranked shrubs; `walked` for one that is too large
        std::size_t in_group;
        std::size_t first_leaf;  // in `says_`, or in `adds_` if it leans
    };
    static constexpr std::size_t walked = SIZE_MAX;

    void add_shrub(std::uint32_t place);
    bool rank(const NewShrub& shrub);
    void add_weights();
    float says(double target) const;

    void predict_rows(std::span<double> out);
    void predict_companions();
    void predict_shrub(const Shrub& shrub);
    template <class Leaf>
    void say(const Shrub& shrub, const Leaf* leaves);
    void mix(std::uint32_t expert, std::span<const float> said);
    void finish(std::span<double> out) const;
    std::size_t n_rows() const { return rows_.size() / n_columns_; }

    const AutoEnsemble& ensemble_;
    std::size_t width_;
    std::size_t n_columns_;  // features, and what is recalled
    std::array<float, recalled_features> recalled_;
    std::vector<Shrub> shrubs_;
    std::vector<RankedShrubs> groups_;
    std::vector<Weights> weights_;  // by expert: its share of all that take part
    std::vector<float> says_;       // (leaves, width)
    std::vector<double> adds_;      // (leaves,) of shrubs that lean on the linear model

    std::vector<float> rows_;                     // (n, n_columns)
    std::vector<std::uint32_t> keys_;             // the same
    std::vector<float> said_;                     // (n, width)
    std::vector<std::vector<float>> companions_;  // the same of each
    std::vector<double> scratch_;                 // (n, width)
    std::vector<float> mixed_;                    // (ranges, n, width, step sizes)
};

}  // namespace shrubs
