#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace shrubs::bindings {

/// A value as messages show it: shrubs.messages.shown.
inline std::string shown(nanobind::handle value) {
    return nanobind::cast<std::string>(
        nanobind::module_::import_("shrubs.messages").attr("shown")(value));
}

}  // namespace shrubs::bindings
