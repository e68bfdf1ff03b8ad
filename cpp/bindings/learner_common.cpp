// What both kinds of learner have in common: their memory, their tables, what they say of
// themselves.

#include <algorithm>
#include <cstdlib>
#include <new>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

std::uint64_t arena_bytes(const Config& config, const Dimensions& dimensions,
                          std::span<const std::uint8_t>) {
    return PaperEnsemble::report(config, dimensions).total();
}

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

MemoryReport report_of(const PaperEnsemble& ensemble) {
    return PaperEnsemble::report(ensemble.config(), ensemble.dimensions());
}

MemoryReport report_of(const AutoEnsemble& ensemble) {
    return AutoEnsemble::report(ensemble.plan());
}

// The window, oldest first: features into X (size, n_features), labels or targets into y (size,).
template <class AnyLearner>
void copy_window(AnyLearner& self, nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu> X,
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

}  // namespace

template <class AnyLearner>
void define_common(nb::class_<AnyLearner>& learner) {
    learner
        .def(
            "set_tables",
            [](AnyLearner& self, nb::object columns, nb::list categories, nb::dict labels,
               nb::list label_list) { self.tables = {columns, categories, labels, label_list}; },
            nb::arg("columns").none(), nb::arg("categories"), nb::arg("labels"),
            nb::arg("label_list"),
            nb::sig("def set_tables(self, columns: object | None, categories: list[typing.Any], "
                    "labels: dict[typing.Any, int], label_list: list[typing.Any]) -> None"))
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
            "report",
            [](const AnyLearner& self) {
                return as_dict(report_of(self.ensemble()), sizeof(AnyLearner));
            },
            nb::sig("def report(self) -> dict[str, int]"), "Bytes by purpose.")
        .def("copy_window", &copy_window<AnyLearner>, nb::arg("X"), nb::arg("y"));
}

template void define_common(nb::class_<Learner>&);
template void define_common(nb::class_<AutoLearner>&);

}  // namespace shrubs::bindings
