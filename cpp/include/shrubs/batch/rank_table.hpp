#pragma once

// The thresholds of one feature in ascending order, and the rank of a value among them: how many
// thresholds are smaller. A value is larger than a threshold if its rank is; a rank is a byte.

#include <array>
#include <cstddef>
#include <cstdint>

namespace shrubs {

/// Ranks are stored less 128: signed bytes are what processors compare fastest.
using Rank = std::int8_t;

class RankTable {
 public:
    static constexpr std::size_t max_thresholds = 255;
    /// Rows are ranked so many at a time.
    static constexpr std::size_t side_by_side = 16;

    RankTable();

    std::size_t size() const { return size_; }
    /// Takes in a threshold, by its key, once; false if it is new and there is no room.
    bool add(std::uint32_t threshold);
    /// The rank that a value must exceed to be larger than this threshold, which was added.
    Rank rank_of(std::uint32_t threshold) const;

    /// The ranks of `n` values, a multiple of `side_by_side`. The key of value i is
    /// `keys[i * step]`. A missing value is smaller than all thresholds in `missing_left` and
    /// larger in `missing_right`.
    void rank(const std::uint32_t* keys, std::size_t step, std::size_t n, Rank* missing_left,
              Rank* missing_right) const;

 private:
    std::uint32_t n_smaller(std::uint32_t key) const;

    std::array<std::uint32_t, max_thresholds + 1> keys_;  // ascending, then as large as can be
    std::uint32_t size_ = 0;
};

}  // namespace shrubs
