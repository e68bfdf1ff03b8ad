#include "rows.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <string>

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

constexpr double largest_category = 16777215.0;  // every smaller integer is exact in float
constexpr float missing = std::numeric_limits<float>::quiet_NaN();
constexpr float unknown_category = -1.0F;  // equal to none

std::string describe(nb::handle object) {
    PyObject* text = PyObject_Repr(object.ptr());
    if (text == nullptr) {
        PyErr_Clear();
        return "?";
    }
    return nb::cast<std::string>(nb::steal(text));
}

[[noreturn]] void raise_not_a_number(nb::handle value, nb::handle name) {
    PyErr_Clear();
    throw nb::type_error(
        ("feature " + describe(name) + " takes numbers, got " + describe(value)).c_str());
}

// NaN of any numeric type, or a library's own missing value. The common cases come first; the
// others are met only where a value is no category and no number.
bool is_missing(nb::handle value) {
    if (value.is_none()) {
        return true;
    }
    if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) {
        return false;
    }
    const double number = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() == nullptr) {
        return number != number;
    }
    PyErr_Clear();
    const auto type = nb::cast<std::string>(value.type().attr("__name__"));
    return type == "NAType" || type == "NaTType";
}

struct Column {
    const Tables& tables;
    std::span<const std::uint8_t> nominal;
    Unseen unseen;
};

nb::object name_of(const Tables& tables, std::size_t column) {
    if (tables.columns.is_none()) {
        return nb::int_(column);
    }
    for (auto [name, index] : nb::cast<nb::dict>(tables.columns)) {
        if (nb::cast<std::size_t>(index) == column) {
            return nb::borrow(name);
        }
    }
    return nb::int_(column);
}

// The code of a category, or -1 if it was never seen.
RowStatus read_category(nb::handle value, std::size_t column, const Column& context, float& out) {
    const nb::handle codes = context.tables.categories[column];
    PyObject* code = PyDict_GetItemWithError(codes.ptr(), value.ptr());
    if (code == nullptr && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
            throw nb::python_error();
        }
        PyErr_Clear();
        throw nb::type_error(("feature " + describe(name_of(context.tables, column)) +
                              " takes categories, got " + describe(value))
                                 .c_str());
    }
    if (code == nullptr) {
        if (is_missing(value)) {
            out = missing;
            return RowStatus::done;
        }
        out = unknown_category;
        return context.unseen == Unseen::report ? RowStatus::unknown : RowStatus::done;
    }
    out = static_cast<float>(PyLong_AsDouble(code));
    return RowStatus::done;
}

RowStatus read_value(nb::handle value, std::size_t column, const Column& context, float& out) {
    double number = 0.0;
    if (value.is_none()) {
        out = missing;
        return RowStatus::done;
    }
    if (!context.tables.categories[column].is_none()) {
        return read_category(value, column, context, out);
    }
    if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) {
        if (context.unseen == Unseen::report) {
            raise_not_a_number(value, name_of(context.tables, column));
        }
        out = missing;
        return RowStatus::done;
    }
    number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        if (is_missing(value)) {
            out = missing;
            return RowStatus::done;
        }
        raise_not_a_number(value, name_of(context.tables, column));
    }
    const bool nominal = context.nominal[column] != 0;
    if (nominal || !(number >= -std::numeric_limits<float>::max() &&
                     number <= std::numeric_limits<float>::max())) {
        check_value(number, nominal, context.unseen == Unseen::report,
                    name_of(context.tables, column));
    }
    out = static_cast<float>(number) + 0.0F;
    return RowStatus::done;
}

