#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "bindings.hpp"
#include "shrubs/batch/block_prediction.hpp"

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

void predict_row(const Snapshot& snapshot, std::span<const float> row,
                 std::span<std::uint16_t> found, std::span<double> f) {
    snapshot.members().find_leaves(row, found);
    if (snapshot.task() == Task::classification) {
        snapshot.members().predict_distribution(found, f);
    } else {
        f[0] = snapshot.members().predict_value(found);
    }
}

template <class T>
void predict(const Snapshot& snapshot, Matrix<T> X, Output out) {
    check_width(X.shape(1), snapshot.nominal().size());
    const nb::gil_scoped_release release;
    BlockPrediction(snapshot.members(), snapshot.task(), X.shape(1), out.shape(1))
        .predict(X.data(), X.shape(0), out.data());
}

// f(x) of one row: a list of probabilities, or a float; None if Python has to sort the row out.
nb::object predict_one(const Snapshot& snapshot, nb::handle x) {
    Buffer<float> row(snapshot.nominal().size());
    if (read_row(x, snapshot.tables, snapshot.nominal(), Unseen::ignore, row.view()) !=
        RowStatus::done) {
        return nb::none();
    }
    Buffer<std::uint16_t> found(snapshot.members().size());
    if (snapshot.task() == Task::regression) {
        double f = 0.0;
        predict_row(snapshot, row.view(), found.view(), {&f, 1});
        return nb::float_(f);
    }
    Buffer<double> f(snapshot.members().layout().n_classes());
    predict_row(snapshot, row.view(), found.view(), f.view());
    nb::list probabilities;
    for (const double p : f.view()) {
        probabilities.append(p);
    }
    return probabilities;
}

template <class T>
void predict_auto(AutoSnapshot& snapshot, Matrix<T> X, Output out) {
    check_width(X.shape(1), snapshot.ensemble().nominal().size());
    const nb::gil_scoped_release release;
    const std::lock_guard turn(snapshot.turn);
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        copy_row(X.data() + i * X.shape(1), snapshot.ensemble().row());
        predict_auto_row(snapshot.ensemble(), {out.data() + i * out.shape(1), out.shape(1)});
    }
}

nb::object predict_auto_one(AutoSnapshot& snapshot, nb::handle x) {
    const AutoEnsemble& ensemble = snapshot.ensemble();
    Buffer<float> row(ensemble.nominal().size());
    if (read_row(x, snapshot.tables, ensemble.nominal(), Unseen::ignore, row.view()) !=
        RowStatus::done) {
        return nb::none();
    }
    const bool regression = ensemble.config().task == Task::regression;
    Buffer<double> f(regression ? 1 : ensemble.dimensions().n_classes);
    {
        const nb::gil_scoped_release release;
        const std::lock_guard turn(snapshot.turn);
        std::ranges::copy(row.view(), ensemble.row().begin());
        predict_auto_row(ensemble, f.view());
    }
    if (regression) {
        return nb::float_(f.view()[0]);
    }
    nb::list probabilities;
    for (const double p : f.view()) {
        probabilities.append(p);
    }
    return probabilities;
}

template <class AnySnapshot>
void set_tables(AnySnapshot& self, nb::object columns, nb::list categories) {
    self.tables.columns = columns;
    self.tables.categories = categories;
}

constexpr const char* set_tables_signature =
    "def set_tables(self, columns: object | None, categories: list[typing.Any]) -> None";

}  // namespace

void predict_auto_row(const AutoEnsemble& ensemble, std::span<double> f) {
    if (ensemble.config().task == Task::classification) {
        ensemble.predict_distribution(ensemble.row(), f);
    } else {
        f[0] = ensemble.predict_value(ensemble.row());
    }
}

Snapshot::Snapshot(const PaperEnsemble& ensemble)
    : task_(ensemble.config().task),
      nominal_(ensemble.nominal().begin(), ensemble.nominal().end()) {
    const Members& members = ensemble.members();
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
    return sizeof(Snapshot) + nominal_.size() + nodes_.size() + leaves_.size() +
           (n_inner_.size() + places_.size()) * sizeof(std::uint16_t) +
           born_.size() * sizeof(std::uint64_t) + weights_.size() * sizeof(double);
}

std::size_t arg_max(std::span<const double> f) {
    return static_cast<std::size_t>(std::ranges::max_element(f) - f.begin());
}

void bind_snapshot(nb::module_& module) {
    nb::class_<Snapshot>(module, "Snapshot", "Shrubs and weights at one moment.")
        .def("set_tables", &set_tables<Snapshot>, nb::arg("columns").none(), nb::arg("categories"),
             nb::sig(set_tables_signature))
        .def_prop_ro("memory_bytes", &Snapshot::memory_bytes)
        .def_prop_ro("n_shrubs", [](const Snapshot& self) { return self.members().size(); })
        .def("predict", &predict<double>, nb::arg("X"), nb::arg("out"))
        .def("predict", &predict<float>, nb::arg("X"), nb::arg("out"))
        .def("predict_row", &predict_one, nb::arg("x").none());
    nb::class_<AutoSnapshot>(module, "AutoSnapshot", "A whole learner at one moment.")
        .def("set_tables", &set_tables<AutoSnapshot>, nb::arg("columns").none(),
             nb::arg("categories"), nb::sig(set_tables_signature))
        .def_prop_ro("memory_bytes", &AutoSnapshot::memory_bytes)
        .def_prop_ro("n_shrubs",
                     [](const AutoSnapshot& self) { return self.ensemble().n_shrubs(); })
        .def("predict", &predict_auto<double>, nb::arg("X"), nb::arg("out"))
        .def("predict", &predict_auto<float>, nb::arg("X"), nb::arg("out"))
        .def("predict_row", &predict_auto_one, nb::arg("x").none());
}

}  // namespace shrubs::bindings
