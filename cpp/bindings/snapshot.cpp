#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "prediction.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

// Room for one row and the leaves found, without touching the heap for ordinary shapes.
template <class T>
class Buffer {
 public:
    explicit Buffer(std::size_t size) {
        if (size > small_.size()) {
            large_.resize(size);
        }
        view_ = std::span<T>(size > small_.size() ? large_.data() : small_.data(), size);
    }
    std::span<T> view() { return view_; }

 private:
    std::array<T, 256> small_{};
    std::vector<T> large_;
    std::span<T> view_;
};

Task task_of(const Snapshot& snapshot) {
    return snapshot.task();
}
Task task_of(const AutoSnapshot& snapshot) {
    return snapshot.ensemble().task();
}

// Numbers in a prediction.
std::size_t width_of(const Snapshot& snapshot) {
    return output_width(snapshot.task(), snapshot.members().layout().n_classes());
}
std::size_t width_of(const AutoSnapshot& snapshot) {
    return output_width(task_of(snapshot), snapshot.ensemble().dimensions().n_classes);
}

// f(x) of one row.
void predict_row(const Snapshot& snapshot, std::span<const float> row, std::span<double> f) {
    Buffer<std::uint16_t> found(snapshot.members().size());
    snapshot.members().predict(row, found.view(), f);
    snapshot.class_weights().apply(f);
}
void predict_row(AutoSnapshot& snapshot, std::span<const float> row, std::span<double> f) {
    const Locked locked(snapshot.lock);
    std::ranges::copy(row, snapshot.ensemble().row().begin());
    snapshot.learner().predict(snapshot.ensemble().row(), f);
}

// The same of many, without the GIL.
template <class T>
void predict_rows(const Snapshot& snapshot, const Rows<T>& X, double* out) {
    const nb::gil_scoped_release release;
    predict_rows(snapshot.members(), snapshot.task(), snapshot.class_weights(), X, out);
}
template <class T>
void predict_rows(AutoSnapshot& snapshot, const Rows<T>& X, double* out) {
    const Locked locked(snapshot.lock);
    const nb::gil_scoped_release release;
    predict_rows(snapshot.learner(), X, out, snapshot.prepared);
}

template <class T, class AnySnapshot>
nb::object predict(AnySnapshot& snapshot, Matrix<T> X) {
    check_width(X.shape(1), snapshot.tables().n_features());
    NewArray<double, 2> out({X.shape(0), width_of(snapshot)});
    predict_rows(snapshot, Rows<T>{X.data(), X.shape(0), X.shape(1)}, out.data());
    return out.to_python();
}

// f(x) of one row: a list of probabilities, or a float; None if Python has to sort the row out.
template <class AnySnapshot>
nb::object predict_one(AnySnapshot& snapshot, nb::handle x) {
    Buffer<float> row(snapshot.tables().n_features());
    if (!read_row(x, snapshot.tables(), Unseen::ignore, row.view())) {
        return nb::none();
    }
    Buffer<double> f(width_of(snapshot));
    predict_row(snapshot, row.view(), f.view());
    if (task_of(snapshot) == Task::regression) {
        return nb::float_(f.view()[0]);
    }
    nb::list probabilities;
    for (const double p : f.view()) {
        probabilities.append(p);
    }
    return probabilities;
}

