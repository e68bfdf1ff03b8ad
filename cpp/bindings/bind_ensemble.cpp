#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include "bindings.hpp"
#include "shrubs/state.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

enum LearnStatus : int { learned = 0, needs_python = 1, learned_and_froze = 2 };

std::span<const std::uint8_t> as_kinds(const nb::bytes& nominal) {
    return {static_cast<const std::uint8_t*>(nominal.data()), nominal.size()};
}

std::span<const std::byte> as_bytes(const nb::bytes& bytes) {
    return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

nb::dict as_dict(const Plan& plan) {
    const MemoryReport bytes = report(plan);
    nb::dict result;
    result["window"] = bytes.window;
    result["shrubs"] = bytes.shrubs;
    result["weights"] = bytes.weights;
    result["caches"] = bytes.caches;
    result["scratch"] = bytes.scratch;
    result["object"] = sizeof(Learner);
    return result;
}

void learn_step(ShrubEnsemble& ensemble, std::span<const float> x, std::int64_t label,
                double target) {
    ensemble.learn({x, static_cast<std::uint16_t>(label), target});
}

// Row by row: `each(row index, row)`; false stops. Returns how many rows were done.
template <class T, class Each>
std::size_t for_each_row(Learner& self, const Matrix<T>& X, std::size_t n_labels, Each each) {
    check_width(X.shape(1), self.ensemble().nominal().size());
    if (n_labels != X.shape(0)) {
        throw nb::value_error("X and y differ in length");
    }
    const Busy busy(self.busy);
    const nb::gil_scoped_release release;
    const std::span<float> row = self.ensemble().row();
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        copy_row(X.data() + i * X.shape(1), row);
        if (!each(i, std::span<const float>(row))) {
            return i;
        }
    }
    return X.shape(0);
}

// Stops before the first row whose class is not known yet.
template <class T>
std::size_t learn_classes(Learner& self, Matrix<T> X, Vector<const std::int64_t> y) {
    const auto n_classes = static_cast<std::int64_t>(self.ensemble().dimensions().n_classes);
    return for_each_row<T>(self, X, y.shape(0), [&](std::size_t i, std::span<const float> row) {
        if (y.data()[i] < 0 || y.data()[i] >= n_classes) {
            return false;
        }
        learn_step(self.ensemble(), row, y.data()[i], 0.0);
        return true;
    });
}

template <class T>
std::size_t learn_targets(Learner& self, Matrix<T> X, Vector<const double> y) {
    return for_each_row<T>(self, X, y.shape(0), [&](std::size_t i, std::span<const float> row) {
        learn_step(self.ensemble(), row, 0, y.data()[i]);
        return true;
    });
}

// As `learn_classes`, with the predicted class of each row in `out`, -1 while no class is known.
// The row it stops before has been predicted too.
template <class T>
std::size_t prequential_classes(Learner& self, Matrix<T> X, Vector<const std::int64_t> y,
                                Vector<std::int64_t> out) {
    const auto n_classes = static_cast<std::int64_t>(self.ensemble().dimensions().n_classes);
    std::vector<double> f(static_cast<std::size_t>(n_classes));
    return for_each_row<T>(self, X, y.shape(0), [&](std::size_t i, std::span<const float> row) {
        const std::int64_t label = y.data()[i];
        if (label < 0 || label >= n_classes) {
            out.data()[i] = -1;
            if (n_classes > 0) {
                self.ensemble().predict_distribution(row, f);
                out.data()[i] = static_cast<std::int64_t>(arg_max(f));
            }
            return false;
        }
        self.ensemble().predict_next(row, f);
        out.data()[i] = static_cast<std::int64_t>(arg_max(f));
        self.ensemble().learn_next({row, static_cast<std::uint16_t>(label)});
        return true;
    });
}

template <class T>
std::size_t prequential_targets(Learner& self, Matrix<T> X, Vector<const double> y,
                                Vector<double> out) {
    return for_each_row<T>(self, X, y.shape(0), [&](std::size_t i, std::span<const float> row) {
        self.ensemble().predict_next(row, {out.data() + i, 1});
        self.ensemble().learn_next({row, 0, y.data()[i]});
        return true;
    });
}

