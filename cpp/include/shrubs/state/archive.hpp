#pragma once

// The bytes of a state: values one after the other, in a frame of magic, version, length and
// checksum.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "shrubs/state/error.hpp"

namespace shrubs {

/// Six letters that tell what kind of state it is.
using Magic = std::array<char, 6>;

static_assert(std::endian::native == std::endian::little, "written for little-endian machines");

/// CRC-32.
inline std::uint32_t checksum(std::span<const std::byte> bytes) {
    // CRC-32 as in zlib (polynomial 0xEDB88320), four bits at a time.
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

/// Writes values one after the other, or only counts their bytes when there is no memory.
class Writer {
 public:
    explicit Writer(std::span<std::byte> out) : out_(out) {}

    template <class T>
    void put(T value) {
        put_bytes(std::as_bytes(std::span(&value, 1)));
    }
    void put_bytes(std::span<const std::byte> bytes) {
        if (!out_.empty() && !bytes.empty()) {
            std::memcpy(out_.data() + size_, bytes.data(), bytes.size());
        }
        size_ += bytes.size();
    }
    std::size_t size() const { return size_; }

 private:
    std::span<std::byte> out_;
    std::size_t size_ = 0;
};

/// Reads values one after the other. After a read past the end everything reads as zero.
class Reader {
 public:
    Reader(std::span<const std::byte> in, std::size_t at) : in_(in), at_(at) {}

    template <class T>
    T get() {
        T value{};
        const auto bytes = get_bytes(sizeof(T));
        if (ok_) {
            std::memcpy(&value, bytes.data(), sizeof(T));
        }
        return value;
    }
    std::span<const std::byte> get_bytes(std::uint64_t count) {
        if (!ok_ || count > in_.size() - at_) {
            ok_ = false;
            return {};
        }
        const auto size = static_cast<std::size_t>(count);
        at_ += size;
        return in_.subspan(at_ - size, size);
    }
    bool ok() const { return ok_; }
    bool at_end() const { return ok_ && at_ == in_.size(); }
    std::size_t at() const { return at_; }

 private:
    std::span<const std::byte> in_;
    std::size_t at_;
    bool ok_ = true;
};

inline bool is_finite(double value) {
    return value - value == 0.0;
}

// magic, version, length | ... | checksum
inline constexpr std::size_t frame_begin = sizeof(Magic) + 2 + 8;
inline constexpr std::size_t frame_end = 4;

inline void put_frame(Writer& out, const Magic& magic, std::uint16_t version,
                      std::uint64_t length) {
    out.put(magic);
    out.put(version);
    out.put(length);
}

/// Checks a frame and reads its version; the newest one known is `newest`.
inline StateError read_frame(std::span<const std::byte> state, const Magic& magic,
                             std::uint16_t newest, std::uint16_t& version) {
    if (state.size() < magic.size() || std::memcmp(state.data(), magic.data(), magic.size()) != 0) {
        return StateError::not_a_state;
    }
    Reader frame(state, magic.size());
    version = frame.get<std::uint16_t>();
    const auto length = frame.get<std::uint64_t>();
    if (frame.ok() && version > newest) {
        return StateError::too_new;
    }
    if (!frame.ok() || length > state.size() || state.size() < frame_begin + frame_end) {
        return StateError::truncated;
    }
    const auto body = state.first(state.size() - frame_end);
    Reader end(state, body.size());
    if (version == 0 || length != state.size() || end.get<std::uint32_t>() != checksum(body)) {
        return StateError::corrupted;
    }
    return StateError::none;
}

}  // namespace shrubs
