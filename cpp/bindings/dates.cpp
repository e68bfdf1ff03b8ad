#include "dates.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

nb::handle date_of_numpy;

}  // namespace

void find_dates() {
    date_of_numpy = nb::object(nb::module_::import_("numpy").attr("datetime64")).release();
}

bool is_date_of_numpy(nb::handle value) {
    return value.type().is(date_of_numpy);
}

bool may_be_date(nb::handle value) {
    if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) {
        return false;
    }
    if (PyUnicode_Check(value.ptr())) {
        return PyUnicode_GetLength(value.ptr()) >= 10 &&
               PyUnicode_ReadChar(value.ptr(), 4) == '-' &&
               PyUnicode_ReadChar(value.ptr(), 7) == '-';
    }
    return is_date_of_numpy(value) || nb::hasattr(value, "toordinal") ||
           nb::hasattr(value, "utcoffset");
}

bool is_part_of_date(std::string_view name) {
    return name.ends_with(": hour") || name.ends_with(": weekday") ||
           name.ends_with(": days since 1970");
}

}  // namespace shrubs::bindings
