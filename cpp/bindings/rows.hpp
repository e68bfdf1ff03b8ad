#pragma once

// Turns one row of Python values into the single-precision features of the core.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

namespace shrubs::bindings {

/// What the Python side knows about features and classes.
struct Tables {
    nanobind::object columns = nanobind::none();  ///< dict: name -> column; None: unnamed features
    nanobind::list categories;                    ///< per column: dict category -> code, or None
    nanobind::dict labels;                        ///< label -> class index
    nanobind::list label_list;                    ///< class index -> label
};

/// How reading a row went.
enum class RowStatus : std::uint8_t {
    done,
    /// Not for the fast path: a feature or category never seen, another kind of row. Nothing was
    /// changed; Python sorts it out.
    unknown
};

/// Whether a name or category that is not in the tables makes the row `unknown` (learning) or is
/// passed over (predicting).
enum class Unseen : std::uint8_t { report, ignore };

/// Reads `x`, a dict, list, tuple or one-dimensional array, into `row`. Raises ValueError or
/// TypeError for values that cannot be features.
RowStatus read_row(nanobind::handle x, const Tables& tables, std::span<const std::uint8_t> nominal,
                   Unseen unseen, std::span<float> row);

/// Raises ValueError unless a matrix has the features of the learner.
void check_width(std::size_t given, std::size_t expected);

/// Raises ValueError for infinities, and while learning for nominal values that are no category.
void check_value(double value, bool nominal, bool learning, nanobind::handle name);

}  // namespace shrubs::bindings
