#pragma once

// What every companion of the shrubs is asked and told. A companion is a type with
//
//     static bool serves(Task)                        whether it can learn this task
//     static constexpr bool recalls                   whether it knows the last outcomes alone
//     static constexpr std::size_t object_bytes       those of itself where pointers are longest, a
//                                                     multiple of eight: plans are alike everywhere
//     static Memory reserve(Arena&, CompanionSizes)   its memory
//     void begin(Memory, CompanionSizes)              before the first example
//     void predict(Question, scratch, prediction)     numbers of a prediction, (width,)
//     void learn(Question, Lesson)
//     void archive(Archive&)                          all that it keeps
//     void copy_from(other)                           goes on with more features, other classes
//     void forget_feature(feature)                    as if it had never been present
//     void renumber_classes(now)                      of those that go there was no example
//     const char* name()
//
// and a place in companions.hpp.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/feature_scale.hpp"
#include "shrubs/memory/arena.hpp"
#include "shrubs/state/archive.hpp"
#include "shrubs/window/class_numbers.hpp"
#include "shrubs/window/dimensions.hpp"

namespace shrubs {

struct CompanionSizes {
    Task task = Task::classification;
    std::uint32_t n_features = 0;
    std::uint32_t width = 0;         ///< numbers in a prediction: classes, or 1
    std::uint32_t n_buckets = 0;     ///< for categories, a power of two or 0
    std::uint32_t n_contexts = 0;    ///< of the last labels, a power of two or 0
    std::uint32_t n_neighbours = 0;  ///< examples
};

/// The outcomes that came last, the latest first.
struct LastOutcomes {
    static constexpr std::uint32_t most = 3;
    std::uint32_t n = 0;
    std::array<std::uint16_t, most> labels{};
    std::array<double, most> targets{};  ///< in deviations of the targets
};

/// The features of an example, the scale of all features, and what came before: all but the last
/// `lag` examples.
struct Question {
    std::span<const float> x;
    const FeatureScale& scale;
    const LastOutcomes& last;
    std::uint32_t lag = 0;
};

/// What came out.
struct Lesson {
    std::uint16_t label = 0;         ///< classification
    std::span<const double> target;  ///< (width,) what a perfect expert would have said
    std::span<const float> said;     ///< (width,) what this one had said
    std::span<double> scratch;       ///< (width,)
};

/// Of an error or a prediction of a regression, in deviations of the targets.
inline constexpr double largest_error = 3.0;
inline constexpr double largest_prediction = 10.0;

/// Rows of `n_from` numbers become rows of `n_to`.
template <class T>
void copy_rows(std::span<const T> from, std::size_t n_from, std::span<T> to, std::size_t n_to) {
    for (std::size_t row = 0; n_from > 0 && row < from.size() / n_from; ++row) {
        std::ranges::copy(from.subspan(row * n_from, std::min(n_from, n_to)),
                          to.subspan(row * n_to).begin());
    }
}

}  // namespace shrubs
