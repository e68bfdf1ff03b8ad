// What a learner does with whole blocks of rows, the GIL released.

#include <algorithm>
#include <chrono>

#include "bindings.hpp"
#include "forks.hpp"
#include "prediction.hpp"
#include "signals.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

// What may come between two examples: a fork, Ctrl-C.
void take_a_break(Signals& signals) {
    pause_for_forks();
    signals.hear();
}

void check_length(std::size_t given, std::size_t expected) {
    if (given != expected) {
        throw nb::value_error("X, y and out differ in length");
    }
}

// Row by row: `each(row index, row)`; false stops. So does an ensemble that freezes: whoever calls
// has to say so before it goes on. Returns how many rows were done.
template <class T, class AnyLearner, class Each>
std::size_t for_each_row(AnyLearner& self, const Matrix<T>& X, std::size_t n_labels, Each each) {
    check_width(X.shape(1), self.ensemble().nominal().size());
    check_length(n_labels, X.shape(0));
    const nb::gil_scoped_release release;
    Signals signals;
    const bool was_frozen = self.ensemble().is_frozen();
    const std::span<float> row = self.ensemble().row();
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        take_a_break(signals);
        copy_row(X.data() + i * X.shape(1), row);
        if (!each(i, std::span<const float>(row))) {
            return i;
        }
        if (self.ensemble().is_frozen() != was_frozen) {
            return i + 1;
        }
    }
    return X.shape(0);
}

// Stops before the first row whose class is not known yet.
template <class T, class AnyLearner>
std::size_t learn_classes(AnyLearner& self, const Matrix<T>& X, const Vector<const std::int64_t>& y,
                          bool are_first) {
    const auto n_classes = static_cast<std::int64_t>(self.ensemble().dimensions().n_classes);
    return for_each_row<T>(self, X, y.shape(0), [&](std::size_t i, std::span<const float> row) {
        if (y.data()[i] < 0 || y.data()[i] >= n_classes) {
            return false;
        }
        self.learn(
            {.x = row, .label = static_cast<std::uint16_t>(y.data()[i]), .is_first = are_first});
        return true;
    });
}

template <class T, class AnyLearner>
std::size_t learn_known(AnyLearner& self, Matrix<T> X, Vector<const std::int64_t> y) {
    return learn_classes<T>(self, X, y, false);
}

// Rows of classes that were not known when they were predicted.
template <class T, class AnyLearner>
std::size_t learn_first(AnyLearner& self, Matrix<T> X, Vector<const std::int64_t> y) {
    return learn_classes<T>(self, X, y, true);
}

template <class T, class AnyLearner>
std::size_t learn_targets(AnyLearner& self, Matrix<T> X, Vector<const double> y) {
    return for_each_row<T>(self, X, y.shape(0), [&](std::size_t i, std::span<const float> row) {
        self.learn({row, 0, y.data()[i]});
        return true;
    });
}

// As `learn_classes`, with the predicted class of each row in `out`, -1 while no class is known.
// The row it stops before has been predicted too.
template <class T, class AnyLearner>
std::size_t prequential_classes(AnyLearner& self, Matrix<T> X, Vector<const std::int64_t> y,
                                Vector<std::int64_t> out) {
    check_length(out.shape(0), X.shape(0));
    const auto n_classes = static_cast<std::int64_t>(self.ensemble().dimensions().n_classes);
    std::vector<double> f(static_cast<std::size_t>(n_classes));
    return for_each_row<T>(self, X, y.shape(0), [&](std::size_t i, std::span<const float> row) {
        const std::int64_t label = y.data()[i];
        if (label < 0 || label >= n_classes) {
            out.data()[i] = -1;
            if (n_classes > 0) {
                self.predict(row, f);
                out.data()[i] = static_cast<std::int64_t>(arg_max(f));
            }
            return false;
        }
        self.predict_next(row, f);
        out.data()[i] = static_cast<std::int64_t>(arg_max(f));
        self.learn_next({row, static_cast<std::uint16_t>(label)});
        return true;
    });
}

template <class T, class AnyLearner>
std::size_t prequential_targets(AnyLearner& self, Matrix<T> X, Vector<const double> y,
                                Vector<double> out) {
    check_length(out.shape(0), X.shape(0));
    return for_each_row<T>(self, X, y.shape(0), [&](std::size_t i, std::span<const float> row) {
        self.predict_next(row, {out.data() + i, 1});
        self.learn_next({row, 0, y.data()[i]});
        return true;
    });
}

// f(x) of each row, (n, n_classes) or (n, 1).
template <class T, class AnyLearner>
nb::object predict(AnyLearner& self, Matrix<T> X) {
    check_width(X.shape(1), self.ensemble().nominal().size());
    return predict_many(self, X);
}

// Seconds since some moment.
double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// One block of a prequential evaluation: row i of X is predicted, then the next row of `X_learn` is
// learned. Where fewer rows are learned than predicted, the first rows are only predicted.
template <class AnyLearner, class Predict, class Learn>
void interleave(AnyLearner& self, const Matrix<float>& X, const Matrix<float>& X_learn,
                Vector<double>& seconds, Predict predict, Learn learn) {
    check_width(X.shape(1), self.ensemble().nominal().size());
    check_width(X_learn.shape(1), self.ensemble().nominal().size());
    if (X_learn.shape(0) > X.shape(0) || seconds.shape(0) != 2) {
        throw nb::value_error("more rows to learn than to predict");
    }
    const nb::gil_scoped_release release;
    Signals signals;
    const bool same = X.data() == X_learn.data() && X.shape(0) == X_learn.shape(0);
    const std::size_t n_only_predicted = X.shape(0) - X_learn.shape(0);
    const std::span<float> row = self.ensemble().row();
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        take_a_break(signals);
        const double start = now();
        copy_row(X.data() + i * X.shape(1), row);
        predict(i, std::span<const float>(row));
        const double predicted = now();
        seconds.data()[0] += predicted - start;
        if (i >= n_only_predicted) {
            const std::size_t j = i - n_only_predicted;
            if (!same) {
                copy_row(X_learn.data() + j * X.shape(1), row);
            }
            learn(j, std::span<const float>(row), same);
            seconds.data()[1] += now() - predicted;
        }
    }
}