RowStatus read_dict(PyObject* x, const Column& context, std::span<float> row) {
    if (context.tables.columns.is_none()) {
        return RowStatus::unknown;
    }
    std::ranges::fill(row, missing);
    PyObject* columns = context.tables.columns.ptr();
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(x, &position, &name, &value) != 0) {
        const nb::object held_name = nb::borrow(name);
        const nb::object held = nb::borrow(value);
        PyObject* column = PyDict_GetItemWithError(columns, name);
        if (column == nullptr) {
            if (PyErr_Occurred() != nullptr) {
                throw nb::python_error();
            }
            // A missing value brings no new feature.
            if (context.unseen == Unseen::report && !is_missing(held)) {
                return RowStatus::unknown;
            }
            continue;
        }
        const std::size_t index = PyLong_AsSize_t(column);
        if (read_value(held, index, context, row[index]) == RowStatus::unknown) {
            return RowStatus::unknown;
        }
    }
    return RowStatus::done;
}

void check_length(std::size_t given, std::size_t expected) {
    if (given != expected) {
        throw nb::value_error(("x has " + std::to_string(given) +
                               " features, but this learner was built for " +
                               std::to_string(expected))
                                  .c_str());
    }
}

RowStatus read_sequence(nb::handle x, bool is_list, const Column& context, std::span<float> row) {
    const auto size =
        static_cast<std::size_t>(is_list ? PyList_Size(x.ptr()) : PyTuple_Size(x.ptr()));
    check_length(size, row.size());
    for (std::size_t column = 0; column < size; ++column) {
        const auto at = static_cast<Py_ssize_t>(column);
        PyObject* value = is_list ? PyList_GetItem(x.ptr(), at) : PyTuple_GetItem(x.ptr(), at);
        if (value == nullptr) {
            throw nb::python_error();
        }
        const nb::object held = nb::borrow(value);
        if (read_value(held, column, context, row[column]) == RowStatus::unknown) {
            return RowStatus::unknown;
        }
    }
    return RowStatus::done;
}

template <class T>
bool read_array(nb::handle x, const Column& context, std::span<float> row) {
    nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(x, array, false)) {
        return false;
    }
    check_length(array.shape(0), row.size());
    for (std::size_t column = 0; column < row.size(); ++column) {
        const double value = array.data()[column];
        const bool nominal = context.nominal[column] != 0;
        if (nominal || value - value != 0.0 ||
            static_cast<float>(value) - static_cast<float>(value) != 0.0F) {
            if (!context.tables.categories[column].is_none()) {
                throw nb::type_error("a feature with named categories needs a dict or a list");
            }
            check_value(value, nominal, context.unseen == Unseen::report,
                        name_of(context.tables, column));
        }
        row[column] = static_cast<float>(value) + 0.0F;
    }
    return true;
}

}  // namespace

void check_value(double value, bool nominal, bool learning, nb::handle name) {
    constexpr double largest = std::numeric_limits<float>::max();
    if (value != value) {
        return;
    }
    if (!(value >= -largest && value <= largest)) {
        throw nb::value_error(("feature " + describe(name) +
                               " must be finite and fit single precision, got " +
                               (value - value != 0.0 ? "infinity" : describe(nb::float_(value))))
                                  .c_str());
    }
    const bool is_category = value >= 0.0 && value <= largest_category &&
                             static_cast<double>(static_cast<std::int64_t>(value)) == value;
    if (nominal && learning && !is_category) {
        throw nb::value_error(("nominal feature " + describe(name) +
                               " takes integers from 0 to 16777215, got " +
                               describe(nb::float_(value)))
                                  .c_str());
    }
}

void check_width(std::size_t given, std::size_t expected) {
    if (given != expected) {
        throw nb::value_error("X does not have the features of this learner");
    }
}

RowStatus read_row(nb::handle x, const Tables& tables, std::span<const std::uint8_t> nominal,
                   Unseen unseen, std::span<float> row) {
    const Column context{tables, nominal, unseen};
    if (PyDict_Check(x.ptr())) {
        return read_dict(x.ptr(), context, row);
    }
    if (PyList_Check(x.ptr()) || PyTuple_Check(x.ptr())) {
        return read_sequence(x, PyList_Check(x.ptr()), context, row);
    }
    if (read_array<double>(x, context, row) || read_array<float>(x, context, row)) {
        return RowStatus::done;
    }
    return RowStatus::unknown;
}

}  // namespace shrubs::bindings
