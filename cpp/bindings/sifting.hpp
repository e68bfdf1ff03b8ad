#pragma once

// Shows a sieve the rows that were learned, with all of their features.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include "tables.hpp"

namespace shrubs::bindings {

/// What a feature without a column is known by, where features have names.
inline std::uint32_t sifted_id(const PlainKey& name) {
    return static_cast<std::uint32_t>(name.digest());
}

/// A row as `read_row` takes it. Nothing happens without a sieve, or to names where features are
/// known by their positions. What is neither number nor text counts as missing.
void sift_row(nanobind::handle x, Tables& tables, const SiftedOutcome& outcome);

/// A row of numbers, where features are known by their positions.
template <class T>
void sift_values(std::span<const T> row, Tables& tables, const SiftedOutcome& outcome);

}  // namespace shrubs::bindings
