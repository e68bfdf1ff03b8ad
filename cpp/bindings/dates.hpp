#pragma once

// Dates among Python values. Python makes numbers of them; here they are only told from others.

#include <nanobind/nanobind.h>

#include <string_view>

namespace shrubs::bindings {

/// Once, before any row: finds the type of NumPy's dates.
void find_dates();

/// As numbers these would depend on their unit.
bool is_date_of_numpy(nanobind::handle value);

/// Whether Python has to look at a value: it is a date, a time, or a text that looks like one.
bool may_be_date(nanobind::handle value);

/// Whether a feature is named as `shrubs.dates` names the parts of a date.
bool is_part_of_date(std::string_view name);

}  // namespace shrubs::bindings
