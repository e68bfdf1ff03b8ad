#pragma once

// Categories in a fixed number of buckets, a power of two. Categories may share one.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace shrubs {

/// Codes from here on stand for categories whose text is not kept. Many of them never come again,
/// so they tell a companion nothing; shrubs may ask for them.
inline constexpr float first_unnamed = 8388608.0F;

/// Whether a companion passes over a value: a missing one, or a category without a text.
inline bool says_nothing(float value, bool nominal) {
    return value != value || (nominal && value >= first_unnamed);
}

inline std::uint32_t bucket_of(std::size_t feature, float category, std::uint32_t n_buckets) {
    std::uint64_t key = std::bit_cast<std::uint32_t>(category) + (std::uint64_t{feature} << 32U);
    key = (key ^ (key >> 30U)) * 0xBF58476D1CE4E5B9U;
    key = (key ^ (key >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<std::uint32_t>(key >> 40U) & (n_buckets - 1);
}

/// Calls `visit(from, to)` for the buckets that hold the same categories where there were `n_from`
/// buckets and are `n_to`: they are found by the last bits of a hash, so one of few stands for some
/// of many.
template <class Visit>
void for_each_same_bucket(std::uint32_t n_from, std::uint32_t n_to, Visit visit) {
    if (n_from == 0 || n_to == 0) {
        return;
    }
    for (std::uint32_t i = 0; i < std::max(n_from, n_to); ++i) {
        visit(std::size_t{i & (n_from - 1)}, std::size_t{i & (n_to - 1)});
    }
}

}  // namespace shrubs
