#pragma once

// A good split of a set of examples from few cuts: one drawn between the extremes, or the best of
// sixteen at values of drawn examples. Small sets try all cuts.

#include <cstdint>
#include <optional>
#include <span>

#include "shrubs/auto/tally.hpp"
#include "shrubs/random.hpp"
#include "shrubs/shrub.hpp"
#include "shrubs/window.hpp"

namespace shrubs {

/// How much is tried.
struct SampledSearch {
    /// Per feature: 1, or `careful_cuts`. With the latter all cuts of at most so many examples.
    std::uint32_t n_cuts = 1;
    std::uint32_t n_features = 1;  ///< tried per node, constant ones not counted
};

/// Finds the split with the largest score, the earliest of equals; none if all features are
/// constant. `features` holds all features in any order and is shuffled along the way. `tally` has
/// begun the node.
template <class Tally>
std::optional<Split> find_sampled_split(const Window& window,
                                        std::span<const std::uint16_t> members,
                                        const SampledSearch& search,
                                        std::span<std::uint16_t> features, Tally& tally,
                                        Random& random);

extern template std::optional<Split> find_sampled_split<ClassTally>(const Window&,
                                                                    std::span<const std::uint16_t>,
                                                                    const SampledSearch&,
                                                                    std::span<std::uint16_t>,
                                                                    ClassTally&, Random&);
extern template std::optional<Split> find_sampled_split<TargetTally>(const Window&,
                                                                     std::span<const std::uint16_t>,
                                                                     const SampledSearch&,
                                                                     std::span<std::uint16_t>,
                                                                     TargetTally&, Random&);

}  // namespace shrubs
