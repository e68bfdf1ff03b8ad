#include "arguments.hpp"

#include <string>

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

std::string describe(nb::handle value) {
    return nb::repr(value).c_str();
}

[[noreturn]] void raise_type(nb::handle value, const char* name, const char* kind) {
    PyErr_Clear();
    const std::string message = std::string(name) + " must be " + kind + ", got " + describe(value);
    throw nb::type_error(message.c_str());
}

[[noreturn]] void raise_range(nb::handle value, const char* name, const std::string& range) {
    PyErr_Clear();
    const std::string message =
        std::string(name) + " must be from " + range + ", got " + describe(value);
    throw nb::value_error(message.c_str());
}

}  // namespace

std::uint64_t read_integer(nb::handle value, const char* name, std::uint64_t low,
                           std::uint64_t high) {
    PyObject* index = PyNumber_Index(value.ptr());
    if (index == nullptr) {
        raise_type(value, name, "an integer");
    }
    const nb::object held = nb::steal(index);
    const std::uint64_t number = PyLong_AsUnsignedLongLong(index);
    const bool is_outside = PyErr_Occurred() != nullptr;  // negative or beyond 64 bits
    if (is_outside || number < low || number > high) {
        raise_range(value, name, std::to_string(low) + " to " + std::to_string(high));
    }
    return number;
}

double read_fraction(nb::handle value, const char* name) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
        raise_type(value, name, "a number");
    }
    if (!(number >= 0.0 && number <= 1.0)) {
        raise_range(value, name, "0 to 1");
    }
    return number;
}

}  // namespace shrubs::bindings