template <class T>
void predict(Learner& self, Matrix<T> X, Output out) {
    check_width(X.shape(1), self.ensemble().nominal().size());
    const Busy busy(self.busy);
    const nb::gil_scoped_release release;
    const std::span<float> row = self.ensemble().row();
    const std::size_t width = out.shape(1);
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        copy_row(X.data() + i * X.shape(1), row);
        if (self.ensemble().config().task == Task::classification) {
            self.ensemble().predict_distribution(row, {out.data() + i * width, width});
        } else {
            out.data()[i] = self.ensemble().predict_value(row);
        }
    }
}

// Seconds since some moment.
double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// One block of a prequential evaluation: row i of X is predicted, then the next row of `X_learn` is
// learned. Where fewer rows are learned than predicted, the first rows are only predicted.
template <class Predict, class Learn>
void interleave(Learner& self, const Matrix<float>& X, const Matrix<float>& X_learn,
                Vector<double>& seconds, Predict predict, Learn learn) {
    check_width(X.shape(1), self.ensemble().nominal().size());
    check_width(X_learn.shape(1), self.ensemble().nominal().size());
    if (X_learn.shape(0) > X.shape(0) || seconds.shape(0) != 2) {
        throw nb::value_error("more rows to learn than to predict");
    }
    const Busy busy(self.busy);
    const nb::gil_scoped_release release;
    const bool same = X.data() == X_learn.data() && X.shape(0) == X_learn.shape(0);
    const std::size_t n_only_predicted = X.shape(0) - X_learn.shape(0);
    const std::span<float> row = self.ensemble().row();
    for (std::size_t i = 0; i < X.shape(0); ++i) {
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

void take_in(ShrubEnsemble& ensemble, const Example& example, bool same) {
    same ? ensemble.learn_next(example) : ensemble.learn(example);
}

// Predicted classes into `predicted`, the probability of the true class into `p_true`.
void interleave_classes(Learner& self, Matrix<float> X, Vector<const std::int64_t> y,
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
            self.ensemble().predict_next(row, f);
            predicted.data()[i] = static_cast<std::int64_t>(arg_max(f));
            const std::int64_t label = y.data()[i];
            p_true.data()[i] =
                label >= 0 && label < n_classes ? f[static_cast<std::size_t>(label)] : 0.0;
        },
        [&](std::size_t j, std::span<const float> row, bool same) {
            take_in(self.ensemble(), {row, static_cast<std::uint16_t>(y_learn.data()[j])}, same);
        });
}

void interleave_targets(Learner& self, Matrix<float> X, Matrix<float> X_learn,
                        Vector<const double> y_learn, Vector<double> predicted,
                        Vector<double> seconds) {
    if (predicted.shape(0) != X.shape(0) || y_learn.shape(0) != X_learn.shape(0)) {
        throw nb::value_error("targets do not fit the examples");
    }
    interleave(
        self, X, X_learn, seconds,
        [&](std::size_t i, std::span<const float> row) {
            self.ensemble().predict_next(row, {predicted.data() + i, 1});
        },
        [&](std::size_t j, std::span<const float> row, bool same) {
            take_in(self.ensemble(), {row, 0, y_learn.data()[j]}, same);
        });
}

int learned_status(const Learner& self, bool was_frozen) {
    return self.ensemble().is_frozen() && !was_frozen ? learned_and_froze : learned;
}

int learn_class_row(Learner& self, nb::handle x, nb::handle y) {
    const Busy busy(self.busy);
    ShrubEnsemble& ensemble = self.ensemble();
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
    learn_step(ensemble, ensemble.row(), PyLong_AsLong(label), 0.0);
    return learned_status(self, was_frozen);
}

int learn_target_row(Learner& self, nb::handle x, double y) {
    const Busy busy(self.busy);
    ShrubEnsemble& ensemble = self.ensemble();
    if (!(y - y == 0.0)) {
        return needs_python;
    }
    if (read_row(x, self.tables, ensemble.nominal(), Unseen::report, ensemble.row()) !=
        RowStatus::done) {
        return needs_python;
    }
    learn_step(ensemble, ensemble.row(), 0, y);
    return learned;
}