// Predicted classes into `predicted`, the probability of the true class into `p_true`.
template <class AnyLearner>
void interleave_classes(AnyLearner& self, Matrix<float> X, Vector<const std::int64_t> y,
                        Matrix<float> X_learn, Vector<const std::int64_t> y_learn,
                        Vector<std::int64_t> predicted, Vector<double> p_true,
                        Vector<double> seconds) {
    const auto n_classes = static_cast<std::int64_t>(self.ensemble().dimensions().n_classes);
    if (y.shape(0) != X.shape(0) || y_learn.shape(0) != X_learn.shape(0) ||
        predicted.shape(0) != X.shape(0) || p_true.shape(0) != X.shape(0) || n_classes == 0 ||
        std::any_of(y_learn.data(), y_learn.data() + y_learn.shape(0),
                    [&](std::int64_t label) { return label < 0 || label >= n_classes; })) {
        throw nb::value_error("labels do not fit the examples or the classes");
    }
    std::vector<double> f(static_cast<std::size_t>(n_classes));
    interleave(
        self, X, X_learn, seconds,
        [&](std::size_t i, std::span<const float> row) {
            self.predict_next(row, f);
            predicted.data()[i] = static_cast<std::int64_t>(arg_max(f));
            const std::int64_t label = y.data()[i];
            p_true.data()[i] =
                label >= 0 && label < n_classes ? f[static_cast<std::size_t>(label)] : 0.0;
        },
        [&](std::size_t j, std::span<const float> row, bool same) {
            const Example example{row, static_cast<std::uint16_t>(y_learn.data()[j])};
            same ? self.learn_next(example) : self.learn(example);
        });
}

template <class AnyLearner>
void interleave_targets(AnyLearner& self, Matrix<float> X, Matrix<float> X_learn,
                        Vector<const double> y_learn, Vector<double> predicted,
                        Vector<double> seconds) {
    if (predicted.shape(0) != X.shape(0) || y_learn.shape(0) != X_learn.shape(0)) {
        throw nb::value_error("targets do not fit the examples");
    }
    interleave(
        self, X, X_learn, seconds,
        [&](std::size_t i, std::span<const float> row) {
            self.predict_next(row, {predicted.data() + i, 1});
        },
        [&](std::size_t j, std::span<const float> row, bool same) {
            const Example example{row, 0, y_learn.data()[j]};
            same ? self.learn_next(example) : self.learn(example);
        });
}

constexpr const char* doubles_signature =
    "def predict_many(self, X: numpy.typing.NDArray[numpy.float64]) -> "
    "numpy.typing.NDArray[numpy.float64]";
constexpr const char* floats_signature =
    "def predict_many(self, X: numpy.typing.NDArray[numpy.float32]) -> "
    "numpy.typing.NDArray[numpy.float64]";

}  // namespace

template <class AnyLearner>
void define_blocks(nb::class_<AnyLearner>& learner) {
    learner.def("learn_many", &learn_known<double, AnyLearner>, nb::arg("X"), nb::arg("y"))
        .def("learn_many", &learn_known<float, AnyLearner>, nb::arg("X"), nb::arg("y"))
        .def("learn_first", &learn_first<double, AnyLearner>, nb::arg("X"), nb::arg("y"))
        .def("learn_first", &learn_first<float, AnyLearner>, nb::arg("X"), nb::arg("y"))
        .def("learn_many", &learn_targets<double, AnyLearner>, nb::arg("X"), nb::arg("y"))
        .def("learn_many", &learn_targets<float, AnyLearner>, nb::arg("X"), nb::arg("y"))
        .def("prequential", &prequential_classes<double, AnyLearner>, nb::arg("X"), nb::arg("y"),
             nb::arg("out"))
        .def("prequential", &prequential_classes<float, AnyLearner>, nb::arg("X"), nb::arg("y"),
             nb::arg("out"))
        .def("prequential", &prequential_targets<double, AnyLearner>, nb::arg("X"), nb::arg("y"),
             nb::arg("out"))
        .def("prequential", &prequential_targets<float, AnyLearner>, nb::arg("X"), nb::arg("y"),
             nb::arg("out"))
        .def("interleave_classes", &interleave_classes<AnyLearner>, nb::arg("X"), nb::arg("y"),
             nb::arg("X_learn"), nb::arg("y_learn"), nb::arg("predicted"), nb::arg("p_true"),
             nb::arg("seconds"))
        .def("interleave_targets", &interleave_targets<AnyLearner>, nb::arg("X"),
             nb::arg("X_learn"), nb::arg("y_learn"), nb::arg("predicted"), nb::arg("seconds"))
        .def("predict_many", &predict<double, AnyLearner>, nb::arg("X"), nb::sig(doubles_signature))
        .def("predict_many", &predict<float, AnyLearner>, nb::arg("X"), nb::sig(floats_signature));
}

template void define_blocks(nb::class_<PaperLearner>&);
template void define_blocks(nb::class_<TreeLearner>&);
template void define_blocks(nb::class_<AutoLearner>&);

}  // namespace shrubs::bindings
