#pragma once

// Plain Python values as keys: texts, numbers, booleans, bytes, and tuples and frozensets of those.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace shrubs::bindings {

/// What a key is, as far as that makes a difference between keys: 1, 1.0 and True are equal.
enum class KeyKind : std::uint8_t {
    text,
    bytes,
    integer,
    large_integer,
    real,
    tuple,
    set,
    nothing
};
inline constexpr std::uint32_t n_key_kinds = 8;

/// A value as bytes; equal values have equal bytes. Runs no code of the value's own.
class PlainKey {
 public:
    /// False if `value` is no plain value. None is one inside a tuple or set only.
    bool read(nanobind::handle value) { return read(value, 0) && kind_ != KeyKind::nothing; }

    KeyKind kind() const { return kind_; }
    /// Which of several equal values it was.
    std::uint8_t tag() const { return tag_; }
    std::string_view bytes() const { return bytes_; }

    /// The same for equal keys, on every machine and in every process.
    std::uint64_t digest() const;
    /// A key of more than `max_bytes`, at least 32, becomes a text: its beginning, if it was one,
    /// and its digest.
    void shorten(std::size_t max_bytes);

 private:
    bool read(nanobind::handle value, int depth);
    bool read_text(nanobind::handle value);
    bool read_bytes(nanobind::handle value);
    bool read_integer(nanobind::handle value);
    bool read_real(double value);
    bool read_items(nanobind::handle value, int depth);
    void set(KeyKind kind, std::string bytes);

    KeyKind kind_ = KeyKind::nothing;
    std::uint8_t tag_ = 0;
    std::string_view bytes_;
    std::string own_;
    nanobind::object held_;
};

/// The value of a key.
nanobind::object value_of(KeyKind kind, std::uint8_t tag, std::string_view bytes);

}  // namespace shrubs::bindings
