#pragma once

// Turns one row of Python values into the single-precision features of the core.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include "tables.hpp"

namespace shrubs::bindings {

inline constexpr std::uint32_t largest_category = 16777215;  // smaller integers are exact in float

/// Whether a name or category that is not in the tables makes a row unknown (learning), a category
/// alone does (learning where there is no room for features), or none (predicting).
enum class Unseen : std::uint8_t { report, leave_out, ignore };

/// Reads `x`, a dict, list, tuple or one-dimensional array, into `row`. False if it is none of
/// these or not for the tables: a feature or category never seen, names where features have none,
/// a date, values without names where some features are parts of dates.
/// Raises ValueError or TypeError for values that cannot be features. Adds to `n_left_out` how many
/// names of values were not in the tables.
bool read_row(nanobind::handle x, const Tables& tables, Unseen unseen, std::span<float> row,
              std::uint64_t* n_left_out = nullptr);

/// The code of a category: NaN for a missing one, -1 (equal to none) for one never seen.
float read_category(const Tables& tables, std::size_t column, nanobind::handle value);

/// None, NaN of any numeric type, or a library's own missing value.
bool is_missing(nanobind::handle value);

/// Raises ValueError unless a matrix has the features of the learner.
void check_width(std::size_t given, std::size_t expected);

/// Raises ValueError for infinities, and while learning for nominal values that are no category.
void check_value(double value, const Tables& tables, std::size_t column, Unseen unseen);

}  // namespace shrubs::bindings
