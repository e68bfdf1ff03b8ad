#include "shrubs/auto/companions/linear_model.hpp"

#include <algorithm>

#include "shrubs/auto/companions/naive_bayes.hpp"
#include "shrubs/auto/config.hpp"
#include "shrubs/numerics/quick_math.hpp"

namespace shrubs {

namespace {

// Keeps the first steps finite.
constexpr double least_square = 1e-3;

}  // namespace

template <class Each>
void LinearModel::for_each_row(std::span<const float> x, std::span<const float> standardised,
                               const FeatureScale& scale, Each each) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] != x[i]) {
            continue;
        }
        if (scale.is_category(i)) {
            each((x.size() + 1 + bucket_of(i, x[i], n_buckets_)) * width_, 1.0);
        } else {
            each(i * width_, static_cast<double>(standardised[i]));
        }
    }
    each(x.size() * width_, 1.0);
}

void LinearModel::score(std::span<const float> x, std::span<const float> standardised,
                        const FeatureScale& scale, std::span<double> scores) const {
    std::ranges::fill(scores, 0.0);
    for_each_row(x, standardised, scale, [&](std::size_t first, double value) {
        for (std::size_t c = 0; c < width_; ++c) {
            scores[c] += value * memory_.weights[first + c];
        }
    });
}

void LinearModel::learn(std::span<const float> x, std::span<const float> standardised,
                        const FeatureScale& scale, std::span<const double> gradient) {
    for_each_row(x, standardised, scale, [&](std::size_t first, double value) {
        for (std::size_t c = 0; c < width_; ++c) {
            const double slope = gradient[c] * value;
            float& square = memory_.squares[first + c];
            float& weight = memory_.weights[first + c];
            square = static_cast<float>(square + slope * slope);
            weight = static_cast<float>(weight -
                                        linear_rate * slope * inverse_root(square + least_square));
        }
    });
}

}  // namespace shrubs
