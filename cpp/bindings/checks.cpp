// Checks of whole matrices and single rows before anything is learned from them.

#include <nanobind/stl/string.h>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

template <class T>
void check_matrix(Matrix<T> X, const nb::bytes& nominal, bool learning, nb::object columns,
                  const std::string& learner) {
    const std::span<const std::uint8_t> kinds = as_kinds(nominal);
    if (X.shape(1) != kinds.size()) {
        throw nb::value_error(("X has " + std::to_string(X.shape(1)) + " features, but " + learner +
                               " is expecting " + std::to_string(kinds.size()) +
                               " features as input")
                                  .c_str());
    }
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        const T* row = X.data() + i * X.shape(1);
        for (std::size_t column = 0; column < kinds.size(); ++column) {
            const auto single = static_cast<float>(row[column]);
            if (single - single != 0.0F || kinds[column] != 0) {
                const nb::object name =
                    columns.is_none() ? nb::int_(column) : nb::object(nb::list(columns)[column]);
                check_value(static_cast<double>(row[column]), kinds[column] != 0, learning, name);
            }
        }
    }
}

// Raises for a row that cannot be learned with these tables.
void check_row(nb::handle x, nb::object columns, nb::list categories, const nb::bytes& nominal) {
    const Tables tables{columns, categories, {}, {}};
    std::vector<float> row(nominal.size());
    const auto* kinds = static_cast<const std::uint8_t*>(nominal.data());
    read_row(x, tables, {kinds, nominal.size()}, Unseen::report, row);
}

}  // namespace

void bind_checks(nb::module_& module) {
    module.def("check_matrix", &check_matrix<double>, nb::arg("X"), nb::arg("nominal"),
               nb::arg("learning"), nb::arg("columns").none(), nb::arg("learner"));
    module.def("check_matrix", &check_matrix<float>, nb::arg("X"), nb::arg("nominal"),
               nb::arg("learning"), nb::arg("columns").none(), nb::arg("learner"));
    module.def("check_row", &check_row, nb::arg("x"), nb::arg("columns").none(),
               nb::arg("categories"), nb::arg("nominal"),
               nb::sig("def check_row(x: object, columns: object | None, "
                       "categories: list[typing.Any], nominal: bytes) -> None"));
}

}  // namespace shrubs::bindings
