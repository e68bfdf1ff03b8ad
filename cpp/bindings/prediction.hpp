#pragma once

// The prediction of many rows without the GIL, (n, n_classes) or (n, 1).

#include <algorithm>
#include <optional>

#include "bindings.hpp"
#include "forks.hpp"
#include "shrubs/batch/auto_block_prediction.hpp"
#include "shrubs/batch/block_prediction.hpp"
#include "signals.hpp"

namespace shrubs::bindings {

/// Rows of numbers, one behind the other.
template <class T>
struct Rows {
    const T* values;
    std::size_t n;
    std::size_t width;

    const T* row(std::size_t i) const { return values + i * width; }
};

inline std::size_t output_width(Task task, std::size_t n_classes) {
    return task == Task::regression ? 1 : n_classes;
}

// Into `out`, (n_rows, width), with breaks. To be called without the GIL.
template <class T>
void predict_rows(const Members& members, Task task, const ClassWeights& class_weights,
                  const Rows<T>& X, double* out) {
    const std::size_t width = output_width(task, members.layout().n_classes());
    Signals signals;
    BlockPrediction prediction(members, task, X.width, width);
    // A break every two milliseconds or so; some ranked shrubs are made anew after each.
    const std::size_t at_once =
        1 + std::min<std::size_t>(65'536 / (X.width + 1), 250'000 / (members.size() + 1));
    for (std::size_t begin = 0; begin < X.n; begin += at_once) {
        pause_for_forks();
        signals.hear();
        prediction.predict(X.row(begin), std::min(at_once, X.n - begin), out + begin * width);
    }
    for (std::size_t i = 0; i < X.n; ++i) {
        class_weights.apply({out + i * width, width});
    }
}

template <class T, class Ensemble>
void predict_rows(const LearnerOf<Ensemble>& learner, const Rows<T>& X, double* out) {
    const Ensemble& ensemble = learner.ensemble();
    predict_rows(ensemble.members(), ensemble.task(), learner.class_weights, X, out);
}

// `prepared` is of the same ensemble, or made where it pays.
template <class T>
void predict_rows(const AutoLearner& learner, const Rows<T>& X, double* out,
                  std::optional<AutoBlockPrediction>& prepared) {
    const AutoEnsemble& ensemble = learner.ensemble();
    const std::size_t width = output_width(ensemble.task(), ensemble.dimensions().n_classes);
    Signals signals;
    if (!AutoBlockPrediction::pays(ensemble, X.n)) {
        for (std::size_t i = 0; i < X.n; ++i) {
            pause_for_forks();
            signals.hear();
            copy_row(X.row(i), ensemble.row());
            learner.predict(ensemble.row(), {out + i * width, width});
        }
        return;
    }
    if (!prepared) {
        prepared.emplace(ensemble);
    }
    constexpr std::size_t at_once = AutoBlockPrediction::max_rows;
    for (std::size_t begin = 0; begin < X.n; begin += at_once) {
        pause_for_forks();
        signals.hear();
        prepared->predict(X.row(begin), std::min(at_once, X.n - begin), out + begin * width);
    }
    for (std::size_t i = 0; i < X.n; ++i) {
        learner.class_weights.apply({out + i * width, width});
    }
}

template <class T>
void predict_rows(const AutoLearner& learner, const Rows<T>& X, double* out) {
    std::optional<AutoBlockPrediction> prepared;
    predict_rows(learner, X, out, prepared);
}

// As a new array.
template <class T, class AnyLearner>
nanobind::object predict_many(const AnyLearner& learner, const Matrix<T>& X) {
    const auto& ensemble = learner.ensemble();
    const std::size_t width = output_width(ensemble.task(), ensemble.dimensions().n_classes);
    NewArray<double, 2> out({X.shape(0), width});
    {
        const nanobind::gil_scoped_release release;
        predict_rows(learner, Rows<T>{X.data(), X.shape(0), X.shape(1)}, out.data());
    }
    return out.to_python();
}

}  // namespace shrubs::bindings
