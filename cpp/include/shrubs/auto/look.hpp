#pragma once

// A short description of what an ensemble goes by: its most important features and heaviest rules.

#include <array>
#include <cstdint>
#include <span>

#include "shrubs/auto/placed_shrubs.hpp"
#include "shrubs/state/archive.hpp"

namespace shrubs {

/// The share of a feature in what splits gain.
struct Importance {
    std::uint16_t feature = 0;
    float share = 0.0F;  ///< 0: none
};

/// A split and the side of it.
struct Condition {
    Split split;
    bool to_left = false;
};

/// The first conditions on the way to some leaves of a shrub, and what these say together.
struct Rule {
    static constexpr std::uint32_t max_conditions = 3;

    float weight = 0.0F;  ///< of the shrub, times what the rule adds; 0: no rule
    std::uint16_t n_conditions = 0;
    std::uint16_t label = 0;  ///< the most frequent class
    double outcome = 0.0;     ///< the share of that class, or the mean target
    std::array<Condition, max_conditions> conditions{};
};

/// Recalled features are known by these numbers, however many others there are.
inline constexpr std::uint16_t first_recalled = 0xFFFE;
static_assert(first_recalled >= limits::features);

struct Look {
    static constexpr std::size_t n_importances = 5;
    static constexpr std::size_t n_rules = 3;

    std::uint64_t begun = 0;                              ///< after so many examples; 0: no look
    std::array<Importance, n_importances> importances{};  ///< the largest first
    std::array<Rule, n_rules> rules{};                    ///< the heaviest first

    /// Takes in a rule if it is among the heaviest.
    void add(const Rule& rule);
    void forget_feature(std::uint32_t feature);
    void renumber_classes(ClassNumbers now);
    /// `nominal` has the recalled features too.
    void archive(Archive& archive, std::span<const std::uint8_t> nominal, std::uint32_t n_classes);
};

/// Looks at the ensemble shrub by shrub.
struct LookMaker {
    const PlacedShrubs& shrubs;
    double down;                          ///< the scale of targets
    std::span<double> gains;              ///< (d + recalled_features,) by feature so far
    std::span<std::uint32_t> counts;      ///< (C,) scratch
    std::span<std::uint32_t> all_counts;  ///< the same of a whole shrub
    Look& look;

    void visit(std::uint32_t place, double weight) const;
    /// The importances from what all shrubs gain.
    void finish() const;
};

}  // namespace shrubs
