// Checks of whole matrices before anything is learned from them.

#include <nanobind/stl/string.h>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

template <class T>
void check_matrix(Matrix<T> X, const Tables& tables, bool learning, const std::string& learner) {
    const std::size_t n_features = tables.n_features();
    if (X.shape(1) != n_features) {
        throw nb::value_error(("X has " + std::to_string(X.shape(1)) + " features, but " + learner +
                               " is expecting " + std::to_string(n_features) + " features as input")
                                  .c_str());
    }
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        const T* row = X.data() + i * n_features;
        for (std::size_t column = 0; column < n_features; ++column) {
            const auto single = static_cast<float>(row[column]);
            if (single - single != 0.0F || tables.nominal()[column] != 0) {
                check_value(static_cast<double>(row[column]), tables, column,
                            learning ? Unseen::report : Unseen::ignore);
            }
        }
    }
}

}  // namespace

void bind_checks(nb::module_& module) {
    module.def("check_matrix", &check_matrix<double>, nb::arg("X"), nb::arg("tables"),
               nb::arg("learning"), nb::arg("learner"));
    module.def("check_matrix", &check_matrix<float>, nb::arg("X"), nb::arg("tables"),
               nb::arg("learning"), nb::arg("learner"));
}

}  // namespace shrubs::bindings
