#pragma once

// The byte state of a learner: versioned, little-endian, checksummed, the same on every platform.
// docs/file-format.md describes it byte by byte.
//
//     magic, version, length | configuration, dimensions, kinds of features | tables | contents |
//     checksum
//
// It holds the window, the shrubs, the weights and what else was learned; caches are computed
// again. An ensemble says what its own state is: `magic`, `state_version`, `archive_header` and
// `archive`.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "shrubs/state/archive.hpp"
#include "shrubs/window/dimensions.hpp"

namespace shrubs {

/// Six letters that tell what kind of state it is.
using Magic = std::array<char, 6>;

/// Why a byte state cannot be read.
enum class StateError : std::uint8_t {
    none,
    not_a_state,
    too_new,
    truncated,
    corrupted,
    invalid,
    too_long
};

/// What a state says before its contents are read.
template <class Ensemble>
struct StateHeader {
    StateError error = StateError::none;
    typename Ensemble::Configuration config;
    Dimensions dimensions;
    std::span<const std::uint8_t> nominal;  ///< (n_features,)
    std::span<const std::byte> tables;      ///< what the caller stored along: names, labels
    std::size_t contents = 0;               ///< where the rest begins
};

/// CRC-32 as in zlib (polynomial 0xEDB88320), four bits at a time.
inline std::uint32_t checksum(std::span<const std::byte> bytes) {
    static constexpr std::array<std::uint32_t, 16> table = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
        0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    std::uint32_t crc = 0xFFFFFFFF;
    for (const std::byte byte : bytes) {
        crc ^= static_cast<std::uint32_t>(byte);
        crc = (crc >> 4U) ^ table[crc & 15U];
        crc = (crc >> 4U) ^ table[crc & 15U];
    }
    return ~crc;
}

inline constexpr std::size_t frame_begin = sizeof(Magic) + 2 + 8;
inline constexpr std::size_t frame_end = 4;

/// Whether these bytes claim to be a state of this kind.
inline bool has_magic(std::span<const std::byte> state, const Magic& magic) {
    return state.size() >= magic.size() &&
           std::memcmp(state.data(), magic.data(), magic.size()) == 0;
}

/// Checks a frame and reads its version; the newest one known is `newest`.
inline StateError read_frame(std::span<const std::byte> state, const Magic& magic,
                             std::uint16_t newest, std::uint16_t& version) {
    if (!has_magic(state, magic)) {
        return StateError::not_a_state;
    }
    Archive frame = Archive::reading(state, magic.size());
    std::uint64_t length = 0;
    frame.value(version);
    frame.value(length);
    if (frame.ok() && version > newest) {
        return StateError::too_new;
    }
    if (!frame.ok() || length > state.size() || state.size() < frame_begin + frame_end) {
        return StateError::truncated;
    }
    const auto body = state.first(state.size() - frame_end);
    std::uint32_t stored = 0;
    Archive::reading(state, body.size()).value(stored);
    if (version == 0 || length != state.size() || stored != checksum(body)) {
        return StateError::corrupted;
    }
    return StateError::none;
}

/// Reads or writes the kinds of the features and what the caller stores along.
template <class Header>
void archive_tables(Archive& archive, Header& header) {
    const auto nominal = archive.bytes(std::as_bytes(header.nominal), header.dimensions.n_features);
    header.nominal = {reinterpret_cast<const std::uint8_t*>(nominal.data()), nominal.size()};
    std::uint64_t size = header.tables.size();
    archive.value(size);
    header.tables = archive.bytes(header.tables, size);
    archive.require(std::ranges::all_of(header.nominal, [](auto kind) { return kind <= 1; }));
}

template <class Ensemble>
void write_state(Archive& archive, const Ensemble& ensemble, std::span<const std::byte> tables,
                 std::uint64_t length) {
    Magic magic = Ensemble::magic;
    std::uint16_t version = Ensemble::state_version;
    archive.value(magic);
    archive.value(version);
    archive.value(length);
    StateHeader<Ensemble> header{.config = ensemble.config(),
                                 .dimensions = ensemble.dimensions(),
                                 .nominal = ensemble.nominal(),
                                 .tables = tables};
    archive_header(archive, header.config, header.dimensions, version);
    archive_tables(archive, header);
    // An archive that counts or writes changes nothing.
    const_cast<Ensemble&>(ensemble).archive(archive);
}

/// Bytes that `save_state` writes.
template <class Ensemble>
std::size_t state_bytes(const Ensemble& ensemble, std::span<const std::byte> tables) {
    Archive counter = Archive::counting();
    write_state(counter, ensemble, tables, 0);
    return counter.at() + frame_end;
}

template <class Ensemble>
void save_state(const Ensemble& ensemble, std::span<const std::byte> tables,
                std::span<std::byte> state) {
    Archive archive = Archive::writing(state);
    write_state(archive, ensemble, tables, state.size());
    std::uint32_t sum = checksum(state.first(state.size() - frame_end));
    archive.value(sum);
}

/// Checks magic, version, length and checksum, and reads the configuration.
template <class Ensemble>
StateHeader<Ensemble> read_header(std::span<const std::byte> state) {
    StateHeader<Ensemble> header;
    std::uint16_t version = 0;
    header.error = read_frame(state, Ensemble::magic, Ensemble::state_version, version);
    if (header.error != StateError::none) {
        return header;
    }
    Archive archive = Archive::reading(state.first(state.size() - frame_end), frame_begin);
    archive_header(archive, header.config, header.dimensions, version);
    archive_tables(archive, header);
    header.contents = archive.at();
    if (!archive.ok() || !Ensemble::can_hold(header.config, header.dimensions, header.nominal)) {
        header.error = StateError::invalid;
    }
    return header;
}

/// For whoever has nothing to do in between.
struct NoPause {
    void operator()() const {}
};

/// Fills a new `ensemble` of the header's shape. On an error it must be thrown away. Caches that
/// take more than `max_steps` are an error: a small state can ask for very many. `pause` is called
/// often while they are restored.
template <class Ensemble, class Pause = NoPause>
StateError load_state(std::span<const std::byte> state, const StateHeader<Ensemble>& header,
                      Ensemble& ensemble,
                      std::uint64_t max_steps = std::numeric_limits<std::uint64_t>::max(),
                      Pause pause = {}) {
    Archive archive = Archive::reading(state.first(state.size() - frame_end), header.contents);
    ensemble.archive(archive);
    if (!archive.at_end()) {
        return StateError::invalid;
    }
    if constexpr (requires { ensemble.restoring_steps(); }) {
        if (ensemble.restoring_steps() > max_steps) {
            return StateError::too_long;
        }
        for (std::uint32_t age = 0; age < ensemble.window().size(); ++age) {
            ensemble.restore(age);
            pause();
        }
    }
    return StateError::none;
}

}  // namespace shrubs
