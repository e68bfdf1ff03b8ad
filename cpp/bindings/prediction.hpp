#pragma once

// The prediction of many rows without the GIL, into a new array, (n, n_classes) or (n, 1).

#include <algorithm>

#include "bindings.hpp"
#include "forks.hpp"
#include "shrubs/batch/block_prediction.hpp"
#include "signals.hpp"

namespace shrubs::bindings {

inline std::size_t output_width(Task task, std::size_t n_classes) {
    return task == Task::regression ? 1 : n_classes;
}

template <class T>
nanobind::object predict_many(const Members& members, Task task, const ClassWeights& class_weights,
                              const Matrix<T>& X) {
    const std::size_t width = output_width(task, members.layout().n_classes());
    NewArray<double, 2> out({X.shape(0), width});
    {
        const nanobind::gil_scoped_release release;
        Signals signals;
        BlockPrediction prediction(members, task, X.shape(1), width);
        // A break every few milliseconds.
        const std::size_t at_once =
            1 + std::min<std::size_t>(262'144 / (X.shape(1) + 1), 1'000'000 / (members.size() + 1));
        for (std::size_t begin = 0; begin < X.shape(0); begin += at_once) {
            pause_for_forks();
            signals.hear();
            prediction.predict(X.data() + begin * X.shape(1), std::min(at_once, X.shape(0) - begin),
                               out.data() + begin * width);
        }
        for (std::size_t i = 0; i < X.shape(0); ++i) {
            class_weights.apply({out.data() + i * width, width});
        }
    }
    return out.to_python();
}

template <class T, class Ensemble>
nanobind::object predict_many(const LearnerOf<Ensemble>& learner, const Matrix<T>& X) {
    const Ensemble& ensemble = learner.ensemble();
    return predict_many(ensemble.members(), ensemble.task(), learner.class_weights, X);
}

template <class T>
nanobind::object predict_many(const AutoLearner& learner, const Matrix<T>& X) {
    const AutoEnsemble& ensemble = learner.ensemble();
    const std::size_t width = output_width(ensemble.task(), ensemble.dimensions().n_classes);
    NewArray<double, 2> out({X.shape(0), width});
    {
        const nanobind::gil_scoped_release release;
        Signals signals;
        for (std::size_t i = 0; i < X.shape(0); ++i) {
            pause_for_forks();
            signals.hear();
            copy_row(X.data() + i * X.shape(1), ensemble.row());
            learner.predict(ensemble.row(), {out.data() + i * width, width});
        }
    }
    return out.to_python();
}

}  // namespace shrubs::bindings
