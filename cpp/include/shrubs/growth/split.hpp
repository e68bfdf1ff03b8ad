#pragma once

// The best split of a set of examples.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "shrubs/numerics/random.hpp"
#include "shrubs/tree/impurity.hpp"
#include "shrubs/tree/shrub.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// Code that is compiled for size (-Os) is for small machines: it does without what makes growing
/// faster in many cases. The shrubs are the same.
#ifdef __OPTIMIZE_SIZE__
inline constexpr bool is_small_code = true;
#else
inline constexpr bool is_small_code = false;
#endif

/// Every cut of a feature is tried, or one drawn uniformly.
enum class Splitter : std::uint8_t { best, random };

/// The examples of one node: `members` in arrival order, and for `splitter="best"` the same
/// examples in the order of each feature, `sorted[feature * stride + begin ...]`.
struct NodeExamples {
    std::span<const std::uint16_t> members;
    const std::uint16_t* sorted = nullptr;
    std::size_t stride = 0;
    bool by_class = false;  ///< members stand class by class, ascending; else in arrival order

    std::span<const std::uint16_t> by_value(std::uint32_t feature) const {
        return {sorted + feature * stride, members.size()};
    }
};

/// What the search for a split needs to know besides the examples.
struct SplitOptions {
    Splitter splitter = Splitter::best;
    std::uint32_t min_samples_leaf = 1;
    std::uint32_t max_features = 1;
};

/// The best cut seen so far in a node.
struct BestSplit {
    double score = -std::numeric_limits<double>::infinity();
    Split split;
    bool found = false;
};

/// The threshold between two neighbouring values a < b: at least a and less than b.
float threshold_between(float a, float b);

/// The threshold at the share `u` of the way between two values, 0 <= u < 1: at least `low` and
/// less than `high`.
inline float threshold_at(float low, float high, double u) {
    const double begin = low;
    const auto threshold = static_cast<float>(begin + u * (static_cast<double>(high) - begin));
    return threshold < high ? threshold : low;
}
/// A threshold drawn uniformly between two values.
inline float draw_threshold(float low, float high, Random& random) {
    return threshold_at(low, high, random.uniform());
}

/// A node that is searched.
struct SearchedNode {
    const Window& window;
    const NodeExamples& examples;
    const SplitOptions& options;
};

/// Tries the cuts of one feature; `impurity` has begun the node. False if the feature is constant.
template <class Impurity>
bool try_feature(const SearchedNode& node, std::uint32_t feature, Impurity& impurity,
                 Random& random, BestSplit& best);

/// Finds the split with the largest score, the earliest of equals; none if no cut is allowed.
///
/// `max_features` features are tried, constant ones not counted, and more if none of those has an
/// allowed cut. `permutation` holds all features in any order and is shuffled along the way; it is
/// not used when all features are tried, which happens in ascending order.
/// A missing value goes to the side that serves the split best, and to the larger side if the
/// node has none.
template <class Impurity>
std::optional<Split> find_split(const Window& window, const NodeExamples& examples,
                                const SplitOptions& options, std::span<std::uint16_t> permutation,
                                Impurity& impurity, Random& random);

}  // namespace shrubs