// f(x) of one row in `f`; false if Python has to sort the row out.
bool predict_distribution_row(Learner& self, nb::handle x, std::span<double> f) {
    ShrubEnsemble& ensemble = self.ensemble();
    if (read_row(x, self.tables, ensemble.nominal(), Unseen::ignore, ensemble.row()) !=
        RowStatus::done) {
        return false;
    }
    ensemble.predict_distribution(ensemble.row(), f);
    return true;
}

// Probabilities of one row, by class. None: see above.
nb::object predict_probabilities_row(Learner& self, nb::handle x) {
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
nb::object predict_label_row(Learner& self, nb::handle x) {
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

nb::object predict_target_row(Learner& self, nb::handle x) {
    const Busy busy(self.busy);
    ShrubEnsemble& ensemble = self.ensemble();
    if (read_row(x, self.tables, ensemble.nominal(), Unseen::ignore, ensemble.row()) !=
        RowStatus::done) {
        return nb::none();
    }
    return nb::float_(ensemble.predict_value(ensemble.row()));
}

nb::object leaf_as_tuple(const Members& members, std::uint32_t i, std::uint32_t leaf) {
    if (members.layout().kind() == LeafKind::value) {
        return nb::make_tuple("leaf", members.layout().value(members.leaves(i), leaf));
    }
    std::vector<std::int32_t> q(members.layout().n_classes());
    members.layout().get_distribution(members.leaves(i), leaf, q);
    nb::list entries;
    for (const std::int32_t entry : q) {
        entries.append(entry);
    }
    return nb::make_tuple("leaf", nb::tuple(entries));
}

// Preorder, children after their parent: ("split", feature, threshold, nominal, missing_left) and
// ("leaf", fixed-point distribution or value). A shrub may be as deep as its window is long, so
// this keeps its own stack.
nb::list nodes_as_list(const Members& members, std::uint32_t i) {
    struct Subtree {
        std::uint32_t first_node;
        std::uint32_t first_leaf;
        std::uint32_t n_inner;
    };
    nb::list nodes;
    std::vector<Subtree> waiting{{0, 0, members.n_inner(i)}};
    while (!waiting.empty()) {
        const Subtree at = waiting.back();
        waiting.pop_back();
        if (at.n_inner == 0) {
            nodes.append(leaf_as_tuple(members, i, at.first_leaf));
            continue;
        }
        const Node node = read_node(members.node_bytes(), members.nodes(i), at.first_node);
        nodes.append(nb::make_tuple("split", node.split.feature, node.split.threshold,
                                    node.split.nominal, node.split.missing_left));
        waiting.push_back({at.first_node + 1 + node.n_left, at.first_leaf + 1 + node.n_left,
                           at.n_inner - 1 - node.n_left});
        waiting.push_back({at.first_node + 1, at.first_leaf, node.n_left});
    }
    return nodes;
}

// (weight, born, nodes) per shrub, oldest first.
nb::list shrubs_as_list(Learner& self) {
    const Busy busy(self.busy);
    const Members& members = self.ensemble().members();
    nb::list result;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        result.append(
            nb::make_tuple(members.weights()[i], members.born(i), nodes_as_list(members, i)));
    }
    return result;
}

nb::list weights_as_list(Learner& self) {
    const Busy busy(self.busy);
    const Members& members = self.ensemble().members();
    nb::list result;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        result.append(members.weights()[i]);
    }
    return result;
}

// (born, weight) per shrub, oldest first.
nb::list members_as_list(Learner& self) {
    const Busy busy(self.busy);
    const Members& members = self.ensemble().members();
    nb::list result;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        result.append(nb::make_tuple(members.born(i), members.weights()[i]));
    }
    return result;
}

