#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstring>

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

template <class T>
nb::object predict(const Snapshot& snapshot, Matrix<T> X) {
    check_width(X.shape(1), snapshot.tables().n_features());
    return predict_many(snapshot.members(), snapshot.task(), snapshot.class_weights(), X);
}

// f(x) of one row: a list of probabilities, or a float; None if Python has to sort the row out.
nb::object predict_one(const Snapshot& snapshot, nb::handle x) {
    Buffer<float> row(snapshot.tables().n_features());
    if (!read_row(x, snapshot.tables(), Unseen::ignore, row.view())) {
        return nb::none();
    }
    Buffer<std::uint16_t> found(snapshot.members().size());
    if (snapshot.task() == Task::regression) {
        double f = 0.0;
        snapshot.members().predict(row.view(), found.view(), {&f, 1});
        return nb::float_(f);
    }
    Buffer<double> f(snapshot.members().layout().n_classes());
    snapshot.members().predict(row.view(), found.view(), f.view());
    snapshot.class_weights().apply(f.view());
    nb::list probabilities;
    for (const double p : f.view()) {
        probabilities.append(p);
    }
    return probabilities;
}

template <class T>
nb::object predict_auto(AutoSnapshot& snapshot, Matrix<T> X) {
    check_width(X.shape(1), snapshot.tables().n_features());
    const Locked locked(snapshot.lock);
    return predict_many(snapshot.learner(), X);
}

nb::object predict_auto_one(AutoSnapshot& snapshot, nb::handle x) {
    const AutoEnsemble& ensemble = snapshot.ensemble();
    Buffer<float> row(ensemble.nominal().size());
    if (!read_row(x, snapshot.tables(), Unseen::ignore, row.view())) {
        return nb::none();
    }
    const bool regression = ensemble.task() == Task::regression;
    Buffer<double> f(regression ? 1 : ensemble.dimensions().n_classes);
    {
        const Locked locked(snapshot.lock);
        std::ranges::copy(row.view(), ensemble.row().begin());
        snapshot.learner().predict(ensemble.row(), f.view());
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

constexpr const char* doubles_signature =
    "def predict(self, X: numpy.typing.NDArray[numpy.float64]) -> "
    "numpy.typing.NDArray[numpy.float64]";
constexpr const char* floats_signature =
    "def predict(self, X: numpy.typing.NDArray[numpy.float32]) -> "
    "numpy.typing.NDArray[numpy.float64]";
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
        .def("predict", &predict<double>, nb::arg("X"), nb::sig(doubles_signature))
        .def("predict", &predict<float>, nb::arg("X"), nb::sig(floats_signature))
        .def("predict_row", &predict_one, nb::arg("x").none())
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
        .def("predict", &predict_auto<double>, nb::arg("X"), nb::sig(doubles_signature))
        .def("predict", &predict_auto<float>, nb::arg("X"), nb::sig(floats_signature))
        .def("predict_row", &predict_auto_one, nb::arg("x").none())
        .def("parts", nb::overload_cast<AutoSnapshot&>(&parts_of), nb::sig(parts_signature));
}

}  // namespace shrubs::bindings
