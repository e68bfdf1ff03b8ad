#include "keys.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

constexpr int max_depth = 16;
enum Tag : std::uint8_t { as_integer, as_boolean, as_real };

template <class T>
std::string raw(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class T>
T from_raw(std::string_view bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

nb::object checked(PyObject* object) {
    if (object == nullptr) {
        throw nb::python_error();
    }
    return nb::steal(object);
}

bool is_numpy_scalar(nb::handle value) {
    return nb::hasattr(value.type(), "item") && nb::hasattr(value.type(), "dtype") &&
           nb::cast<std::string>(nb::str(value.type().attr("__module__"))) == "numpy";
}

}  // namespace

void PlainKey::set(KeyKind kind, std::string bytes) {
    kind_ = kind;
    own_ = std::move(bytes);
    bytes_ = own_;
}

bool PlainKey::read(nb::handle value, int depth) {
    tag_ = as_integer;
    if (PyUnicode_Check(value.ptr())) {
        return read_text(value);
    }
    if (PyBool_Check(value.ptr())) {
        tag_ = as_boolean;
        return read_integer(value);
    }
    if (PyLong_Check(value.ptr())) {
        return read_integer(value);
    }
    if (PyFloat_Check(value.ptr())) {
        return read_real(PyFloat_AsDouble(value.ptr()));
    }
    if (PyBytes_Check(value.ptr())) {
        return read_bytes(value);
    }
    if (value.is_none()) {
        set(KeyKind::nothing, "");
        return true;
    }
    if (PyTuple_Check(value.ptr()) || PyFrozenSet_Check(value.ptr())) {
        return depth < max_depth && read_items(value, depth);
    }
    if (is_numpy_scalar(value)) {
        const nb::object plain = value.attr("item")();
        return !plain.type().is(value.type()) && read(plain, depth + 1);
    }
    return false;
}

bool PlainKey::read_text(nb::handle value) {
    kind_ = KeyKind::text;
    Py_ssize_t size = 0;
    const char* utf8 = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (utf8 == nullptr) {  // a lone surrogate
        PyErr_Clear();
        held_ = checked(PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogatepass"));
        utf8 = PyBytes_AsString(held_.ptr());
        size = PyBytes_Size(held_.ptr());
    }
    bytes_ = {utf8, static_cast<std::size_t>(size)};
    return true;
}

bool PlainKey::read_bytes(nb::handle value) {
    kind_ = KeyKind::bytes;
    bytes_ = {PyBytes_AsString(value.ptr()), static_cast<std::size_t>(PyBytes_Size(value.ptr()))};
    return true;
}

bool PlainKey::read_integer(nb::handle value) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow == 0) {
        set(KeyKind::integer, raw(static_cast<std::int64_t>(number)));
        return true;
    }
    const nb::object hexadecimal = checked(PyNumber_ToBase(value.ptr(), 16));
    set(KeyKind::large_integer, nb::cast<std::string>(hexadecimal));
    return true;
}

bool PlainKey::read_real(double value) {
    if (std::isfinite(value) && value == std::floor(value)) {
        tag_ = as_real;
        return read_integer(checked(PyLong_FromDouble(value)));
    }
    set(KeyKind::real, raw(value));
    return true;
}

// Each item as its length, kind, tag and bytes; those of a set in an order of their own.
bool PlainKey::read_items(nb::handle value, int depth) {
    const bool is_set = PyFrozenSet_Check(value.ptr()) != 0;
    std::vector<std::string> items;
    for (const nb::handle item : nb::borrow<nb::tuple>(checked(PySequence_Tuple(value.ptr())))) {
        PlainKey key;
        if (!key.read(item, depth + 1)) {
            return false;
        }
        const std::uint64_t size = key.bytes().size();
        items.push_back(raw(size) + static_cast<char>(key.kind()) + static_cast<char>(key.tag()) +
                        std::string(key.bytes()));
    }
    if (is_set) {
        std::ranges::sort(items);
    }
    std::string all;
    for (const std::string& item : items) {
        all += item;
    }
    set(is_set ? KeyKind::set : KeyKind::tuple, std::move(all));
    return true;
}

std::uint64_t PlainKey::digest() const {
    std::uint64_t h = 0xCBF29CE484222325U ^ static_cast<std::uint64_t>(kind_);
    for (const char byte : bytes_) {
        h = (h ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3U;
    }
    return h ^ (h >> 29U);
}

void PlainKey::shorten(std::size_t max_bytes) {
    if (bytes_.size() <= max_bytes) {
        return;
    }
    constexpr std::size_t digest_bytes = 21;
    constexpr std::size_t max_shown = 32;
    std::size_t n_shown =
        kind_ == KeyKind::text ? std::min(max_shown, max_bytes - digest_bytes) : 0;
    while (n_shown > 0 && (static_cast<std::uint8_t>(bytes_[n_shown]) & 0xC0U) == 0x80U) {
        --n_shown;  // not within a character
    }
    std::array<char, 17> hexadecimal{};
    std::snprintf(hexadecimal.data(), hexadecimal.size(), "%016llx",
                  static_cast<unsigned long long>(digest()));
    tag_ = as_integer;
    set(KeyKind::text, std::string(bytes_.substr(0, n_shown)) + "... #" + hexadecimal.data());
}

namespace {

nb::object number_of(nb::object integer, std::uint8_t tag) {
    switch (tag) {
        case as_boolean: return nb::bool_(!integer.equal(nb::int_(0)));
        case as_real: return checked(PyNumber_Float(integer.ptr()));
        default: return integer;
    }
}

nb::object items_of(std::string_view bytes, bool is_set) {
    nb::list items;
    while (!bytes.empty()) {
        const auto size = from_raw<std::uint64_t>(bytes);
        const auto kind = static_cast<KeyKind>(bytes[8]);
        const auto tag = static_cast<std::uint8_t>(bytes[9]);
        items.append(value_of(kind, tag, bytes.substr(10, size)));
        bytes.remove_prefix(10 + size);
    }
    return checked(is_set ? PyFrozenSet_New(items.ptr()) : PyList_AsTuple(items.ptr()));
}

}  // namespace

nb::object value_of(KeyKind kind, std::uint8_t tag, std::string_view bytes) {
    const auto size = static_cast<Py_ssize_t>(bytes.size());
    switch (kind) {
        case KeyKind::text:
            return checked(PyUnicode_DecodeUTF8(bytes.data(), size, "surrogatepass"));
        case KeyKind::bytes: return checked(PyBytes_FromStringAndSize(bytes.data(), size));
        case KeyKind::integer:
            return number_of(checked(PyLong_FromLongLong(from_raw<std::int64_t>(bytes))), tag);
        case KeyKind::large_integer:
            return number_of(checked(PyLong_FromString(std::string(bytes).c_str(), nullptr, 16)),
                             tag);
        case KeyKind::real: return nb::float_(from_raw<double>(bytes));
        case KeyKind::tuple: return items_of(bytes, false);
        case KeyKind::set: return items_of(bytes, true);
        default: return nb::none();
    }
}

}  // namespace shrubs::bindings
