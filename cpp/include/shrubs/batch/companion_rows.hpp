#pragma once

// What a companion says of many rows: what it works out for every row alike, it works out once.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "shrubs/auto/companions/companions.hpp"

namespace shrubs {

/// Rows of features, one behind the other, and what they have in common.
struct Questions {
    std::span<const float> rows;  ///< (n, stride)
    std::size_t stride;
    std::size_t n_features;  ///< the first ones of each row
    const FeatureScale& scale;
    const LastOutcomes& last;

    std::size_t n() const { return rows.size() / stride; }
    std::span<const float> x(std::size_t row) const {
        return rows.subspan(row * stride, n_features);
    }
};

/// Numbers of a prediction for each row, `(n, width)`; `scratch` is as large. The bits are those of
/// `companion.predict`, row by row.
void predict_rows(const NaiveBayes& bayes, const Questions& questions, std::span<double> scratch,
                  std::span<float> said);
void predict_rows(const LinearModel& linear, const Questions& questions, std::span<double> scratch,
                  std::span<float> said);

/// One that recalls says the same of every row. Any other is asked row by row.
template <class Companion>
void predict_rows(const Companion& companion, const Questions& questions, std::span<double> scratch,
                  std::span<float> said) {
    const std::size_t width = said.size() / questions.n();
    for (std::size_t row = 0; row < questions.n(); ++row) {
        const std::span<float> now = said.subspan(row * width, width);
        if (Companion::recalls && row > 0) {
            std::ranges::copy(said.first(width), now.begin());
        } else {
            companion.predict({questions.x(row), questions.scale, questions.last},
                              scratch.first(width), now);
        }
    }
}

}  // namespace shrubs
