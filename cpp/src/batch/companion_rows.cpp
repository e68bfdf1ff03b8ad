#include "shrubs/batch/companion_rows.hpp"

#include "shrubs/auto/companions/buckets.hpp"
#include "shrubs/numerics/exponential.hpp"

namespace shrubs {

namespace {

// `each(row, value)` for the rows in which a feature tells something.
template <class Each>
void for_each_value(const Questions& questions, std::size_t feature, Each each) {
    const bool nominal = questions.scale.is_nominal(feature);
    const float* value = questions.rows.data() + feature;
    for (std::size_t row = 0; row < questions.n(); ++row, value += questions.stride) {
        if (!says_nothing(*value, nominal)) {
            each(row, *value);
        }
    }
}

void make_probabilities(std::span<double> scores, std::size_t width) {
    for (std::size_t at = 0; at < scores.size(); at += width) {
        softmax(scores.subspan(at, width));
    }
}

void round_to(std::span<float> said, std::span<const double> scores) {
    std::ranges::transform(scores, said.begin(),
                           [](double value) { return static_cast<float>(value); });
}

}  // namespace

void predict_rows(const NaiveBayes& bayes, const Questions& questions, std::span<double> scratch,
                  std::span<float> said) {
    const FeatureScale& scale = questions.scale;
    const std::size_t n_classes = said.size() / questions.n();
    const double total = bayes.total();
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double prior = bayes.log_prior(c, total);
        for (std::size_t at = c; at < scratch.size(); at += n_classes) {
            scratch[at] = prior;
        }
    }
    for (std::size_t i = 0; i < questions.n_features; ++i) {
        for (std::size_t c = 0; c < n_classes; ++c) {
            double* const log_odds = scratch.data() + c;
            if (scale.is_category(i)) {
                for_each_value(questions, i, [&](std::size_t row, float value) {
                    const std::size_t bucket = bucket_of(i, value, bayes.n_buckets());
                    log_odds[row * n_classes] += bayes.log_category(bucket, c);
                });
            } else if (scale.is_binary(i)) {
                const double zero = bayes.log_binary(i, c, false);
                const double one = bayes.log_binary(i, c, true);
                for_each_value(questions, i, [&](std::size_t row, float value) {
                    log_odds[row * n_classes] += value != 0.0F ? one : zero;
                });
            } else {
                const NaiveBayes::Normal normal = bayes.normal(i, c, scale.variance(i));
                for_each_value(questions, i, [&](std::size_t row, float value) {
                    log_odds[row * n_classes] += normal.log_density(value);
                });
            }
        }
    }
    make_probabilities(scratch, n_classes);
    round_to(said, scratch);
}

void predict_rows(const LinearModel& linear, const Questions& questions, std::span<double> scratch,
                  std::span<float> said) {
    const FeatureScale& scale = questions.scale;
    const std::size_t width = said.size() / questions.n();
    const auto add = [&](std::size_t row, std::span<const float> weights, double value) {
        for (std::size_t c = 0; c < width; ++c) {
            scratch[row * width + c] += value * weights[c];
        }
    };
    std::ranges::fill(scratch, 0.0);
    for (std::size_t i = 0; i < questions.n_features; ++i) {
        if (scale.is_category(i)) {
            for_each_value(questions, i, [&](std::size_t row, float value) {
                const std::size_t bucket = bucket_of(i, value, linear.n_buckets());
                add(row, linear.row(questions.n_features + 1 + bucket), 1.0);
            });
            continue;
        }
        const std::span<const float> weights = linear.row(i);
        const double mean = scale.mean(i);
        const double inverse_deviation = scale.inverse_deviation(i);
        for_each_value(questions, i, [&](std::size_t row, float value) {
            add(row, weights, FeatureScale::standardised(value, mean, inverse_deviation));
        });
    }
    for (std::size_t row = 0; row < questions.n(); ++row) {
        add(row, linear.row(questions.n_features), 1.0);
    }
    if (linear.task() == Task::classification) {
        make_probabilities(scratch, width);
    } else {
        for (double& value : scratch) {
            value = std::clamp(value, -largest_prediction, largest_prediction);
        }
    }
    round_to(said, scratch);
}

}  // namespace shrubs
