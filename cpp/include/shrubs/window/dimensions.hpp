#pragma once

// The task, the shape of the examples, and the limits of what the core can hold.

#include <cstdint>

namespace shrubs {

enum class Task : std::uint8_t { classification, regression };

/// The shape of the examples. A class or feature never seen before changes it.
struct Dimensions {
    std::uint32_t n_features = 0;
    std::uint32_t n_classes = 0;
    /// Features tried per node, at most `n_features`.
    std::uint32_t max_features = 0;
};

namespace limits {

inline constexpr std::uint32_t window_size = 65535;
inline constexpr std::uint32_t features = 16384;
inline constexpr std::uint32_t classes = 65535;

}  // namespace limits

}  // namespace shrubs
