// The byte state of a learner.

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
        case StateError::too_long:
            return "this model takes longer to load than max_bytes allows; pass a larger "
                   "max_bytes if you trust it";
        default: return "this saved model is invalid: its contents contradict each other";
    }
}

void check(StateError error) {
    if (error != StateError::none) {
        throw nb::value_error(explain(error));
    }
}

// Whether it is a windowed tree from the time when it was a paper's learner, or a learner without
// tuning from the time when memory was divided otherwise.
bool is_of_the_past(std::span<const std::byte> state) {
    constexpr auto this_version = static_cast<std::byte>(AutoEnsemble::state_version);
    return has_magic(state, PaperEnsemble::magic)
               ? state[frame_begin] != std::byte{0}
               : has_magic(state, AutoEnsemble::magic) && state[sizeof(Magic)] < this_version;
}

template <class Ensemble>
StateHeader<Ensemble> checked_header(const nb::bytes& state) {
    const auto header = read_header<Ensemble>(as_bytes(state));
    if (header.error == StateError::invalid && is_of_the_past(as_bytes(state))) {
        throw nb::value_error(
            "this learner was saved by an earlier version of shrubs and is no longer read; let a "
            "new one learn the last examples");
    }
    check(header.error);
    return header;
}

template <class Ensemble>
nb::tuple inspect_as(const nb::bytes& state) {
    const auto header = checked_header<Ensemble>(state);
    const std::uint64_t needed = arena_bytes(header.config, header.dimensions, header.nominal);
    return nb::make_tuple(needed + sizeof(LearnerOf<Ensemble>),
                          nb::bytes(header.tables.data(), header.tables.size()));
}

// Calls `use` with the kind of learner that these bytes claim to be.
template <class Use>
auto dispatch(const nb::bytes& state, Use use) {
    const auto bytes = as_bytes(state);
    if (has_magic(bytes, AutoEnsemble::magic)) {
        return use.template operator()<AutoEnsemble>();
    }
    if (has_magic(bytes, WindowedTree::magic)) {
        return use.template operator()<WindowedTree>();
    }
    return use.template operator()<PaperEnsemble>();
}

template <class Ensemble>
nb::object load_as(const nb::bytes& state, std::uint64_t max_steps) {
    const auto header = checked_header<Ensemble>(state);
    auto learner =
        std::make_unique<LearnerOf<Ensemble>>(header.config, header.dimensions, header.nominal);
    check(load_state(as_bytes(state), header, learner->ensemble(), max_steps, [] {
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
    }));
    return nb::cast(std::move(learner));
}

}  // namespace

template <class AnyLearner>
void define_state(nb::class_<AnyLearner>& learner) {
    learner.def("to_state", &to_state<AnyLearner>, nb::arg("tables"));
}

template void define_state(nb::class_<PaperLearner>&);
template void define_state(nb::class_<TreeLearner>&);
template void define_state(nb::class_<AutoLearner>&);

void bind_states(nb::module_& module) {
    module.def(
        "inspect_state",
        [](const nb::bytes& state) {
            return dispatch(state, [&]<class Ensemble>() { return inspect_as<Ensemble>(state); });
        },
        nb::arg("state"), nb::sig("def inspect_state(state: bytes) -> tuple[int, bytes]"),
        "What a state says about itself: bytes it needs once loaded, tables.");
    module.def(
        "load_state",
        [](const nb::bytes& state, std::uint64_t max_steps) {
            return dispatch(state,
                            [&]<class Ensemble>() { return load_as<Ensemble>(state, max_steps); });
        },
        nb::arg("state"), nb::arg("max_steps") = std::numeric_limits<std::uint64_t>::max(),
        nb::sig("def load_state(state: bytes, max_steps: int = ...) -> "
                "PaperLearner | TreeLearner | AutoLearner"),
        "The learner of a state, unless it takes more additions to restore its caches.");
}

}  // namespace shrubs::bindings
