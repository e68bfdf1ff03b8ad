#pragma once

// The best split of a node for classification, found with a fast look at all features and an exact
// one at few.
//
// First the largest score of every feature is found in single precision: eight features at a time
// in `Lanes`, or by counting rows for features of two values. Each is off by at most 2^-21 of
// itself (a few roundings of positive numbers). So a feature whose largest score is less than
// (1 - 2^-20) times the largest of all cannot hold the best cut, not even a tie in double
// precision: leaving it out does not change the result. The others are looked at exactly, in the
// order of the features, with the scores of `Gini`.
//
// Features with missing values, and nominal ones of more than two categories, are tried by the
// plain search of split.hpp. Constant features are left out: they have no cut.

#include <cstdint>
#include <optional>
#include <span>

#include "shrubs/impurity.hpp"
#include "shrubs/lane_scan.hpp"
#include "shrubs/lanes.hpp"
#include "shrubs/split.hpp"
#include "shrubs/two_valued.hpp"
#include "shrubs/window.hpp"

namespace shrubs {

/// How the cuts of a feature are found.
enum class FeatureKind : std::uint8_t {
    constant,
    two_valued,
    distinct,  ///< all values differ
    repeated,  ///< some values are equal
    plain,     ///< by the plain search
};

/// Scratch. B = window size, C = classes, d = features, d8 = `Window::row_stride(d)`.
struct ClassSearchMemory {
    std::span<std::uint16_t> lanes;       ///< two times `Lanes::n_entries(B, d)`
    std::span<float> inverse;             ///< (B + 1,) one over the index
    std::span<std::uint32_t> counts;      ///< (8 * C,)
    std::span<float> lane_scores;         ///< (d8,)
    std::span<float> group_scores;        ///< (d8 * n_groups(B),)
    std::span<float> scores;              ///< (d8,) of features of two values
    std::span<std::uint16_t> features;    ///< (d,) of the lanes
    std::span<FeatureKind> kinds;         ///< (d,)
    std::span<std::uint16_t> classes;     ///< (min(B, C),) of the node
    std::span<std::uint8_t> moves;        ///< (`Lanes::n_different(B, C)`,)
    std::span<std::uint8_t> bytes;        ///< (C * d8,)
    std::span<std::uint16_t> counts_two;  ///< (C * d8,)
    std::span<std::uint32_t> totals;      ///< (C,)
    std::span<std::uint32_t> lefts;       ///< (C,)
    std::span<std::uint16_t> spare;       ///< (B,)
};

/// A split and, where a lane knows it, how many examples go left.
struct FoundSplit {
    Split split;
    std::uint32_t lane = 0;
    std::uint32_t n_left = 0;    ///< 0: not known
    std::uint32_t n_second = 0;  ///< of these, those of the second class, if the node has two
};

/// The two sides of a split.
struct Division {
    std::uint32_t n_left = 0;
    bool left_is_pure = false;
    bool right_is_pure = false;
};

class ClassSearch {
 public:
    /// Whether windows of this size with so many classes can be searched this way.
    static bool can_search(std::uint32_t window_size, std::uint32_t n_classes);
    /// Groups of cuts that a node may have.
    static std::uint64_t n_groups(std::uint64_t window_size) {
        return (window_size + cuts_per_group - 1) / cuts_per_group;
    }

    /// Takes the orders of the window; all features are tried, by the best cut.
    ClassSearch(const ClassSearchMemory& memory, const Window& window,
                std::uint32_t min_samples_leaf);

    /// The examples of a node, in any order.
    LaneColumn members(const LaneRange& node) const { return lanes_.column(node, 0); }
    std::uint32_t slot(std::uint16_t entry) const { return lanes_.slot(entry); }

    /// Counts the classes of a node. Returns whether there is but one. A left side has to be
    /// counted right after its parent was divided.
    bool count_classes(const LaneRange& node);
    /// Examples by class, `(C,)`.
    std::span<const std::uint32_t> totals() const { return memory_.totals; }

    /// The split that `find_split` would find in a node whose classes are counted.
    std::optional<FoundSplit> find(const LaneRange& node);

    /// Tells every example of the node where to go. Requires that it has just been searched. Writes
    /// the members of the children, unless a lane knows the split.
    Division divide(const LaneRange& node, const FoundSplit& found);
    /// The examples of a node, those that go left first. Requires that a lane knows the split.
    LaneColumn in_order(const LaneRange& node, const FoundSplit& found) const {
        return lanes_.column(node, found.lane);
    }
    /// Writes the members of the children, and the orders of those that are to be searched.
    void partition(const LaneRange& node, Lanes::Sides sides) const {
        if (n_lanes_ == 0) {
            return;  // `divide` has written all there is.
        }
        if (sides.left || sides.right) {
            lanes_.partition_all(node, memory_.moves, sides);
        } else {
            lanes_.partition_first(node, memory_.moves);
        }
    }

 private:
    void sort_features();
    float scan(const LaneRange& node, const ScannedNode& scanned);
    float scan_two_valued(const LaneRange& node, const ScannedNode& scanned);
    const std::uint16_t* mark_differences(const LaneRange& node, std::uint32_t block) const;
    void look_at_lane(const LaneRange& node, const ScannedNode& scanned, std::uint32_t lane,
                      float enough, BestSplit& best, FoundSplit& found) const;
    void count_left(const LaneColumn& column, std::uint32_t begin, std::uint32_t end,
                    std::span<const std::uint16_t> classes) const;
    void look_at_two_valued(const ScannedNode& scanned, std::uint32_t feature,
                            BestSplit& best) const;
    void look_plainly(const LaneRange& node, std::uint32_t lane, BestSplit& best) const;
    std::uint32_t divide_two_valued(const LaneRange& node, std::uint32_t feature);
    bool is_allowed(const ScannedNode& scanned, std::uint32_t feature) const;
    bool is_settled(const LaneRange& node) const;

    ClassSearchMemory memory_;
    const Window& window_;
    std::uint32_t min_samples_leaf_;
    Lanes lanes_;
    TwoValuedCounts two_valued_;
    std::uint32_t n_lanes_ = 0;  ///< those with a feature
    std::uint32_t n_two_valued_ = 0;
    std::uint32_t n_plain_ = 0;
    std::uint32_t n_classes_ = 0;  ///< in the node
};

}  // namespace shrubs
