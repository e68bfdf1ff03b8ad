#pragma once

// The split of a node: the best of one random cut per feature, judged by at most 32 examples.
//
// More would choose hardly better and take longer the longer a window is. An example is a bit: one
// side of a cut is a word, and the examples of a class on it are counted at once. Of more features
// than that, chance makes some look good: a jury judges the best of them again.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "shrubs/auto/config.hpp"
#include "shrubs/auto/node_draw.hpp"
#include "shrubs/growth/split.hpp"
#include "shrubs/simd/floats.hpp"
#include "shrubs/window/recalled.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

inline constexpr std::uint32_t max_finalists = 4;
/// Features that a shrub tries in every node, where there are too many to try all.
inline constexpr std::uint32_t max_favourites = 16;

/// The examples of a node, or some of them, evenly spread.
class NodeSample {
 public:
    explicit NodeSample(std::span<const std::uint16_t> members) {
        n_ = static_cast<std::uint32_t>(std::min<std::size_t>(members.size(), most_sampled));
        if (members.size() <= most_sampled) {
            std::ranges::copy(members, slots_.begin());
        } else {
            for (std::uint32_t i = 0; i < most_sampled; ++i) {
                slots_[i] = members[i * members.size() / most_sampled];
            }
        }
        std::fill_n(slots_.begin() + n_, -n_ % FourFloats::size, slots_[0]);
    }
    std::uint32_t size() const { return n_; }
    /// Behind the last, the first again, up to a multiple of four.
    std::uint16_t operator[](std::size_t i) const { return slots_[i]; }
    /// A bit for each.
    std::uint32_t all() const { return ~std::uint32_t{0} >> (most_sampled - n_); }

 private:
    std::uint32_t n_;
    std::array<std::uint16_t, most_sampled> slots_;
};

/// Scores as `Gini` does.
class SampledGini {
 public:
    /// `ids` is scratch, (n_classes,).
    SampledGini(const NodeSample& sample, std::span<const std::uint16_t> labels,
                std::span<std::uint32_t> ids);
    double score(std::uint32_t left, std::uint32_t right) const;
    /// That of two pure sides.
    double largest_score() const { return n_; }
    /// The number of examples of each class in the sample.
    std::span<const std::uint32_t> totals() const { return std::span(totals_).first(n_classes_); }
    /// Visits the examples of the sample so that they can be put in order, class by class:
    /// `put(place, example)`.
    template <class Put>
    void for_each_by_class(Put put) const {
        std::array<std::uint8_t, most_sampled> next = first_;
        for (std::uint32_t i = 0; i < n_; ++i) {
            put(next[group_[i]]++, i);
        }
    }

 private:
    void count_by_label(const NodeSample& sample, std::span<const std::uint16_t> labels,
                        std::size_t n_labels);
    void count_by_id(const NodeSample& sample, std::span<const std::uint16_t> labels,
                     std::span<std::uint32_t> ids);

    std::uint32_t n_;
    std::uint32_t n_classes_ = 0;                       ///< in the sample
    std::array<std::uint32_t, most_sampled> examples_;  ///< of each class, a bit each
    std::array<std::uint32_t, most_sampled> totals_;
    std::array<std::uint8_t, most_sampled> group_;  ///< of each example, one per class
    std::array<std::uint8_t, most_sampled> first_;  ///< the place of the first one of a group
};

/// Scores as `Variance` does.
class SampledVariance {
 public:
    /// `centred` has targets by slot.
    template <class Centred>
    SampledVariance(const NodeSample& sample, const Centred& centred) : n_(sample.size()) {
        for (std::uint32_t i = 0; i < n_; ++i) {
            centred_[i] = centred[sample[i]];
            total_ += centred_[i];
        }
    }
    double score(std::uint32_t left, std::uint32_t right) const;
    static double largest_score() { return std::numeric_limits<double>::infinity(); }

 private:
    std::uint32_t n_;
    double total_ = 0.0;
    std::array<double, most_sampled> centred_;
};

struct SampledOptions {
    std::uint32_t prime = 2;  ///< `prime_from` the number of features
    /// Tried, constant ones not counted; 0: one if nothing else divides the examples.
    std::uint32_t max_features = 1;
    bool all_nominal = false;                   ///< there are no numbers
    bool recalls = false;                       ///< the outcomes before an example are tried first
    std::span<const std::uint16_t> favourites;  ///< features that are tried next
    std::uint32_t n_finalists = 1;
    double down = 1.0;      ///< the scale of targets among them
    std::uint32_t lag = 0;  ///< the last ones that were not known yet
};

/// The splits with the largest scores, the best first, the earlier one of equals.
class Finalists {
 public:
    explicit Finalists(std::uint32_t most) : most_(most) {}
    std::uint32_t most() const { return most_; }
    std::uint32_t size() const { return n_; }
    const Split& operator[](std::size_t i) const { return best_[i].split; }
    bool is_empty() const { return n_ == 0; }
    double best_score() const { return best_[0].score; }
    /// Only a larger score comes in.
    double bar() const { return best_[most_ - 1].score; }
    void add(const BestSplit& found);

 private:
    std::uint32_t most_;
    std::uint32_t n_ = 0;
    std::array<BestSplit, max_finalists> best_;
};

/// None if all features are constant. Features are tried in an order that is drawn; a cut between
/// pure sides ends the search.
template <class Impurity>
Finalists find_sampled_splits(const Window& window, const NodeSample& sample,
                              const SampledOptions& options, const Impurity& impurity,
                              Random& random);

}  // namespace shrubs
