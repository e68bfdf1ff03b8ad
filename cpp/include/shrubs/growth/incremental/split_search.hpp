#pragma once

// The best split of a node for classification, found by a fast scan of all features and an exact
// search of few.
//
// First the largest score of every feature is found in single precision: eight features at a time
// in `Lanes`, or by counting rows for features of two values. Each is off by at most 2^-21 of
// itself (a few roundings of positive numbers). So a feature whose largest score is less than
// (1 - 2^-20) times the largest of all cannot hold the best cut, not even a tie in double
// precision: leaving it out does not change the result. The others are searched exactly, in the
// order of the features, with the scores of `Gini`.
//
// Where values are repeated, the scan takes a cut between equal ones for a cut. If such a one seems
// to be the best, no exact score reaches it. Then lower scores are looked at, until an exact one
// reaches what was asked of all: what the scan says is a bound.
//
// A few categories are counted, class by class, and each is a cut: like features of two values,
// they need no order. If features are drawn, those of few whole numbers are counted as well.
// Features with missing values, and nominal ones with other categories, are tried by the plain
// search of split.hpp; so are all that need an order if entries hold no labels. Constant features
// are left out: they have no cut.
//
// If not all features are tried, those of a node are drawn first, and only theirs are scanned.

#include <cstdint>
#include <optional>
#include <span>

#include "shrubs/growth/growth_plan.hpp"
#include "shrubs/growth/incremental/lane_scan.hpp"
#include "shrubs/growth/incremental/lanes.hpp"
#include "shrubs/growth/incremental/last_shrub.hpp"
#include "shrubs/growth/incremental/two_valued.hpp"
#include "shrubs/growth/split.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/tree/impurity.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// How the cuts of a feature are found.
enum class FeatureKind : std::uint8_t {
    constant,
    two_valued,
    categories,  ///< a few, numbered
    levels,      ///< numeric, a few whole numbers
    distinct,    ///< all values differ
    repeated,    ///< some values are equal
    coarse,      ///< most are
    plain,       ///< by the plain search
};

/// What is not kept from one shrub to the next is scratch. B = window size, C = classes, d =
/// features, d8 = `Window::row_stride(d)`.
struct SplitSearchMemory {
    std::span<std::uint16_t> lanes;     ///< kept: `Lanes::n_entries(B, d, n_kept)`
    std::span<std::uint16_t> features;  ///< kept: (d,) of the lanes
    std::uint16_t* n_lanes;             ///< kept: (1,)
    std::uint32_t n_kept;               ///< levels of the lanes that are kept
    std::span<float> inverse;           ///< kept: (B + 1,) by `SplitSearch::fill_inverse`
    std::span<float> bounds;  ///< kept: `SplitSearch::n_bounds(d, n_kept)`; no score is higher
    std::span<std::uint16_t> counts;      ///< (8 * C,)
    float* lane_scores;                   ///< (d8,)
    float* group_scores;                  ///< (d8 * n_groups(B),)
    std::span<float> scores;              ///< (d8,) of features of two values
    std::span<FeatureKind> kinds;         ///< (d,)
    std::uint16_t* lane_of;               ///< (d,) by feature, of those with a lane
    std::uint16_t* tried;                 ///< (d,) features in the order of `find_split`
    std::uint8_t* is_tried;               ///< (d,) or null: all are
    std::span<std::uint16_t> classes;     ///< (min(B, C),) of the node
    std::span<std::uint8_t> moves;        ///< (`Lanes::n_different(B, C)`,)
    std::span<std::uint8_t> bytes;        ///< (C * d8,)
    std::span<std::uint16_t> counts_two;  ///< (C * d8,)
    std::span<std::uint16_t> kept_two;    ///< (C * d8,) by depth, of right sides that wait
    std::span<std::uint32_t> totals;      ///< (C,)
    std::span<std::uint32_t> lefts;       ///< (C,)
    std::span<std::uint16_t> spare;       ///< (B,)

    /// All but `totals`, `lefts`, `spare` and `tried`, which are shared.
    static SplitSearchMemory reserve(Arena& arena, const GrowthPlan& plan);
};

/// A split and, where a lane knows it, how many examples go left.
struct FoundSplit {
    Split split;
    std::uint32_t lane = 0;
    std::uint32_t n_left = 0;    ///< 0: not known
    std::uint32_t n_second = 0;  ///< of these, those of the node's second class
};

/// The two sides of a split.
struct Division {
    std::uint32_t n_left = 0;
    bool left_is_pure = false;
    bool right_is_pure = false;
};

