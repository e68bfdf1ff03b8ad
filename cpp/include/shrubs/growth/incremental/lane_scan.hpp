#pragma once

// The largest score among the cuts of eight features at once, in single precision.
//
// The scores are those of `Gini` up to a relative error of 2^-22 (three roundings). They do not
// decide: they only tell which features are worth an exact look. See `SplitSearch`.

#include <cstdint>
#include <span>

#include "shrubs/growth/incremental/lanes.hpp"
#include "shrubs/simd/eight.hpp"

namespace shrubs {

/// Counts below 2^12, sums of their squares at most 2^24: exact in single precision.
inline constexpr std::uint32_t largest_scanned_window = 4096;

/// A node whose cuts are scanned.
struct ScannedNode {
    std::span<const std::uint16_t> classes;  ///< those that occur, ascending; two at least
    std::span<const std::uint32_t> totals;   ///< (C,) examples by class
    std::uint32_t size = 0;
    std::uint32_t min_samples_leaf = 1;
    /// (size + 1,) `inverse[i]` = 1 / i
    const float* inverse = nullptr;
};

/// A block of `Lanes`.
struct ScannedBlock {
    const std::uint16_t* entries = nullptr;
    /// 1 where a value differs from the next one of its lane, otherwise 0; null: all differ.
    const std::uint16_t* differs = nullptr;
    std::uint32_t slot_bits = 0;
    std::uint32_t n_lanes = lane_width;  ///< lanes in use, the first ones
};

/// Cuts are scanned in groups, so that the best one is found again quickly. The cut after a place
/// belongs to the group `place / cuts_per_group`.
inline constexpr std::uint32_t cuts_per_group = 16;

/// The largest score of each lane; 0 for a lane without an allowed cut.
///
/// `counts` is scratch for `lane_width` numbers per class. `groups` gets the largest scores by
/// group of cuts, `groups[group * lane_width + lane]`.
EightFloats scan_cuts(const ScannedNode& node, const ScannedBlock& block,
                      std::span<std::uint32_t> counts, float* groups);

/// What is compared in a node of two classes is (L_1^2 / n_L + R_1^2 / n_R) for the second of them.
/// The score is twice that plus a constant of the node, so the order is the same.
inline bool counts_one_class(const ScannedNode& node) {
    return node.classes.size() == 2;
}
/// The score of `Gini` that belongs to one of a scan.
inline double gini_of_scan(const ScannedNode& node, float score) {
    if (!counts_one_class(node)) {
        return score;
    }
    // With L_0 = n_L - L_1: L_0^2 / n_L = n_L - 2 L_1 + L_1^2 / n_L, and the same on the right.
    const double n_second = node.totals[node.classes[1]];
    return node.size - 2.0 * n_second + 2.0 * score;
}

}  // namespace shrubs