// The window, oldest first: features into X (size, n_features), labels or targets into y (size,).
void copy_window(Learner& self, nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu> X,
                 Vector<double> y) {
    const Busy busy(self.busy);
    const Window& window = self.ensemble().window();
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        window.copy_example(slot, {X.data() + age * X.shape(1), X.shape(1)});
        y.data()[age] = self.ensemble().config().task == Task::classification
                            ? window.labels()[slot]
                            : window.targets()[slot];
    }
}

nb::bytes to_state(Learner& self, const nb::bytes& tables) {
    const Busy busy(self.busy);
    std::vector<std::byte> state(state_bytes(self.ensemble(), as_bytes(tables)));
    save_state(self.ensemble(), as_bytes(tables), state);
    return nb::bytes(state.data(), state.size());
}

const char* explain(StateError error) {
    switch (error) {
        case StateError::not_a_state: return "these bytes are not a saved shrubs model";
        case StateError::too_new:
            return "this model was saved by a newer version of shrubs; upgrade to load it";
        case StateError::truncated: return "this saved model is truncated";
        case StateError::corrupted:
            return "this saved model is corrupted: its checksum does not match";
        default: return "this saved model is invalid: its contents contradict each other";
    }
}

StateHeader read_header_or_raise(const nb::bytes& state) {
    const StateHeader header = read_header(as_bytes(state));
    if (header.error != StateError::none) {
        throw nb::value_error(explain(header.error));
    }
    return header;
}

// What a state says about itself: bytes it needs once loaded, tables.
nb::tuple inspect_state(const nb::bytes& state) {
    const StateHeader header = read_header_or_raise(state);
    return nb::make_tuple(make_plan(header.config, header.dimensions).total_bytes + sizeof(Learner),
                          nb::bytes(header.tables.data(), header.tables.size()));
}

// The learner of a state, with the dimensions given, which are at least those of the state.
std::unique_ptr<Learner> from_state(const nb::bytes& state, const Dimensions& dimensions,
                                    std::span<const std::uint8_t> nominal) {
    const StateHeader header = read_header_or_raise(state);
    auto learner = std::make_unique<Learner>(header.config, dimensions, nominal);
    const StateError error = load_state(as_bytes(state), header, learner->ensemble());
    if (error != StateError::none) {
        throw nb::value_error(explain(error));
    }
    return learner;
}

std::unique_ptr<Learner> load(const nb::bytes& state) {
    const StateHeader header = read_header_or_raise(state);
    const std::span<const std::uint8_t> nominal{
        reinterpret_cast<const std::uint8_t*>(header.nominal.data()), header.nominal.size()};
    return from_state(state, header.dimensions, nominal);
}

std::unique_ptr<Learner> replan(Learner& self, std::uint32_t n_classes, std::uint32_t max_features,
                                const nb::bytes& nominal) {
    const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes,
                                max_features};
    const Dimensions& now = self.ensemble().dimensions();
    if (dimensions.n_features < now.n_features || n_classes < now.n_classes ||
        !is_valid(self.ensemble().config(), dimensions)) {
        throw nb::value_error("a learner can only grow, within the limits of the core");
    }
    return from_state(to_state(self, nb::bytes("", 0)), dimensions, as_kinds(nominal));
}

Config make_config(int method, bool regression, bool cross_entropy, bool random,
                   bool target_scaling, std::uint32_t max_shrubs, std::uint32_t window_size,
                   std::uint32_t max_depth, std::uint32_t min_samples_leaf,
                   std::uint32_t steps_per_example, double step_size, std::uint64_t seed) {
    return {.method = static_cast<Method>(method),
            .task = regression ? Task::regression : Task::classification,
            .loss = cross_entropy ? Loss::cross_entropy : Loss::mse,
            .splitter = random ? Splitter::random : Splitter::best,
            .target_scaling = target_scaling,
            .max_shrubs = max_shrubs,
            .window_size = window_size,
            .max_depth = max_depth == 0 ? no_limit : max_depth,
            .min_samples_leaf = min_samples_leaf,
            .steps_per_example = steps_per_example,
            .step_size = step_size,
            .seed = seed};
}

void check_valid(const Config& config, const Dimensions& dimensions) {
    if (!is_valid(config, dimensions)) {
        throw nb::value_error("parameters are outside the limits of the core");
    }
}

}  // namespace