// Where each feature is among names, behind the last one if it is not; none for categories.
std::optional<std::vector<std::size_t>> columns_of(const Tables& tables, const nb::list& names) {
    std::vector<std::size_t> columns(tables.n_features(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto feature = tables.column(names[i]);
        if (feature && tables.nominal()[*feature] != 0) {
            return std::nullopt;
        }
        if (feature) {
            columns[*feature] = i;
        }
    }
    return columns;
}

// Where there are fewer rows, letting go of the GIL would take as long.
constexpr std::size_t few_rows = 16;

// The class of each row, or its target.
template <class AnySnapshot>
nb::list outcomes(AnySnapshot& snapshot, const Rows<float>& X) {
    const std::size_t width = width_of(snapshot);
    std::vector<double> f(X.n * width);
    if (X.n >= few_rows) {
        predict_rows(snapshot, X, f.data());
    }
    nb::list found;
    for (std::size_t i = 0; i < X.n; ++i) {
        const std::span<double> said = std::span(f).subspan(i * width, width);
        if (X.n < few_rows) {
            predict_row(snapshot, {X.row(i), X.width}, said);
        }
        if (task_of(snapshot) == Task::regression) {
            found.append(said[0]);
        } else {
            found.append(arg_max(said));
        }
    }
    return found;
}

// The class or target of some rows. Their columns have names, and numbers that single precision
// holds; what has no column is missing. None if features have no names, or if one holds categories.
template <class AnySnapshot>
nb::object predict_named(AnySnapshot& snapshot, const nb::list& names, Matrix<double> X,
                         std::size_t begin, std::size_t end) {
    if (X.shape(1) != names.size() || begin > end || end > X.shape(0)) {
        throw nb::value_error("X does not have these names or rows");
    }
    const Tables& tables = snapshot.tables();
    const auto columns = columns_of(tables, names);
    if (!columns || !tables.named().value_or(false) || width_of(snapshot) == 0) {
        return nb::none();
    }
    std::vector<float> values;
    for (std::size_t row = begin; row < end; ++row) {
        const double* const from = X.data() + row * names.size();
        for (const std::size_t column : *columns) {
            values.push_back(column == names.size() ? std::numeric_limits<float>::quiet_NaN()
                                                    : static_cast<float>(from[column]) + 0.0F);
        }
    }
    return outcomes(snapshot, {values.data(), end - begin, tables.n_features()});
}

// Asks for the shrubs of a snapshot before they are needed: among thousands it is in no near cache.
void prefetch(const AutoSnapshot& snapshot) {
#ifdef __GNUC__
    constexpr std::size_t line_bytes = 64;
    const PlanInUse& plan = snapshot.ensemble().plan();
    const std::byte* const shrubs =
        plan.n_places == 0 ? nullptr : snapshot.ensemble().shrubs().nodes(0);
    for (std::size_t at = 0; at < plan.shrub_bytes && shrubs != nullptr; at += line_bytes) {
        __builtin_prefetch(shrubs + at);
    }
#endif
}

// The same of many snapshots, each for its rows: those before its end. Labels, or targets.
nb::object predict_named_each(const nb::list& snapshots, const nb::list& names, Matrix<double> X,
                              const std::vector<std::size_t>& ends) {
    if (ends.size() != snapshots.size()) {
        throw nb::value_error("every snapshot needs its rows");
    }
    nb::list all;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        auto& snapshot = nb::cast<AutoSnapshot&>(snapshots[i]);
        if (i + 1 < ends.size()) {
            prefetch(nb::cast<const AutoSnapshot&>(snapshots[i + 1]));
        }
        const nb::object found = predict_named(snapshot, names, X, begin, ends[i]);
        snapshot.forget_prepared();  // of thousands of keys it would take room
        if (found.is_none()) {
            return found;
        }
        const bool regression = task_of(snapshot) == Task::regression;
        for (const nb::handle each : nb::borrow<nb::list>(found)) {
            all.append(regression ? nb::borrow(each)
                                  : snapshot.tables().label(nb::cast<std::size_t>(each)));
        }
        begin = ends[i];
    }
    return all;
}

constexpr const char* doubles_signature =
    "def predict(self, X: numpy.typing.NDArray[numpy.float64]) -> "
    "numpy.typing.NDArray[numpy.float64]";
constexpr const char* floats_signature =
    "def predict(self, X: numpy.typing.NDArray[numpy.float32]) -> "
    "numpy.typing.NDArray[numpy.float64]";
constexpr const char* named_signature =
    "def predict_named(self, names: list[str], X: numpy.typing.NDArray[numpy.float64], begin: int, "
    "end: int) -> list[int] | list[float] | None";
constexpr const char* each_signature =
    "def predict_named_each(snapshots: list[AutoSnapshot], names: list[str], X: "
    "numpy.typing.NDArray[numpy.float64], ends: list[int]) -> list[typing.Any] | None";
constexpr const char* parts_signature = "def parts(self) -> dict[str, typing.Any]";

}  // namespace

