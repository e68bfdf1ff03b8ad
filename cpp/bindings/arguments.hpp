#pragma once

// Arguments from Python, checked for type and range with one wording for all.

#include <nanobind/nanobind.h>

#include <cstdint>

namespace shrubs::bindings {

/// Raises TypeError unless `value` is an integer, ValueError unless it is from `low` to `high`.
std::uint64_t read_integer(nanobind::handle value, const char* name, std::uint64_t low,
                           std::uint64_t high);

/// Raises TypeError unless `value` is a number, ValueError unless it is from 0 to 1.
double read_fraction(nanobind::handle value, const char* name);

}  // namespace shrubs::bindings