/// What a child of a node needs from it.
enum class Needs : std::uint8_t {
    nothing,
    members,  ///< it is a leaf
    orders,   ///< it will be searched
};

/// Whether the cuts of a feature are found by counting its values in a node.
constexpr bool is_counted(FeatureKind kind) {
    return kind == FeatureKind::categories || kind == FeatureKind::levels;
}
/// Whether the cuts of a feature are found in the order of its values.
constexpr bool is_ordered(FeatureKind kind) {
    return kind > FeatureKind::levels;
}

class SplitSearch {
 public:
    /// Whether windows of this size with so many classes can be searched this way.
    static bool can_search(std::uint32_t window_size, std::uint32_t n_classes);
    /// Groups of cuts that a node may have.
    static std::uint64_t n_groups(std::uint64_t window_size) {
        return (window_size + cuts_per_group - 1) / cuts_per_group;
    }

    /// A bound for each block of features in each node of the kept levels.
    static std::uint64_t n_bounds(std::uint64_t n_features, std::uint32_t n_kept) {
        return ((std::uint64_t{1} << n_kept) - 1) * Lanes::n_blocks(n_features);
    }
    /// Counts of categories and levels, class by class, that there is room for.
    static constexpr std::size_t max_counted = 2048;
    /// Levels of a feature: as many bits tell which of them a node has.
    static constexpr std::uint32_t max_levels = 64;
    /// Fills a table of 1 / i.
    static void fill_inverse(std::span<float> inverse);

    /// `options.max_features` features are tried, by the best cut. If these are not all of them, no
    /// more than one sample may be asked of a leaf.
    SplitSearch(const SplitSearchMemory& memory, const Window& window, const SplitOptions& options,
                Random random);

    const Lanes& lanes() const { return lanes_; }
    /// Whether the lanes are those of the last shrub.
    bool has_same_lanes() const { return has_same_lanes_; }
    /// Whether the orders of nodes at this depth are kept.
    bool keeps(std::uint32_t depth) const { return n_lanes_ > 0 && depth < lanes_.n_kept(); }

    /// Takes the orders of the window for the root.
    void fill();
    /// Brings the kept orders of a node up to date.
    void update(LaneRange node, const Subtree& subtree, const Changes& changes,
                std::uint32_t n_before) const;

    /// The examples of a node, in any order.
    LaneColumn members(const LaneRange& node) const { return lanes_.column(node, 0); }

    /// Counts the classes of a node. Returns whether there is but one. A left side has to be
    /// counted right after its parent was divided. A right side has `n_second` examples of the
    /// second of two classes.
    bool count_classes(const LaneRange& node, std::uint32_t n_second);
    /// That number for the right side of a node that has just been divided; 0 for more classes.
    std::uint32_t n_second_on_right() const {
        return memory_.totals.size() == 2 ? memory_.totals[1] - memory_.lefts[1] : 0;
    }
    /// Examples by class, `(C,)`.
    std::span<const std::uint32_t> totals() const { return memory_.totals; }

    /// The split that `find_split` would find in a node whose classes are counted. `is_updated`:
    /// its orders are kept ones.
    std::optional<FoundSplit> find(const LaneRange& node, bool is_updated);

    /// Counts the examples on both sides of a split. Requires that the node has just been searched.
    Division divide(const LaneRange& node, const FoundSplit& found);
    /// Writes the orders of those children that need them, and the members of the others.
    struct Children {
        LaneRange left;
        LaneRange right;
        Needs left_needs;
        Needs right_needs;
    };
    void partition(const LaneRange& node, const FoundSplit& found, const Children& children) const;
    /// Counts the smaller side of a node that has just been partitioned, for the search of both:
    /// the other one has the rest. If all features are tried, sides are counted when they are
    /// searched.
    void count_sides(const Children& children);

