#pragma once

#include <cstdint>

namespace shrubs {

/// Why a byte state cannot be read.
enum class StateError : std::uint8_t { none, not_a_state, too_new, truncated, corrupted, invalid };

}  // namespace shrubs
