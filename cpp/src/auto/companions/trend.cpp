#include "shrubs/auto/companions/trend.hpp"

#include <algorithm>

namespace shrubs {

namespace {

constexpr double trend_forgetting = 0.998;

}  // namespace

void Trend::predict(const Question& question, std::span<double> /*scratch*/,
                    std::span<float> prediction) const {
    const auto& z = question.last.targets;
    const double share = squares_ > 0.0 ? std::clamp(products_ / squares_, -1.0, 1.0) : 0.0;
    const double change = question.last.n >= 2 ? z[0] - z[1] : 0.0;
    prediction[0] = static_cast<float>(
        std::clamp(z[0] + share * change, -largest_prediction, largest_prediction));
}

void Trend::learn(const Question& question, const Lesson& lesson) {
    if (question.last.n < 2) {
        return;
    }
    const auto& z = question.last.targets;
    const double before = z[0] - z[1];
    const double change = lesson.target[0] - z[0];
    products_ = trend_forgetting * products_ + before * change;
    squares_ = trend_forgetting * squares_ + before * before;
}

void Trend::archive(Archive& archive) {
    archive.value(products_);
    archive.value(squares_);
    archive.require(is_finite(products_) && is_finite_and_not_negative(squares_));
}

}  // namespace shrubs