 private:
    void sort_features();
    bool has_few_categories(std::uint32_t feature) const;
    bool has_few_levels(std::uint32_t feature) const;
    bool has_whole_numbers(std::uint32_t feature) const;
    // The best split of some features, and its place among those that are tried.
    struct PlacedSplit {
        BestSplit split;
        std::uint32_t place = 0;
    };
    static const BestSplit& first_of(const PlacedSplit& a, const PlacedSplit& b) {
        const bool is_tie = a.split.score == b.split.score;
        return a.split.score > b.split.score || (is_tie && a.place < b.place) ? a.split : b.split;
    }
    // Calls `visit(feature, place)` for the features that are tried until it returns false.
    template <class Visit>
    void for_each_tried(Visit visit) const {
        for (std::uint32_t i = 0; i < n_tried_; ++i) {
            const std::uint32_t feature = samples() ? memory_.tried[i] : i;
            if (is_tried(feature) && !visit(feature, i)) {
                return;
            }
        }
    }
    BestSplit search(const LaneRange& node, const ScannedNode& scanned, const PlacedSplit& counted,
                     bool is_updated, FoundSplit& found);
    PlacedSplit search_counted(const LaneRange& node, const ScannedNode& scanned);
    PlacedSplit search_scanned(const LaneRange& node, const ScannedNode& scanned, float enough,
                               bool first_is_best, FoundSplit& found);
    float scan_all(const LaneRange& node, const ScannedNode& scanned, bool is_updated);
    float least_worth_a_search(const LaneRange& node, float largest) const;
    static double undivided_score(const ScannedNode& scanned);
    void rescan(const LaneRange& node, const ScannedNode& scanned, float enough);
    bool samples() const { return memory_.is_tried != nullptr; }
    void draw_features(const LaneRange& node, const ScannedNode& scanned);
    bool is_constant(const LaneRange& node, const ScannedNode& scanned,
                     std::uint32_t feature) const;
    bool is_tried(std::uint32_t feature) const {
        return !samples() || memory_.is_tried[feature] != 0;
    }
    std::uint32_t label(std::uint16_t entry) const {
        return lanes_.has_labels() ? lanes_.label(entry) : window_.labels()[lanes_.slot(entry)];
    }
    void count_two_valued(const LaneRange& node, const ScannedNode& scanned);
    void count_two_valued(const LaneRange& node, std::span<const std::uint16_t> classes,
                          TwoValuedCounts& counts);
    bool keeps_two_valued(std::uint32_t depth) const;
    TwoValuedCounts kept_two_valued(std::uint32_t depth) const;
    float scan(const LaneRange& node, const ScannedNode& scanned, bool is_updated);
    float scan_block(const LaneRange& node, const ScannedNode& scanned, std::uint32_t block);
    float scan_within(std::span<float> bounds, const LaneRange& node, const ScannedNode& scanned,
                      bool is_updated);
    bool is_worth_a_scan(std::uint32_t block) const;
    std::span<float> bounds(const LaneRange& node) const;
    float score_two_valued(const ScannedNode& scanned);
    const std::uint16_t* mark_differences(const LaneRange& node, std::uint32_t block) const;
    void search_exactly(const LaneRange& node, const ScannedNode& scanned, std::uint32_t lane,
                        float enough, BestSplit& best, FoundSplit& found) const;
    struct PlaceRange {
        std::uint32_t begin;
        std::uint32_t end;
    };
    template <class Consider>
    void try_cuts(const LaneColumn& column, PlaceRange places, const ScannedNode& scanned,
                  Consider consider) const;
    void count_left(const LaneColumn& column, std::uint32_t begin, std::uint32_t end) const;
    void search_two_valued(const ScannedNode& scanned, std::uint32_t feature,
                           BestSplit& best) const;
    void search_categories(const LaneRange& node, const ScannedNode& scanned, std::uint32_t feature,
                           BestSplit& best) const;
    void search_levels(const LaneRange& node, const ScannedNode& scanned, std::uint32_t feature,
                       BestSplit& best) const;
    void search_plainly(const LaneRange& node, std::uint32_t lane, BestSplit& best) const;
    void mark(const LaneRange& node, const FoundSplit& found) const;
    bool is_allowed(const ScannedNode& scanned, std::uint32_t feature) const;
    bool is_settled(const LaneRange& node) const;

    SplitSearchMemory memory_;
    const Window& window_;
    std::uint32_t min_samples_leaf_;
    std::uint32_t max_features_;
    Random random_;
    std::uint32_t n_tried_;
    Lanes lanes_;
    TwoValuedCounts two_valued_;
    std::uint32_t n_lanes_ = 0;  ///< those with a feature
    bool has_same_lanes_ = true;
    std::uint32_t n_two_valued_ = 0;
    bool is_left_counted_ = false;  ///< `two_valued_` is that of the left side that follows
    std::uint32_t n_plain_ = 0;
    std::uint32_t n_counted_ = 0;  ///< those of categories or levels
    bool is_careful_ = false;      ///< cuts between equal values are known
    std::uint32_t n_classes_ = 0;  ///< in the node
};

}  // namespace shrubs
