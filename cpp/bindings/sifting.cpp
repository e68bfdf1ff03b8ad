#include "sifting.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <limits>

#include "rows.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

struct Sifted {
    float value = std::numeric_limits<float>::quiet_NaN();
    bool is_text = false;
};

Sifted sifted(double number) {
    constexpr double largest = std::numeric_limits<float>::max();
    return number >= -largest && number <= largest
               ? Sifted{.value = static_cast<float>(number) + 0.0F}
               : Sifted{};
}

// Texts are ordered by their digests.
Sifted sifted(nb::handle value) {
    if (PyFloat_CheckExact(value.ptr()) != 0) {
        return sifted(PyFloat_AsDouble(value.ptr()));
    }
    if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) {
        PlainKey key;
        constexpr unsigned exact_bits = 24;
        return key.read(value)
                   ? Sifted{.value = static_cast<float>(key.digest() >> (64 - exact_bits)),
                            .is_text = true}
                   : Sifted{};
    }
    if (value.is_none()) {
        return {};
    }
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return {};
    }
    return sifted(number);
}

bool is_there(const Sifted& found) {
    return found.value == found.value;
}

// Rows by position: `value_at(position)`.
template <class ValueAt>
void sift_positions(Tables& tables, const SiftedOutcome& outcome, ValueAt value_at) {
    Sieve& sieve = *tables.sieve();
    const auto kept = tables.kept();
    if (sieve.wants_newcomers()) {
        std::vector<std::uint32_t> ids;
        for (std::uint32_t i = 0; i < tables.width(); ++i) {
            if (std::ranges::find(kept, i) == kept.end() && is_there(value_at(i))) {
                ids.push_back(i);
            }
        }
        sieve.take_in(std::move(ids));
    }
    for (std::size_t at = 0; at < sieve.candidates().size(); ++at) {
        const Sifted found = value_at(sieve.candidates()[at].id);
        sieve.see_candidate(at, found.value, found.is_text, outcome);
    }
    for (std::size_t column = 0; column < kept.size(); ++column) {
        sieve.see_column(column, value_at(kept[column]).value, outcome);
    }
    sieve.end(outcome);
}

template <class Each>
void for_each_item(nb::handle x, Each each) {
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(x.ptr(), &position, &name, &value) != 0) {
        const nb::object held_name = nb::borrow(name);
        const nb::object held = nb::borrow(value);
        each(held_name, held);
    }
}

void sift_dict(nb::handle x, Tables& tables, const SiftedOutcome& outcome) {
    Sieve& sieve = *tables.sieve();
    PlainKey key;
    if (sieve.wants_newcomers()) {
        std::vector<std::uint32_t> ids;
        for_each_item(x, [&](nb::handle name, nb::handle value) {
            if (!tables.column(name) && key.read(name) && is_there(sifted(value))) {
                ids.push_back(sifted_id(key));
            }
        });
        sieve.take_in(std::move(ids));
    }
    for_each_item(x, [&](nb::handle name, nb::handle value) {
        if (const auto column = tables.column(name)) {
            sieve.see_column(*column, sifted(value).value, outcome);
        } else if (key.read(name)) {
            if (const auto at = sieve.find(sifted_id(key))) {
                const Sifted found = sifted(value);
                sieve.see_candidate(*at, found.value, found.is_text, outcome);
            }
        }
    });
    sieve.end(outcome);
}

template <class T>
bool sift_array(nb::handle x, Tables& tables, const SiftedOutcome& outcome) {
    nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(x, array, false)) {
        return false;
    }
    sift_values(std::span<const T>(array.data(), array.shape(0)), tables, outcome);
    return true;
}

}  // namespace

void sift_row(nb::handle x, Tables& tables, const SiftedOutcome& outcome) {
    if (tables.sieve() == nullptr) {
        return;
    }
    const bool by_position = !tables.kept().empty();
    if (PyDict_Check(x.ptr()) != 0) {
        if (!by_position) {
            sift_dict(x, tables, outcome);
        }
        return;
    }
    const bool is_list = PyList_Check(x.ptr()) != 0;
    if (!is_list && PyTuple_Check(x.ptr()) == 0) {
        static_cast<void>(sift_array<double>(x, tables, outcome) ||
                          sift_array<float>(x, tables, outcome));
        return;
    }
    const auto size = static_cast<std::size_t>(nb::len(x));
    if (by_position && size == tables.width()) {
        sift_positions(tables, outcome, [&](std::uint32_t i) {
            PyObject* value = is_list ? PyList_GetItem(x.ptr(), i) : PyTuple_GetItem(x.ptr(), i);
            if (value == nullptr) {  // it became shorter meanwhile
                PyErr_Clear();
                return Sifted{};
            }
            const nb::object held = nb::borrow(value);
            return sifted(nb::handle(held));
        });
    }
}

template <class T>
void sift_values(std::span<const T> row, Tables& tables, const SiftedOutcome& outcome) {
    if (tables.sieve() != nullptr && !tables.kept().empty() && row.size() == tables.width()) {
        sift_positions(tables, outcome,
                       [&](std::uint32_t i) { return sifted(static_cast<double>(row[i])); });
    }
}

template void sift_values(std::span<const float>, Tables&, const SiftedOutcome&);
template void sift_values(std::span<const double>, Tables&, const SiftedOutcome&);

}  // namespace shrubs::bindings
