#include "rows.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <limits>
#include <string>

#include "dates.hpp"
#include "messages.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();
constexpr float unknown_category = -1.0F;  // equal to none

struct Reader {
    const Tables& tables;
    Unseen unseen;
};

[[noreturn]] void raise_not_a_number(const Reader& reader, std::size_t column, nb::handle value) {
    throw nb::type_error(
        ("feature " + shown(reader.tables.name_of(column)) + " takes numbers, got " + shown(value))
            .c_str());
}

// After a failed conversion: lets pass what has nothing to do with it, such as KeyboardInterrupt.
void clear_if_no_number() {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0 &&
        PyErr_ExceptionMatches(PyExc_ValueError) == 0 &&
        PyErr_ExceptionMatches(PyExc_ArithmeticError) == 0) {
        throw nb::python_error();
    }
    PyErr_Clear();
}

bool is_text(nb::handle value) {
    return PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr());
}

bool fits_single_precision(double value) {
    return value >= -std::numeric_limits<float>::max() &&
           value <= std::numeric_limits<float>::max();
}

// False for a date, and for a category that makes the row unknown.
bool read_value(nb::handle value, std::size_t column, const Reader& reader, float& out) {
    if (value.is_none()) {
        out = missing;
        return true;
    }
    if (reader.tables.has_texts(column)) {
        out = read_category(reader.tables, column, value);
        return out != unknown_category || reader.unseen == Unseen::ignore;
    }
    const bool is_float = PyFloat_CheckExact(value.ptr()) != 0;  // as most are
    if (!is_float && is_text(value)) {
        if (reader.unseen != Unseen::ignore) {
            raise_not_a_number(reader, column, value);
        }
        out = missing;
        return true;
    }
    if (!is_float && is_date_of_numpy(value)) {
        return false;
    }
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
        clear_if_no_number();
        if (may_be_date(value)) {
            return false;
        }
        if (!is_missing(value)) {
            raise_not_a_number(reader, column, value);
        }
        out = missing;
        return true;
    }
    if (reader.tables.nominal()[column] != 0 || !fits_single_precision(number)) {
        check_value(number, reader.tables, column, reader.unseen);
    }
    out = static_cast<float>(number) + 0.0F;
    return true;
}

bool read_dict(PyObject* x, const Reader& reader, std::span<float> row, std::uint64_t* n_left_out) {
    if (!reader.tables.named().value_or(false)) {
        return false;
    }
    std::ranges::fill(row, missing);
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(x, &position, &name, &value) != 0) {
        const nb::object held_name = nb::borrow(name);
        const nb::object held = nb::borrow(value);
        const auto column = reader.tables.column(held_name);
        if (!column) {
            // A missing value brings no new feature.
            if (reader.unseen == Unseen::report && !is_missing(held)) {
                return false;
            }
            if (n_left_out != nullptr && !is_missing(held)) {
                ++*n_left_out;
            }
            if (reader.tables.has_dates() && may_be_date(held)) {
                return false;
            }
        } else if (!read_value(held, *column, reader, row[*column])) {
            return false;
        }
    }
    return true;
}

void check_length(std::size_t given, std::size_t expected) {
    if (given != expected) {
        throw nb::value_error(("x has " + std::to_string(given) +
                               " features, but this learner was built for " +
                               std::to_string(expected))
                                  .c_str());
    }
}

bool read_sequence(nb::handle x, bool is_list, const Reader& reader, std::span<float> row) {
    const auto size =
        static_cast<std::size_t>(is_list ? PyList_Size(x.ptr()) : PyTuple_Size(x.ptr()));
    check_length(size, reader.tables.width());
    for (std::size_t column = 0; column < row.size(); ++column) {
        const auto at = static_cast<Py_ssize_t>(reader.tables.position(column));
        PyObject* value = is_list ? PyList_GetItem(x.ptr(), at) : PyTuple_GetItem(x.ptr(), at);
        if (value == nullptr) {
            throw nb::python_error();
        }
        const nb::object held = nb::borrow(value);
        if (!read_value(held, column, reader, row[column])) {
            return false;
        }
    }
    return true;
}

template <class T>
bool read_array(nb::handle x, const Reader& reader, std::span<float> row) {
    nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(x, array, false)) {
        return false;
    }
    check_length(array.shape(0), reader.tables.width());
    for (std::size_t column = 0; column < row.size(); ++column) {
        const double value = array.data()[reader.tables.position(column)];
        if (reader.tables.nominal()[column] != 0 || !fits_single_precision(value)) {
            if (reader.tables.has_texts(column)) {
                throw nb::type_error("a feature with named categories needs a dict or a list");
            }
            check_value(value, reader.tables, column, reader.unseen);
        }
        row[column] = static_cast<float>(value) + 0.0F;
    }
    return true;
}

}  // namespace

bool is_missing(nb::handle value) {
    if (value.is_none()) {
        return true;
    }
    if (is_text(value)) {
        return false;
    }
    const double number = PyFloat_AsDouble(value.ptr());
    if (number != -1.0 || PyErr_Occurred() == nullptr) {
        return number != number;
    }
    clear_if_no_number();
    const auto type = nb::cast<std::string>(nb::str(value.type().attr("__name__")));
    return type == "NAType" || type == "NaTType";
}

float read_category(const Tables& tables, std::size_t column, nb::handle value) {
    if (!is_text(value) && is_missing(value)) {
        return missing;
    }
    const auto code = tables.category(column, value);
    if (code == Tables::no_code) {
        return missing;
    }
    return code ? static_cast<float>(*code) : unknown_category;
}

void check_value(double value, const Tables& tables, std::size_t column, Unseen unseen) {
    if (value != value) {
        return;
    }
    if (!fits_single_precision(value)) {
        throw nb::value_error(("feature " + shown(tables.name_of(column)) +
                               " must be finite and fit single precision, got " +
                               (value - value != 0.0 ? "infinity" : shown(nb::float_(value))))
                                  .c_str());
    }
    const bool is_category = value >= 0.0 && value <= largest_category &&
                             static_cast<double>(static_cast<std::int64_t>(value)) == value;
    if (tables.nominal()[column] != 0 && unseen != Unseen::ignore && !is_category) {
        throw nb::value_error(("nominal feature " + shown(tables.name_of(column)) +
                               " takes integers from 0 to 16777215, got " +
                               shown(nb::float_(value)))
                                  .c_str());
    }
}

void check_width(std::size_t given, std::size_t expected) {
    if (given != expected) {
        throw nb::value_error("X does not have the features of this learner");
    }
}

bool read_row(nb::handle x, const Tables& tables, Unseen unseen, std::span<float> row,
              std::uint64_t* n_left_out) {
    const Reader reader{tables, unseen};
    if (PyDict_Check(x.ptr())) {
        return read_dict(x.ptr(), reader, row, n_left_out);
    }
    if (tables.has_dates()) {
        return false;
    }
    if (PyList_Check(x.ptr()) || PyTuple_Check(x.ptr())) {
        return read_sequence(x, PyList_Check(x.ptr()), reader, row);
    }
    return read_array<double>(x, reader, row) || read_array<float>(x, reader, row);
}

}  // namespace shrubs::bindings
