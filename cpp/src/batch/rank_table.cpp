#include "shrubs/batch/rank_table.hpp"

#include <algorithm>
#include <bit>

#include "shrubs/batch/order_key.hpp"

namespace shrubs {

namespace {

Rank as_rank(std::uint32_t smaller) {
    return static_cast<Rank>(static_cast<std::int32_t>(smaller) - 128);
}

}  // namespace

RankTable::RankTable() {
    keys_.fill(missing_key);
}

bool RankTable::add(std::uint32_t threshold) {
    const std::uint32_t at = n_smaller(threshold);
    if (keys_[at] == threshold) {
        return true;
    }
    if (size_ == max_thresholds) {
        return false;
    }
    std::copy_backward(keys_.begin() + at, keys_.begin() + size_, keys_.begin() + size_ + 1);
    keys_[at] = threshold;
    ++size_;
    return true;
}

Rank RankTable::rank_of(std::uint32_t threshold) const {
    return as_rank(n_smaller(threshold));
}

// A binary search without branches: whatever the key, the same steps.
std::uint32_t RankTable::n_smaller(std::uint32_t key) const {
    std::uint32_t n = 0;
    for (std::uint32_t more = std::bit_floor(size_); more != 0; more /= 2) {
        n += keys_[n + more - 1] < key ? more : 0;
    }
    return n;
}

// The same search for several values side by side.
void RankTable::rank(const std::uint32_t* keys, std::size_t step, std::size_t n, Rank* missing_left,
                     Rank* missing_right) const {
    for (std::size_t i = 0; i < n; i += side_by_side) {
        std::uint32_t key[side_by_side];
        std::uint32_t smaller[side_by_side] = {};
        for (std::size_t k = 0; k < side_by_side; ++k) {
            key[k] = keys[(i + k) * step];
        }
        for (std::uint32_t more = std::bit_floor(size_); more != 0; more /= 2) {
            for (std::size_t k = 0; k < side_by_side; ++k) {
                smaller[k] += keys_[smaller[k] + more - 1] < key[k] ? more : 0;
            }
        }
        for (std::size_t k = 0; k < side_by_side; ++k) {
            missing_right[i + k] = as_rank(smaller[k]);
            missing_left[i + k] = as_rank(key[k] == missing_key ? 0 : smaller[k]);
        }
    }
}

}  // namespace shrubs
