#include "shrubs/auto/companions/naive_bayes.hpp"

#include <algorithm>
#include <array>

#include "shrubs/auto/companions/buckets.hpp"
#include "shrubs/numerics/exponential.hpp"
#include "shrubs/numerics/quick_math.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "shrubs/simd/doubles.hpp"

namespace shrubs {

namespace {

// Half an example of each category, as if there were sixteen.
constexpr double category_prior = 0.5;
constexpr double all_categories_prior = 8.0;
// A normal density says nothing before so many examples.
constexpr double fewest_examples = 3.0;
constexpr double least_variance = 1e-30;
constexpr double relative_variance = 1e-6;
constexpr float largest_variance = 1e38F;
constexpr double scale_back_at = 1.25;

}  // namespace

NaiveBayes::Memory NaiveBayes::reserve(Arena& arena, const CompanionSizes& sizes) {
    const std::uint64_t entries = std::uint64_t{sizes.n_features} * sizes.width;
    return {.n = arena.array<double>(Purpose::weights, sizes.width),
            .means = arena.array<float>(Purpose::weights, entries),
            .variances = arena.array<float>(Purpose::weights, entries),
            .buckets =
                arena.array<float>(Purpose::weights, std::uint64_t{sizes.n_buckets} * sizes.width)};
}

void NaiveBayes::begin(const Memory& memory, const CompanionSizes& sizes) {
    memory_ = memory;
    n_buckets_ = sizes.n_buckets;
    std::ranges::fill(memory_.means, std::numeric_limits<float>::quiet_NaN());
}

double NaiveBayes::total() const {
    double sum = 0.0;
    for (const double n : memory_.n) {
        sum += n;
    }
    return sum;
}

double NaiveBayes::log_prior(std::size_t c, double total) const {
    return quick_logarithm((memory_.n[c] + 1.0) / (total + static_cast<double>(memory_.n.size())));
}

double NaiveBayes::log_category(std::size_t bucket, std::size_t c) const {
    return quick_logarithm((memory_.buckets[bucket * memory_.n.size() + c] + category_prior) /
                           (memory_.n[c] + all_categories_prior));
}

double NaiveBayes::log_binary(std::size_t feature, std::size_t c, bool is_one) const {
    const double n = memory_.n[c];
    const float mean = memory_.means[feature * memory_.n.size() + c];
    const double ones = mean != mean ? 0.0 : mean * n;
    const double share = (ones + category_prior) / (n + 2 * category_prior);
    return quick_logarithm(is_one ? share : 1.0 - share);
}

NaiveBayes::Normal NaiveBayes::normal(std::size_t feature, std::size_t c, double variance) const {
    const std::size_t at = feature * memory_.n.size() + c;
    const double mean = memory_.means[at];
    const double own = std::max(static_cast<double>(memory_.variances[at]),
                                relative_variance * variance + least_variance);
    const double constant = -0.5 * quick_logarithm(own / (variance + least_variance));
    // Without a branch, so that several classes are taken at a time.
    const bool is_known = (memory_.n[c] > fewest_examples) & (mean == mean);
    constexpr Normal unknown;
    return {is_known ? constant : unknown.constant, is_known ? mean : unknown.mean,
            is_known ? own : unknown.variance};
}

// All classes of what is known of one value.
[[gnu::always_inline]] inline void NaiveBayes::add_portably(const Question& question, std::size_t i,
                                                            double* log_odds) const {
    const float x = question.x[i];
    const FeatureScale& scale = question.scale;
    const std::size_t n_classes = memory_.n.size();
    if (scale.is_category(i)) {
        const std::size_t bucket = bucket_of(i, x, n_buckets_);
        for (std::size_t c = 0; c < n_classes; ++c) {
            log_odds[c] += log_category(bucket, c);
        }
    } else if (scale.is_binary(i)) {
        const bool is_one = x != 0.0F;
        for (std::size_t c = 0; c < n_classes; ++c) {
            log_odds[c] += log_binary(i, c, is_one);
        }
    } else {
        const double variance = scale.variance(i);
        for (std::size_t c = 0; c < n_classes; ++c) {
            log_odds[c] += normal(i, c, variance).log_density(x);
        }
    }
}

#ifdef SHRUBS_AVX2
// The log odds of neighbouring classes, from this one on, and what zeros and ones tell.
[[gnu::target("avx2"), gnu::always_inline]] inline void NaiveBayes::add_binaries_to_four(
    std::span<const Binary> values, std::size_t c, const double* log_odds, double* sums) const {
    using Doubles = FourDoubles;
    const Doubles n = Doubles::load(memory_.n.data() + c);
    const Doubles all = n + Doubles::all(2 * category_prior);
    Doubles sum = Doubles::load(log_odds + c);
    for (const Binary& value : values) {
        const Doubles mean = Doubles::load(value.means + c);
        const Doubles ones = Doubles::if_number(mean, mean * n);
        const Doubles share = (ones + Doubles::all(category_prior)) / all;
        sum = sum + quick_logarithms(Doubles::all(value.none) + Doubles::all(value.sign) * share);
    }
    sum.store(sums);
}

// The last four classes may begin before those before them end.
[[gnu::target("avx2")]] void NaiveBayes::add_binaries_avx2(std::span<const Binary> values,
                                                           double* log_odds) const {
    const std::size_t last = memory_.n.size() - FourDoubles::size;
    std::array<double, FourDoubles::size> last_sums;
    add_binaries_to_four(values, last, log_odds, last_sums.data());
    for (std::size_t c = 0; c < last; c += FourDoubles::size) {
        add_binaries_to_four(values, c, log_odds, log_odds + c);
    }
    std::ranges::copy(last_sums, log_odds + last);
}

[[gnu::target("avx2"), gnu::flatten]] void NaiveBayes::add_avx2(const Question& question,
                                                                std::size_t i,
                                                                double* log_odds) const {
    add_portably(question, i, log_odds);
}
#endif

// Returns how many features it has added, from the given one on: zeros and ones, several at a time.
std::size_t NaiveBayes::add_binaries([[maybe_unused]] const Question& question,
                                     [[maybe_unused]] std::size_t first,
                                     [[maybe_unused]] double* log_odds) const {
#ifdef SHRUBS_AVX2
    if (memory_.n.size() < FourDoubles::size || !has_avx2()) {
        return 0;
    }
    std::array<Binary, 32> values;
    std::size_t n = 0;
    for (; n < values.size() && first + n < question.x.size(); ++n) {
        const std::size_t i = first + n;
        const float x = question.x[i];
        if (!question.scale.is_binary(i) || says_nothing(x, question.scale.is_nominal(i))) {
            break;
        }
        values[n] = {memory_.means.data() + i * memory_.n.size(), x != 0.0F ? 0.0 : 1.0,
                     x != 0.0F ? 1.0 : -1.0};
    }
    if (n > 0) {
        add_binaries_avx2(std::span(values).first(n), log_odds);
    }
    return n;
#else
    return 0;
#endif
}

void NaiveBayes::add(const Question& question, std::size_t i, double* log_odds) const {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        return add_avx2(question, i, log_odds);
    }
#endif
    add_portably(question, i, log_odds);
}

