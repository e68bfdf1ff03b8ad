// The byte state of a learner, and the same learner in a larger shape.

#include <nanobind/stl/unique_ptr.h>

#include "bindings.hpp"
#include "shrubs/state/state.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

std::span<const std::byte> as_bytes(const nb::bytes& bytes) {
    return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

template <class AnyLearner>
nb::bytes to_state(AnyLearner& self, const nb::bytes& tables) {
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

void check(StateError error) {
    if (error != StateError::none) {
        throw nb::value_error(explain(error));
    }
}

// What a state says about itself: bytes it needs once loaded, tables.
template <class Ensemble>
nb::tuple inspect_as(const nb::bytes& state) {
    const auto header = read_header<Ensemble>(as_bytes(state));
    check(header.error);
    const std::uint64_t needed = arena_bytes(header.config, header.dimensions, header.nominal);
    return nb::make_tuple(needed + sizeof(LearnerOf<Ensemble>),
                          nb::bytes(header.tables.data(), header.tables.size()));
}

nb::tuple inspect_state(const nb::bytes& state) {
    return has_magic(as_bytes(state), AutoEnsemble::magic) ? inspect_as<AutoEnsemble>(state)
                                                           : inspect_as<PaperEnsemble>(state);
}

template <class Ensemble>
nb::object load_as(const nb::bytes& state) {
    const auto header = read_header<Ensemble>(as_bytes(state));
    check(header.error);
    auto learner =
        std::make_unique<LearnerOf<Ensemble>>(header.config, header.dimensions, header.nominal);
    check(load_state(as_bytes(state), header, learner->ensemble()));
    return nb::cast(std::move(learner));
}

nb::object load(const nb::bytes& state) {
    return has_magic(as_bytes(state), AutoEnsemble::magic) ? load_as<AutoEnsemble>(state)
                                                           : load_as<PaperEnsemble>(state);
}

std::unique_ptr<Learner> replan(Learner& self, std::uint32_t n_classes, std::uint32_t max_features,
                                const nb::bytes& nominal, const Config& config) {
    const Busy busy(self.busy);
    const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes,
                                max_features};
    const Dimensions& now = self.ensemble().dimensions();
    Config same = self.ensemble().config();
    same.cache = config.cache;
    if (dimensions.n_features < now.n_features || n_classes < now.n_classes ||
        !is_valid(same, dimensions)) {
        throw nb::value_error("a learner can only grow, within the limits of the core");
    }
    auto learner = std::make_unique<Learner>(same, dimensions, as_kinds(nominal));
    learner->ensemble().copy_from(self.ensemble());
    return learner;
}

}  // namespace

void define_state(nb::module_& module, nb::class_<Learner>& learner,
                  nb::class_<AutoLearner>& auto_learner) {
    module.def("inspect_state", &inspect_state, nb::arg("state"),
               nb::sig("def inspect_state(state: bytes) -> tuple[int, bytes]"));
    module.def("load_state", &load, nb::arg("state"),
               nb::sig("def load_state(state: bytes) -> Learner | AutoLearner"));
    learner
        .def("replan", &replan, nb::arg("n_classes"), nb::arg("max_features"), nb::arg("nominal"),
             nb::arg("config"), "The same learner in a larger shape, with the caches of `config`.")
        .def("to_state", &to_state<Learner>, nb::arg("tables"));
    auto_learner.def("to_state", &to_state<AutoLearner>, nb::arg("tables"));
}

}  // namespace shrubs::bindings
