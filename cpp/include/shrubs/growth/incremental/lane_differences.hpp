#pragma once

// Where the values of eight features change. There is no cut between equal values.

#include <cstdint>

#include "shrubs/growth/incremental/lanes.hpp"

namespace shrubs {

/// The values behind a block of `Lanes`.
struct BlockValues {
    const std::uint16_t* entries = nullptr;
    std::uint32_t slot_bits = 0;
    /// By slot, all parts of one array; null for a lane whose values all differ, but not for every
    /// lane.
    const float* columns[lane_width] = {};
};

/// Marks with 1 where a value differs from the next one of its lane, otherwise with 0:
/// `differs[place * lane_width + lane]`, for all places but the last.
void mark_differences(const BlockValues& block, std::uint32_t n_places, std::uint16_t* differs);

}  // namespace shrubs