void NaiveBayes::predict(const Question& question, std::span<double> scratch,
                         std::span<float> prediction) const {
    const std::span<const float> x = question.x;
    const FeatureScale& scale = question.scale;
    const std::size_t n_classes = memory_.n.size();
    const std::span<double> log_odds = scratch;
    const double sum = total();
    for (std::size_t c = 0; c < n_classes; ++c) {
        log_odds[c] = log_prior(c, sum);
    }
    for (std::size_t i = 0; i < x.size();) {
        const std::size_t n = add_binaries(question, i, log_odds.data());
        if (n == 0 && !says_nothing(x[i], scale.is_nominal(i))) {
            add(question, i, log_odds.data());
        }
        i += std::max<std::size_t>(n, 1);
    }
    softmax(log_odds);
    for (std::size_t c = 0; c < n_classes; ++c) {
        prediction[c] = static_cast<float>(log_odds[c]);
    }
}

void NaiveBayes::learn(const Question& question, const Lesson& lesson) {
    const std::span<const float> x = question.x;
    const FeatureScale& scale = question.scale;
    const std::size_t n_classes = memory_.n.size();
    next_weight_ /= forgetting_;
    memory_.n[lesson.label] += next_weight_;
    const double share = next_weight_ / memory_.n[lesson.label];
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (says_nothing(x[i], scale.is_nominal(i))) {
            continue;
        }
        if (scale.is_nominal(i)) {
            float& count =
                memory_.buckets[bucket_of(i, x[i], n_buckets_) * n_classes + lesson.label];
            count = static_cast<float>(count + next_weight_);
        }
        if (!scale.is_category(i)) {
            learn_number(i * n_classes + lesson.label, x[i], share);
        }
    }
    if (next_weight_ > scale_back_at) {
        scale_back();
    }
}