Snapshot::Snapshot(const Members& members, Task task, const Tables& tables,
                   ClassWeights class_weights)
    : task_(task), tables_(tables), class_weights_(std::move(class_weights)) {
    const std::size_t size = members.size();
    const std::size_t node_stride = (members.layout().max_leaves() - std::size_t{1}) *
                                    static_cast<std::size_t>(members.node_bytes());
    const auto leaf_stride = static_cast<std::size_t>(members.layout().bytes());
    nodes_.resize(size * node_stride);
    leaves_.resize(size * leaf_stride);
    n_inner_.resize(size);
    born_.resize(size);
    places_.resize(size);
    weights_.resize(size);
    members_ = Members({.nodes = nodes_.data(),
                        .leaves = leaves_.data(),
                        .n_inner = n_inner_,
                        .born = born_,
                        .places = places_,
                        .weights = weights_,
                        .node_stride = node_stride,
                        .leaf_stride = leaf_stride},
                       members.layout(), members.node_bytes());
    for (std::uint32_t i = 0; i < size; ++i) {
        std::copy_n(members.nodes(i), node_stride, members_.nodes(i));
        std::copy_n(members.leaves(i), leaf_stride, members_.leaves(i));
        members_.append(members.n_inner(i), members.born(i));
        weights_[i] = members.weights()[i];
    }
}

std::size_t Snapshot::memory_bytes() const {
    return sizeof(Snapshot) + tables_.memory_bytes() + nodes_.size() + leaves_.size() +
           (n_inner_.size() + places_.size()) * sizeof(std::uint16_t) +
           born_.size() * sizeof(std::uint64_t) + weights_.size() * sizeof(double) +
           class_weights_.bytes();
}

std::size_t arg_max(std::span<const double> f) {
    return static_cast<std::size_t>(std::ranges::max_element(f) - f.begin());
}

void bind_snapshot(nb::module_& module) {
    nb::class_<Snapshot>(module, "Snapshot", "Shrubs and weights at one moment.")
        .def_prop_ro("tables", &Snapshot::tables)
        .def_prop_ro("memory_bytes", &Snapshot::memory_bytes)
        .def_prop_ro("n_shrubs", [](const Snapshot& self) { return self.members().size(); })
        .def("predict", &predict<double, Snapshot>, nb::arg("X"), nb::sig(doubles_signature))
        .def("predict", &predict<float, Snapshot>, nb::arg("X"), nb::sig(floats_signature))
        .def("predict_row", &predict_one<Snapshot>, nb::arg("x").none())
        .def("predict_named", &predict_named<Snapshot>, nb::arg("names"), nb::arg("X"),
             nb::arg("begin"), nb::arg("end"), nb::sig(named_signature))
        .def("parts", nb::overload_cast<const Snapshot&>(&parts_of), nb::sig(parts_signature));
    nb::class_<AutoSnapshot>(module, "AutoSnapshot", "A whole learner at one moment.")
        .def_prop_ro("tables", &AutoSnapshot::tables)
        .def_prop_ro("memory_bytes", &AutoSnapshot::memory_bytes)
        .def_prop_ro("n_shrubs",
                     [](const AutoSnapshot& self) { return self.ensemble().n_shrubs(); })
        .def(
            "bound",
            [](const AutoSnapshot& self, double coverage) {
                return self.ensemble().bound(coverage);
            },
            nb::arg("coverage"))
        .def("predict", &predict<double, AutoSnapshot>, nb::arg("X"), nb::sig(doubles_signature))
        .def("predict", &predict<float, AutoSnapshot>, nb::arg("X"), nb::sig(floats_signature))
        .def("predict_row", &predict_one<AutoSnapshot>, nb::arg("x").none())
        .def("predict_named", &predict_named<AutoSnapshot>, nb::arg("names"), nb::arg("X"),
             nb::arg("begin"), nb::arg("end"), nb::sig(named_signature))
        .def("parts", nb::overload_cast<AutoSnapshot&>(&parts_of), nb::sig(parts_signature));
    module.def("predict_named_each", &predict_named_each, nb::arg("snapshots"), nb::arg("names"),
               nb::arg("X"), nb::arg("ends"), nb::sig(each_signature));
}

}  // namespace shrubs::bindings
