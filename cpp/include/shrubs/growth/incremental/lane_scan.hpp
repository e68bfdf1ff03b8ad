#pragma once

// The largest score among the cuts of eight features at once, in single precision.
//
// The scores are those of `Gini` up to a relative error of 2^-22 (four roundings). They do not
// decide: they only tell which features are worth an exact search. See `SplitSearch`.

#include <cstdint>
#include <span>

#include "shrubs/growth/incremental/lanes.hpp"

namespace shrubs {

/// Twice a count fits into 16 bits with a sign, and sums of squares into 32 bits.
inline constexpr std::uint32_t max_scanned_window = 8192;

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
};

/// Cuts are scanned in groups, so that the best one is found again quickly. The cut after a place
/// belongs to the group `place / cuts_per_group`.
inline constexpr std::uint32_t cuts_per_group = 16;

/// The largest scores of eight features, 0 without an allowed cut.
struct LaneScores {
    float* lanes;   ///< (8,)
    float* groups;  ///< by group of cuts, `groups[group * lane_width + lane]`
};

/// Fills `scores`. `lefts` is scratch, (8 * C,).
void scan_cuts(const ScannedNode& node, const ScannedBlock& block, std::span<std::uint16_t> lefts,
               const LaneScores& scores);

}  // namespace shrubs
