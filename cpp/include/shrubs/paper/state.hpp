#pragma once

// The byte state of a learner: versioned, little-endian, checksummed, the same on every platform.
// docs/file-format.md describes it byte by byte.
//
// It holds the window, the shrubs and the weights; caches are computed anew. A learner may be
// restored with more features or classes than it was saved with: that is how it plans anew.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/paper/config.hpp"
#include "shrubs/paper/ensemble.hpp"
#include "shrubs/state/error.hpp"

namespace shrubs {

inline constexpr std::uint16_t state_version = 2;

/// What a state says before its contents are read.
struct StateHeader {
    StateError error = StateError::none;
    Config config;
    Dimensions dimensions;
    std::span<const std::byte> nominal;  ///< (n_features,)
    std::span<const std::byte> tables;   ///< what the caller stored along: names, labels
    std::size_t contents = 0;            ///< where window and shrubs begin
};

/// Bytes that `save_state` writes.
std::size_t state_bytes(const PaperEnsemble& ensemble, std::span<const std::byte> tables);
void save_state(const PaperEnsemble& ensemble, std::span<const std::byte> tables,
                std::span<std::byte> state);

/// Checks magic, version, length and checksum, and reads the configuration.
StateHeader read_header(std::span<const std::byte> state);

/// Fills a new `ensemble`, whose dimensions are at least those of the state. On an error the
/// ensemble must be thrown away.
StateError load_state(std::span<const std::byte> state, const StateHeader& header,
                      PaperEnsemble& ensemble);

}  // namespace shrubs
