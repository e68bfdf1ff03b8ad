#pragma once

// The byte state of the learner that needs no tuning: versioned, little-endian, checksummed, the
// same on every platform. docs/file-format.md describes it byte by byte.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/ensemble.hpp"
#include "shrubs/state/error.hpp"

namespace shrubs {

inline constexpr std::uint16_t auto_state_version = 1;

/// What a state says before its contents are read.
struct AutoStateHeader {
    StateError error = StateError::none;
    AutoConfig config;
    Dimensions dimensions;
    std::span<const std::byte> nominal;  ///< (n_features,)
    std::span<const std::byte> tables;   ///< what the caller stored along: names, labels
    std::size_t contents = 0;            ///< where the rest begins
};

/// Whether these bytes claim to be such a state.
bool is_auto_state(std::span<const std::byte> state);

/// Bytes that `save_auto_state` writes.
std::size_t auto_state_bytes(const AutoEnsemble& ensemble, std::span<const std::byte> tables);
void save_auto_state(const AutoEnsemble& ensemble, std::span<const std::byte> tables,
                     std::span<std::byte> state);

/// Checks magic, version, length and checksum, and reads the configuration.
AutoStateHeader read_auto_header(std::span<const std::byte> state);

/// Fills a new `ensemble` of the same shape. On an error it must be thrown away.
StateError load_auto_state(std::span<const std::byte> state, const AutoStateHeader& header,
                           AutoEnsemble& ensemble);

}  // namespace shrubs
