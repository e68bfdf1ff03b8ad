// What a learner does with one row.

#include <array>
#include <cmath>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

// Reads a label that the tables know, or a finite target; false if `y` is neither.
template <class AnyLearner>
bool read_outcome(const AnyLearner& self, nb::handle y, Example& example) {
    if (self.ensemble().config().task == Task::regression) {
        example.target = PyFloat_Check(y.ptr()) ? PyFloat_AsDouble(y.ptr()) : std::nan("");
        return std::isfinite(example.target);
    }
    PyObject* label = PyDict_GetItemWithError(self.tables.labels.ptr(), y.ptr());
    if (label == nullptr) {
        if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
            throw nb::python_error();
        }
        PyErr_Clear();  // Python says what is wrong with a label that cannot be hashed
        return false;
    }
    example.label = static_cast<std::uint16_t>(PyLong_AsLong(label));
    return true;
}

template <class AnyLearner>
Learned learn_one(AnyLearner& self, nb::handle x, nb::handle y) {
    const Busy busy(self.busy);
    auto& ensemble = self.ensemble();
    Example example{ensemble.row()};
    if (read_row(x, self.tables, ensemble.nominal(), Unseen::report, ensemble.row()) !=
            RowStatus::done ||
        !read_outcome(self, y, example)) {
        return Learned::needs_python;
    }
    const bool was_frozen = ensemble.is_frozen();
    ensemble.learn(example);
    return ensemble.is_frozen() && !was_frozen ? Learned::done_and_froze : Learned::done;
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

// Probabilities of one row by label. None: Python has to sort the row out.
template <class AnyLearner>
nb::object predict_proba_one(AnyLearner& self, nb::handle x) {
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

template <class AnyLearner>
nb::object predict_label(AnyLearner& self, nb::handle x) {
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
nb::object predict_target(AnyLearner& self, nb::handle x) {
    auto& ensemble = self.ensemble();
    if (read_row(x, self.tables, ensemble.nominal(), Unseen::ignore, ensemble.row()) !=
        RowStatus::done) {
        return nb::none();
    }
    return nb::make_tuple(ensemble.predict_value(ensemble.row()));
}

// (label or target,) of one row, or () while no class is known. None: Python has to sort it out.
template <class AnyLearner>
nb::object predict_one(AnyLearner& self, nb::handle x) {
    const Busy busy(self.busy);
    return self.ensemble().config().task == Task::regression ? predict_target(self, x)
                                                             : predict_label(self, x);
}

}  // namespace

template <class AnyLearner>
void define_rows(nb::class_<AnyLearner>& learner) {
    learner.def("learn_one", &learn_one<AnyLearner>, nb::arg("x").none(), nb::arg("y").none())
        .def("predict_one", &predict_one<AnyLearner>, nb::arg("x").none(),
             nb::sig("def predict_one(self, x: object) -> tuple[typing.Any, ...] | None"))
        .def("predict_proba_one", &predict_proba_one<AnyLearner>, nb::arg("x").none(),
             nb::sig("def predict_proba_one(self, x: object) -> dict[typing.Any, float] | None"));
}

template void define_rows(nb::class_<Learner>&);
template void define_rows(nb::class_<AutoLearner>&);

}  // namespace shrubs::bindings
