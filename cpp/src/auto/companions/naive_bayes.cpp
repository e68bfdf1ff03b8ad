#include "shrubs/auto/companions/naive_bayes.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/numerics/exponential.hpp"
#include "shrubs/numerics/quick_math.hpp"

namespace shrubs {

namespace {

// Half an example of each category, as if there were sixteen.
constexpr double category_prior = 0.5;
constexpr double all_categories_prior = 8.0;
// A normal density says nothing before so many examples, and never more than this.
constexpr double fewest_examples = 3.0;
constexpr double least_log_density = -10.0;
constexpr double least_variance = 1e-30;
constexpr double relative_variance = 1e-6;
constexpr float largest_variance = 1e38F;
constexpr double scale_back_at = 1.25;

}  // namespace

void NaiveBayes::begin() {
    std::ranges::fill(memory_.means, std::numeric_limits<float>::quiet_NaN());
    next_weight_ = 1.0;
}

double NaiveBayes::log_density(std::size_t at, std::size_t c, float x, double variance) const {
    const double mean = memory_.means[at];
    if (!(memory_.n[c] > fewest_examples) || mean != mean) {
        return 0.0;
    }
    const double own = std::max(static_cast<double>(memory_.variances[at]),
                                relative_variance * variance + least_variance);
    const double difference = x - mean;
    return std::max(-0.5 * quick_logarithm(own / (variance + least_variance)) -
                        0.5 * difference * difference / own,
                    least_log_density);
}

void NaiveBayes::predict(std::span<const float> x, const FeatureScale& scale,
                         std::span<double> log_odds, std::span<float> shares) const {
    const std::size_t n_classes = memory_.n.size();
    double total = 0.0;
    for (const double n : memory_.n) {
        total += n;
    }
    for (std::size_t c = 0; c < n_classes; ++c) {
        log_odds[c] =
            quick_logarithm((memory_.n[c] + 1.0) / (total + static_cast<double>(n_classes)));
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] != x[i]) {
            continue;
        }
        const std::size_t first =
            n_classes * (scale.is_category(i) ? bucket_of(i, x[i], n_buckets_) : i);
        for (std::size_t c = 0; c < n_classes; ++c) {
            const double n = memory_.n[c];
            if (scale.is_category(i)) {
                log_odds[c] += quick_logarithm((memory_.buckets[first + c] + category_prior) /
                                               (n + all_categories_prior));
            } else if (scale.is_binary(i)) {
                const float mean = memory_.means[first + c];
                const double ones = mean != mean ? 0.0 : mean * n;
                const double share = (ones + category_prior) / (n + 2 * category_prior);
                log_odds[c] += quick_logarithm(x[i] != 0.0F ? share : 1.0 - share);
            } else {
                log_odds[c] += log_density(first + c, c, x[i], scale.variance(i));
            }
        }
    }
    softmax(log_odds);
    for (std::size_t c = 0; c < n_classes; ++c) {
        shares[c] = static_cast<float>(log_odds[c]);
    }
}

void NaiveBayes::learn(std::span<const float> x, const FeatureScale& scale, std::uint16_t label) {
    next_weight_ /= forgetting_;
    const std::size_t n_classes = memory_.n.size();
    memory_.n[label] += next_weight_;
    const double share = next_weight_ / memory_.n[label];
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] != x[i]) {
            continue;
        }
        if (scale.is_nominal(i)) {
            float& count = memory_.buckets[bucket_of(i, x[i], n_buckets_) * n_classes + label];
            count = static_cast<float>(count + next_weight_);
        }
        if (scale.is_category(i)) {
            continue;
        }
        float& mean = memory_.means[i * n_classes + label];
        float& variance = memory_.variances[i * n_classes + label];
        if (mean != mean) {
            mean = x[i];
            variance = 0.0F;
            continue;
        }
        const double difference = static_cast<double>(x[i]) - mean;
        mean = static_cast<float>(mean + share * difference);
        variance = static_cast<float>(
            std::min((1.0 - share) * (variance + share * difference * difference),
                     static_cast<double>(largest_variance)));
    }
    if (next_weight_ > scale_back_at) {
        for (double& n : memory_.n) {
            n /= next_weight_;
        }
        for (float& count : memory_.buckets) {
            count = static_cast<float>(count / next_weight_);
        }
        next_weight_ = 1.0;
    }
}

}  // namespace shrubs
