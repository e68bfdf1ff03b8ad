// The byte state of a learner, and a larger learner made from it.

#include <nanobind/stl/unique_ptr.h>

#include "bindings.hpp"
#include "shrubs/auto/state.hpp"
#include "shrubs/paper/state.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

std::span<const std::byte> as_bytes(const nb::bytes& bytes) {
    return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

nb::bytes to_state(Learner& self, const nb::bytes& tables) {
    const Busy busy(self.busy);
    std::vector<std::byte> state(state_bytes(self.ensemble(), as_bytes(tables)));
    save_state(self.ensemble(), as_bytes(tables), state);
    return nb::bytes(state.data(), state.size());
}

nb::bytes to_auto_state(AutoLearner& self, const nb::bytes& tables) {
    const Busy busy(self.busy);
    std::vector<std::byte> state(auto_state_bytes(self.ensemble(), as_bytes(tables)));
    save_auto_state(self.ensemble(), as_bytes(tables), state);
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

template <class Header>
Header checked(const Header& header) {
    if (header.error != StateError::none) {
        throw nb::value_error(explain(header.error));
    }
    return header;
}

std::span<const std::uint8_t> as_kinds(std::span<const std::byte> nominal) {
    return {reinterpret_cast<const std::uint8_t*>(nominal.data()), nominal.size()};
}

template <class Header>
nb::tuple inspect(const Header& header, std::size_t object_bytes) {
    const std::uint64_t needed =
        arena_bytes(header.config, header.dimensions, as_kinds(header.nominal));
    return nb::make_tuple(needed + object_bytes,
                          nb::bytes(header.tables.data(), header.tables.size()));
}

// What a state says about itself: bytes it needs once loaded, tables.
nb::tuple inspect_state(const nb::bytes& state) {
    return is_auto_state(as_bytes(state))
               ? inspect(checked(read_auto_header(as_bytes(state))), sizeof(AutoLearner))
               : inspect(checked(read_header(as_bytes(state))), sizeof(Learner));
}

// The learner of a state, with the dimensions given, which are at least those of the state. The
// header may ask for other caches than the state.
std::unique_ptr<Learner> from_state(const nb::bytes& state, const StateHeader& header,
                                    const Dimensions& dimensions,
                                    std::span<const std::uint8_t> nominal) {
    auto learner = std::make_unique<Learner>(header.config, dimensions, nominal);
    const StateError error = load_state(as_bytes(state), header, learner->ensemble());
    if (error != StateError::none) {
        throw nb::value_error(explain(error));
    }
    return learner;
}

std::unique_ptr<AutoLearner> from_auto_state(const nb::bytes& state) {
    const AutoStateHeader header = checked(read_auto_header(as_bytes(state)));
    auto learner =
        std::make_unique<AutoLearner>(header.config, header.dimensions, as_kinds(header.nominal));
    const StateError error = load_auto_state(as_bytes(state), header, learner->ensemble());
    if (error != StateError::none) {
        throw nb::value_error(explain(error));
    }
    return learner;
}

nb::object load(const nb::bytes& state) {
    if (is_auto_state(as_bytes(state))) {
        return nb::cast(from_auto_state(state));
    }
    const StateHeader header = checked(read_header(as_bytes(state)));
    return nb::cast(from_state(state, header, header.dimensions, as_kinds(header.nominal)));
}

std::unique_ptr<Learner> replan(Learner& self, std::uint32_t n_classes, std::uint32_t max_features,
                                const nb::bytes& nominal, const Config& config) {
    const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes,
                                max_features};
    const Dimensions& now = self.ensemble().dimensions();
    if (dimensions.n_features < now.n_features || n_classes < now.n_classes ||
        !is_valid(self.ensemble().config(), dimensions)) {
        throw nb::value_error("a learner can only grow, within the limits of the core");
    }
    const nb::bytes state = to_state(self, nb::bytes("", 0));
    StateHeader header = checked(read_header(as_bytes(state)));
    header.config.cache = config.cache;
    return from_state(state, header, dimensions, bindings::as_kinds(nominal));
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
        .def("to_state", &to_state, nb::arg("tables"));
    auto_learner.def("to_state", &to_auto_state, nb::arg("tables"));
}

}  // namespace shrubs::bindings
