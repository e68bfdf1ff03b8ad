// What all kinds of learner have in common: their memory, their tables, what they say of
// themselves.

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

std::uint64_t arena_bytes(const AutoConfig& config, const Dimensions& dimensions,
                          std::span<const std::uint8_t> nominal) {
    const auto n_nominal = static_cast<std::uint32_t>(std::ranges::count(nominal, 1));
    return make_auto_plan(config, dimensions, n_nominal).total_bytes;
}

nb::dict as_dict(const MemoryReport& bytes, std::size_t object_bytes) {
    nb::dict result;
    for (std::size_t i = 0; i < purpose_names.size(); ++i) {
        result[purpose_names[i]] = bytes[static_cast<Purpose>(i)];
    }
    result["object"] = object_bytes;
    return result;
}

ZeroedMemory::ZeroedMemory(std::uint64_t n_bytes)
    : n_bytes_(static_cast<std::size_t>(std::min<std::uint64_t>(n_bytes, SIZE_MAX))),
      memory_(static_cast<std::byte*>(std::calloc(std::max<std::size_t>(n_bytes_, 1), 1))) {
    if (!memory_) {
        throw std::bad_alloc();
    }
}

void ZeroedMemory::Free::operator()(std::byte* memory) const {
    std::free(memory);
}

namespace {

template <class Ensemble>
MemoryReport report_of(const Ensemble& ensemble) {
    return Ensemble::report(ensemble.config(), ensemble.dimensions());
}

MemoryReport report_of(const AutoEnsemble& ensemble) {
    return AutoEnsemble::report(AutoPlan(ensemble.plan(), {}));
}

// The examples of the window, oldest first: (size, n_features), and their labels or targets.
template <class AnyLearner>
nb::tuple window_of(const AnyLearner& self) {
    const Window& window = self.ensemble().window();
    const std::size_t n_features = self.ensemble().dimensions().n_features;
    NewArray<float, 2> X({window.size(), n_features});
    NewArray<double, 1> y({window.size()});
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        window.copy_example(slot, {X.data() + age * n_features, n_features});
        y.data()[age] = self.ensemble().task() == Task::classification ? window.labels()[slot]
                                                                       : window.targets()[slot];
    }
    return nb::make_tuple(X.to_python(), y.to_python());
}

}  // namespace

template <class AnyLearner>
void define_common(nb::class_<AnyLearner>& learner) {
    learner
        .def_prop_ro("nominal",
                     [](const AnyLearner& self) {
                         const auto nominal = self.ensemble().nominal();
                         return nb::bytes(nominal.data(), nominal.size());
                     })
        .def_prop_ro("n_features",
                     [](const AnyLearner& self) { return self.ensemble().dimensions().n_features; })
        .def_prop_ro("n_classes",
                     [](const AnyLearner& self) { return self.ensemble().dimensions().n_classes; })
        .def_prop_ro("n_examples",
                     [](const AnyLearner& self) { return self.ensemble().window().size(); })
        .def_prop_ro("examples_seen",
                     [](const AnyLearner& self) { return self.ensemble().examples_seen(); })
        .def_prop_ro("frozen", [](const AnyLearner& self) { return self.ensemble().is_frozen(); })
        .def_prop_ro("memory_bytes", &AnyLearner::memory_bytes)
        .def(
            "balance_classes",
            [](AnyLearner& self) {
                self.class_weights.balance(self.ensemble().window(),
                                           self.ensemble().dimensions().n_classes);
            },
            "From now on, probabilities of rare classes are raised.")
        .def(
            "weigh_classes",
            [](AnyLearner& self, std::vector<double> weights) {
                if (weights.size() != self.ensemble().dimensions().n_classes) {
                    throw nb::value_error("one weight per class");
                }
                self.class_weights.give(self.ensemble().window(), std::move(weights));
            },
            nb::arg("weights"),
            "From now on, probabilities are multiplied by these, one per class.")
        .def(
            "report",
            [](const AnyLearner& self) {
                return as_dict(report_of(self.ensemble()), sizeof(AnyLearner));
            },
            nb::sig("def report(self) -> dict[str, int]"), "Bytes by purpose.")
        .def("window", &window_of<AnyLearner>,
             nb::sig("def window(self) -> tuple[numpy.typing.NDArray[numpy.float32], "
                     "numpy.typing.NDArray[numpy.float64]]"));
}

template void define_common(nb::class_<PaperLearner>&);
template void define_common(nb::class_<TreeLearner>&);
template void define_common(nb::class_<AutoLearner>&);

}  // namespace shrubs::bindings
