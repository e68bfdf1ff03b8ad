// What a learner does with one row.

#include <array>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

enum LearnStatus : int { learned = 0, needs_python = 1, learned_and_froze = 2 };

template <class AnyLearner>
int learned_status(const AnyLearner& self, bool was_frozen) {
    return self.ensemble().is_frozen() && !was_frozen ? learned_and_froze : learned;
}

template <class AnyLearner>
int learn_class_row(AnyLearner& self, nb::handle x, nb::handle y) {
    const Busy busy(self.busy);
    auto& ensemble = self.ensemble();
    if (read_row(x, self.tables, ensemble.nominal(), Unseen::report, ensemble.row()) !=
        RowStatus::done) {
        return needs_python;
    }
    PyObject* label = PyDict_GetItemWithError(self.tables.labels.ptr(), y.ptr());
    if (label == nullptr) {
        if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
            throw nb::python_error();
        }
        PyErr_Clear();  // Python says what is wrong with a label that cannot be hashed
        return needs_python;
    }
    const bool was_frozen = ensemble.is_frozen();
    ensemble.learn({ensemble.row(), static_cast<std::uint16_t>(PyLong_AsLong(label))});
    return learned_status(self, was_frozen);
}

template <class AnyLearner>
int learn_target_row(AnyLearner& self, nb::handle x, double y) {
    const Busy busy(self.busy);
    auto& ensemble = self.ensemble();
    if (!(y - y == 0.0)) {
        return needs_python;
    }
    if (read_row(x, self.tables, ensemble.nominal(), Unseen::report, ensemble.row()) !=
        RowStatus::done) {
        return needs_python;
    }
    ensemble.learn({ensemble.row(), 0, y});
    return learned;
}

// f(x) of one row in `f`; false if Python has to sort the row out.
template <class AnyLearner>
bool predict_distribution_row(AnyLearner& self, nb::handle x, std::span<double> f) {
    auto& ensemble = self.ensemble();
    if (read_row(x, self.tables, ensemble.nominal(), Unseen::ignore, ensemble.row()) !=
        RowStatus::done) {
        return false;
    }
    ensemble.predict_distribution(ensemble.row(), f);
    return true;
}

// Probabilities of one row, by class. None: see above.
template <class AnyLearner>
nb::object predict_probabilities_row(AnyLearner& self, nb::handle x) {
    const Busy busy(self.busy);
    std::vector<double> f(self.ensemble().dimensions().n_classes);
    if (!predict_distribution_row(self, x, f)) {
        return nb::none();
    }
    nb::dict result;
    for (std::size_t c = 0; c < f.size(); ++c) {
        result[self.tables.label_list[c]] = f[c];
    }
    return result;
}

// (label,) of one row, or () while no class is known. None: see above.
template <class AnyLearner>
nb::object predict_label_row(AnyLearner& self, nb::handle x) {
    const Busy busy(self.busy);
    const std::size_t n_classes = self.ensemble().dimensions().n_classes;
    std::array<double, 64> small;
    std::vector<double> large(n_classes > small.size() ? n_classes : 0);
    const std::span<double> f(large.empty() ? small.data() : large.data(), n_classes);
    if (!predict_distribution_row(self, x, f)) {
        return nb::none();
    }
    return f.empty() ? nb::make_tuple() : nb::make_tuple(self.tables.label_list[arg_max(f)]);
}

template <class AnyLearner>
nb::object predict_target_row(AnyLearner& self, nb::handle x) {
    const Busy busy(self.busy);
    auto& ensemble = self.ensemble();
    if (read_row(x, self.tables, ensemble.nominal(), Unseen::ignore, ensemble.row()) !=
        RowStatus::done) {
        return nb::none();
    }
    return nb::float_(ensemble.predict_value(ensemble.row()));
}

}  // namespace

template <class AnyLearner>
void define_rows(nb::class_<AnyLearner>& learner) {
    learner
        .def("learn_class_row", &learn_class_row<AnyLearner>, nb::arg("x").none(),
             nb::arg("y").none())
        .def("learn_target_row", &learn_target_row<AnyLearner>, nb::arg("x").none(), nb::arg("y"))
        .def("predict_probabilities_row", &predict_probabilities_row<AnyLearner>,
             nb::arg("x").none(),
             nb::sig("def predict_probabilities_row(self, x: object) -> "
                     "dict[typing.Any, float] | None"))
        .def("predict_label_row", &predict_label_row<AnyLearner>, nb::arg("x").none(),
             nb::sig("def predict_label_row(self, x: object) -> tuple[typing.Any, ...] | None"))
        .def("predict_target_row", &predict_target_row<AnyLearner>, nb::arg("x").none(),
             nb::sig("def predict_target_row(self, x: object) -> float | None"));
}

template void define_rows(nb::class_<Learner>&);
template void define_rows(nb::class_<AutoLearner>&);

}  // namespace shrubs::bindings
