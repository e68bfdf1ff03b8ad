#pragma once

// Values as integers that have their order: these are compared faster.

#include <bit>
#include <cstdint>

namespace shrubs {

/// The key of a missing value; no other value has it.
inline constexpr std::uint32_t missing_key = 0xFFFFFFFFU;

/// An integer for each value; larger values have larger ones. Requires that -0 has become 0.
inline std::uint32_t order_key(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t key = (bits >> 31U) != 0 ? ~bits : bits | 0x80000000U;
    return value != value ? missing_key : key;
}

/// The key that a threshold is compared by: a present value is larger if its key is.
///
/// A threshold that is not a number sends all present values right; no key is below 0.
inline std::uint32_t threshold_key(float threshold) {
    return threshold != threshold ? 0 : order_key(threshold + 0.0F);
}

}  // namespace shrubs