void NaiveBayes::learn_number(std::size_t at, float x, double share) {
    float& mean = memory_.means[at];
    float& variance = memory_.variances[at];
    if (mean != mean) {
        mean = x;
        variance = 0.0F;
        return;
    }
    const double difference = static_cast<double>(x) - mean;
    mean = static_cast<float>(mean + share * difference);
    variance =
        static_cast<float>(std::min((1.0 - share) * (variance + share * difference * difference),
                                    static_cast<double>(largest_variance)));
}

void NaiveBayes::scale_back() {
    for (double& n : memory_.n) {
        n /= next_weight_;
    }
    for (float& count : memory_.buckets) {
        count = static_cast<float>(count / next_weight_);
    }
    next_weight_ = 1.0;
}

void NaiveBayes::forget_feature(std::size_t feature) {
    const std::size_t n_classes = memory_.n.size();
    std::ranges::fill(memory_.means.subspan(feature * n_classes, n_classes),
                      std::numeric_limits<float>::quiet_NaN());
    std::ranges::fill(memory_.variances.subspan(feature * n_classes, n_classes), 0.0F);
}

void NaiveBayes::renumber_classes(ClassNumbers now) {
    renumber_rows(memory_.n, now, 0.0);
    renumber_rows(memory_.means, now, std::numeric_limits<float>::quiet_NaN());
    renumber_rows(memory_.variances, now, 0.0F);
    renumber_rows(memory_.buckets, now, 0.0F);
}

void NaiveBayes::archive(Archive& archive) {
    archive.value(next_weight_);
    archive.require(next_weight_ >= 1.0 && next_weight_ <= 2.0);
    archive.array(memory_.n, is_finite_and_not_negative);
    archive.array(memory_.means, is_finite_or_missing);
    archive.array(memory_.variances, is_finite_and_not_negative);
    archive.array(memory_.buckets, is_finite_and_not_negative);
}

void NaiveBayes::copy_from(const NaiveBayes& other) {
    const std::size_t from = other.memory_.n.size();
    const std::size_t to = memory_.n.size();
    next_weight_ = other.next_weight_;
    copy_rows<double>(other.memory_.n, from, memory_.n, to);
    copy_rows<float>(other.memory_.means, from, memory_.means, to);
    copy_rows<float>(other.memory_.variances, from, memory_.variances, to);
    for_each_same_bucket(other.n_buckets_, n_buckets_, [&](std::size_t old, std::size_t now) {
        for (std::size_t c = 0; c < std::min(from, to); ++c) {
            memory_.buckets[now * to + c] += other.memory_.buckets[old * from + c];
        }
    });
}

}  // namespace shrubs