Learner::Learner(const Config& config, const Dimensions& dimensions,
                 std::span<const std::uint8_t> nominal)
    : arena_bytes_(static_cast<std::size_t>(
          std::min<std::uint64_t>(make_plan(config, dimensions).total_bytes, SIZE_MAX))),
      arena_(static_cast<std::byte*>(std::calloc(std::max<std::size_t>(arena_bytes_, 1), 1))) {
    if (!arena_) {
        throw std::bad_alloc();
    }
    ensemble_.emplace(config, dimensions, nominal,
                      std::span<std::byte>(arena_.get(), arena_bytes_));
    for (std::size_t i = 0; i < nominal.size(); ++i) {
        tables.categories.append(nb::none());
    }
}

void Learner::Free::operator()(std::byte* arena) const {
    std::free(arena);
}

Busy::Busy(std::atomic<bool>& busy) : busy_(busy) {
    if (busy_.exchange(true, std::memory_order_acquire)) {
        throw std::runtime_error(
            "this learner is in use by another thread; predict from a snapshot() meanwhile");
    }
}

void bind_ensemble(nb::module_& module) {
    nb::class_<Config>(module, "Config", "The hyperparameters; max_depth 0 is no limit.")
        .def(
            "__init__",
            [](Config* self, int method, bool regression, bool cross_entropy, bool random,
               bool target_scaling, std::uint32_t max_shrubs, std::uint32_t window_size,
               std::uint32_t max_depth, std::uint32_t min_samples_leaf,
               std::uint32_t steps_per_example, double step_size, std::uint64_t seed) {
                new (self) Config(make_config(
                    method, regression, cross_entropy, random, target_scaling, max_shrubs,
                    window_size, max_depth, min_samples_leaf, steps_per_example, step_size, seed));
            },
            nb::kw_only(), nb::arg("method"), nb::arg("regression"), nb::arg("cross_entropy"),
            nb::arg("random"), nb::arg("target_scaling"), nb::arg("max_shrubs"),
            nb::arg("window_size"), nb::arg("max_depth"), nb::arg("min_samples_leaf"),
            nb::arg("steps_per_example"), nb::arg("step_size"), nb::arg("seed"));
    module.def(
        "plan",
        [](const Config& config, std::uint32_t n_features, std::uint32_t n_classes,
           std::uint32_t max_features) {
            const Dimensions dimensions{n_features, n_classes, max_features};
            check_valid(config, dimensions);
            return as_dict(make_plan(config, dimensions));
        },
        nb::arg("config"), nb::arg("n_features"), nb::arg("n_classes"), nb::arg("max_features"),
        nb::sig("def plan(config: Config, n_features: int, n_classes: int, max_features: int) -> "
                "dict[str, int]"),
        "Bytes that a learner of this shape takes, by purpose.");
    module.def("inspect_state", &inspect_state, nb::arg("state"),
               nb::sig("def inspect_state(state: bytes) -> tuple[int, bytes]"));
    module.def("load_state", &load, nb::arg("state"));

    nb::class_<Learner>(module, "Learner", "A shrub ensemble in its arena.")
        .def(
            "__init__",
            [](Learner* self, const Config& config, std::uint32_t n_classes,
               std::uint32_t max_features, const nb::bytes& nominal) {
                const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes,
                                            max_features};
                check_valid(config, dimensions);
                new (self) Learner(config, dimensions, as_kinds(nominal));
            },
            nb::arg("config"), nb::arg("n_classes"), nb::arg("max_features"), nb::arg("nominal"))
        .def(
            "set_tables",
            [](Learner& self, nb::object columns, nb::list categories, nb::dict labels,
               nb::list label_list) { self.tables = {columns, categories, labels, label_list}; },
            nb::arg("columns").none(), nb::arg("categories"), nb::arg("labels"),
            nb::arg("label_list"),
            nb::sig("def set_tables(self, columns: object | None, categories: list[typing.Any], "
                    "labels: dict[typing.Any, int], label_list: list[typing.Any]) -> None"))
        .def("learn", &learn_classes<double>, nb::arg("X"), nb::arg("y"))
        .def("learn", &learn_classes<float>, nb::arg("X"), nb::arg("y"))
        .def("learn", &learn_targets<double>, nb::arg("X"), nb::arg("y"))
        .def("learn", &learn_targets<float>, nb::arg("X"), nb::arg("y"))
        .def("prequential", &prequential_classes<double>, nb::arg("X"), nb::arg("y"),
             nb::arg("out"))
        .def("prequential", &prequential_classes<float>, nb::arg("X"), nb::arg("y"), nb::arg("out"))
        .def("prequential", &prequential_targets<double>, nb::arg("X"), nb::arg("y"),
             nb::arg("out"))
        .def("prequential", &prequential_targets<float>, nb::arg("X"), nb::arg("y"), nb::arg("out"))
        .def("interleave_classes", &interleave_classes, nb::arg("X"), nb::arg("y"),
             nb::arg("X_learn"), nb::arg("y_learn"), nb::arg("predicted"), nb::arg("p_true"),
             nb::arg("seconds"))
        .def("interleave_targets", &interleave_targets, nb::arg("X"), nb::arg("X_learn"),
             nb::arg("y_learn"), nb::arg("predicted"), nb::arg("seconds"))
        .def("predict", &predict<double>, nb::arg("X"), nb::arg("out"))
        .def("predict", &predict<float>, nb::arg("X"), nb::arg("out"))
        .def("learn_class_row", &learn_class_row, nb::arg("x").none(), nb::arg("y").none())
        .def("learn_target_row", &learn_target_row, nb::arg("x").none(), nb::arg("y"))
        .def("predict_probabilities_row", &predict_probabilities_row, nb::arg("x").none(),
             nb::sig("def predict_probabilities_row(self, x: object) -> "
                     "dict[typing.Any, float] | None"))
        .def("predict_label_row", &predict_label_row, nb::arg("x").none(),
             nb::sig("def predict_label_row(self, x: object) -> tuple[typing.Any, ...] | None"))
        .def("predict_target_row", &predict_target_row, nb::arg("x").none(),
             nb::sig("def predict_target_row(self, x: object) -> float | None"))
        .def("replan", &replan, nb::arg("n_classes"), nb::arg("max_features"), nb::arg("nominal"))
        .def("to_state", &to_state, nb::arg("tables"))
        .def("snapshot",
             [](Learner& self) {
                 const Busy busy(self.busy);
                 return std::make_unique<Snapshot>(self.ensemble());
             })
        .def("shrubs", &shrubs_as_list,
             nb::sig("def shrubs(self) -> "
                     "list[tuple[float, int, list[tuple[typing.Any, ...]]]]"))
        .def("members", &members_as_list, nb::sig("def members(self) -> list[tuple[int, float]]"))
        .def("weights", &weights_as_list, nb::sig("def weights(self) -> list[float]"))
        .def("copy_window", &copy_window, nb::arg("X"), nb::arg("y"))
        .def(
            "has_config",
            [](const Learner& self, const Config& config) {
                return self.ensemble().config() == config;
            },
            nb::arg("config"))
        .def_prop_ro("nominal",
                     [](const Learner& self) {
                         const auto nominal = self.ensemble().nominal();
                         return nb::bytes(nominal.data(), nominal.size());
                     })
        .def_prop_ro("n_features",
                     [](const Learner& self) { return self.ensemble().dimensions().n_features; })
        .def_prop_ro("n_classes",
                     [](const Learner& self) { return self.ensemble().dimensions().n_classes; })
        .def_prop_ro("n_shrubs",
                     [](const Learner& self) { return self.ensemble().members().size(); })
        .def_prop_ro("n_examples",
                     [](const Learner& self) { return self.ensemble().window().size(); })
        .def_prop_ro("examples_seen",
                     [](const Learner& self) { return self.ensemble().examples_seen(); })
        .def_prop_ro("frozen", [](const Learner& self) { return self.ensemble().is_frozen(); })
        .def_prop_ro("memory_bytes", &Learner::memory_bytes);
}

}  // namespace shrubs::bindings
