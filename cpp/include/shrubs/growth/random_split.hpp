#pragma once

// The best of one random cut per feature, for classes, many features at a time.
//
// A window for random splits stores rows. One pass over the rows of a node finds the smallest and
// the largest value of up to 24 neighbouring features, a second one counts the classes left of 24
// cuts; both do the same to all features side by side, which compilers turn into vector
// instructions. Counts and scores are exact, so the result is that of `find_split` to the bit.

#include <cstdint>
#include <optional>
#include <span>

#include "shrubs/growth/split.hpp"
#include "shrubs/window/dimensions.hpp"

namespace shrubs {

/// How many features are looked at side by side at least. 0: `find_split` has to do it one by one.
inline std::uint32_t random_split_width(Task task, Splitter splitter,
                                        const Dimensions& dimensions) {
    if (task != Task::classification || splitter != Splitter::random ||
        dimensions.max_features < dimensions.n_features || dimensions.n_features < 4) {
        return 0;
    }
    return dimensions.n_features < 8 ? 4 : dimensions.n_features < 16 ? 8 : 16;
}

/// How many features are looked at side by side if there is room for their counts.
inline std::uint32_t widest_random_split(Task task, Splitter splitter,
                                         const Dimensions& dimensions) {
    const std::uint32_t width = random_split_width(task, splitter, dimensions);
    return width == 16 && dimensions.n_features >= 24 ? 24 : width;
}

/// Does what `find_split` does when all features are tried by random cuts.
/// `left_counts` is scratch, (C * random_split_width,) or better (C * widest_random_split,).
std::optional<Split> find_random_split(const Window& window, const NodeExamples& examples,
                                       const SplitOptions& options, std::span<float> left_counts,
                                       Gini& impurity, Random& random);

}  // namespace shrubs
