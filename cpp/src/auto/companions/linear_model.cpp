#include "shrubs/auto/companions/linear_model.hpp"

#include <algorithm>

#include "shrubs/auto/companions/buckets.hpp"
#include "shrubs/auto/config.hpp"
#include "shrubs/numerics/exponential.hpp"
#include "shrubs/numerics/quick_math.hpp"
#include "shrubs/simd/dispatch.hpp"

namespace shrubs {

namespace {

// Keeps the first steps finite.
constexpr double least_square = 1e-3;

}  // namespace

LinearModel::Memory LinearModel::reserve(Arena& arena, const CompanionSizes& sizes) {
    const std::uint64_t n_rows = std::uint64_t{sizes.n_features} + 1 + sizes.n_buckets;
    return {.weights = arena.array<float>(Purpose::weights, n_rows * sizes.width),
            .squares = arena.array<float>(Purpose::weights, n_rows * sizes.width)};
}

template <class Each>
void LinearModel::for_each_row(const Question& question, Each each) const {
    const std::span<const float> x = question.x;
    const FeatureScale& scale = question.scale;
    const std::span<const float> standardised = scale.standardised();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (says_nothing(x[i], scale.is_nominal(i))) {
            continue;
        }
        if (scale.is_category(i)) {
            each((x.size() + 1 + bucket_of(i, x[i], sizes_.n_buckets)) * sizes_.width, 1.0);
        } else {
            each(i * sizes_.width, static_cast<double>(standardised[i]));
        }
    }
    each(x.size() * sizes_.width, 1.0);
}

void LinearModel::predict(const Question& question, std::span<double> scratch,
                          std::span<float> prediction) const {
    std::ranges::fill(scratch, 0.0);
    question.scale.standardise(question.x);
    for_each_row(question, [&](std::size_t first, double value) {
        for (std::size_t c = 0; c < sizes_.width; ++c) {
            scratch[c] += value * memory_.weights[first + c];
        }
    });
    if (sizes_.task == Task::classification) {
        softmax(scratch);
    } else {
        scratch[0] = std::clamp(scratch[0], -largest_prediction, largest_prediction);
    }
    std::ranges::transform(scratch, prediction.begin(),
                           [](double value) { return static_cast<float>(value); });
}

// One row of weights against the error.
[[gnu::always_inline]] inline void LinearModel::descend_portably(std::size_t first, double value,
                                                                 const double* error) {
    float* const __restrict weights = memory_.weights.data() + first;
    float* const __restrict squares = memory_.squares.data() + first;
    for (std::size_t c = 0; c < sizes_.width; ++c) {
        const double slope = error[c] * value;
        squares[c] = static_cast<float>(squares[c] + slope * slope);
        weights[c] = static_cast<float>(weights[c] - linear_rate * slope *
                                                         inverse_root(squares[c] + least_square));
    }
}

#ifdef SHRUBS_AVX2
[[gnu::target("avx2"), gnu::flatten]] void LinearModel::descend_avx2(std::size_t first,
                                                                     double value,
                                                                     const double* error) {
    descend_portably(first, value, error);
}
#endif

void LinearModel::descend(std::size_t first, double value, const double* error) {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        return descend_avx2(first, value, error);
    }
#endif
    descend_portably(first, value, error);
}

void LinearModel::learn(const Question& question, const Lesson& lesson) {
    for (std::size_t c = 0; c < sizes_.width; ++c) {
        lesson.scratch[c] =
            std::clamp(lesson.said[c] - lesson.target[c], -largest_error, largest_error);
    }
    for_each_row(question, [&](std::size_t first, double value) {
        descend(first, value, lesson.scratch.data());
    });
}

void LinearModel::forget_feature(std::size_t feature) {
    std::ranges::fill(memory_.weights.subspan(feature * sizes_.width, sizes_.width), 0.0F);
    std::ranges::fill(memory_.squares.subspan(feature * sizes_.width, sizes_.width), 0.0F);
}

void LinearModel::renumber_classes(ClassNumbers now) {
    renumber_rows(memory_.weights, now, 0.0F);
    renumber_rows(memory_.squares, now, 0.0F);
}

void LinearModel::archive(Archive& archive) {
    archive.array(memory_.weights, is_finite);
    archive.array(memory_.squares, is_finite_and_not_negative);
}

void LinearModel::copy_from(const LinearModel& other) {
    copy_rows(other, other.memory_.weights, memory_.weights);
    copy_rows(other, other.memory_.squares, memory_.squares);
}

void LinearModel::copy_rows(const LinearModel& other, std::span<const float> from,
                            std::span<float> to) {
    const std::size_t n_from = other.sizes_.width;
    const std::size_t n_to = sizes_.width;
    const auto copy = [&](std::size_t old, std::size_t n_rows, std::size_t now) {
        shrubs::copy_rows(from.subspan(old * n_from, n_rows * n_from), n_from,
                          to.subspan(now * n_to), n_to);
    };
    const std::size_t old_constant = other.sizes_.n_features;
    const std::size_t constant = sizes_.n_features;
    copy(0, old_constant, 0);
    copy(old_constant, 1, constant);
    for_each_same_bucket(other.sizes_.n_buckets, sizes_.n_buckets,
                         [&](std::size_t old, std::size_t now) {
                             copy(old_constant + 1 + old, 1, constant + 1 + now);
                         });
}

}  // namespace shrubs
