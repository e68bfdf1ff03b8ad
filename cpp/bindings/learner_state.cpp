// The byte state of a learner, and a larger learner made from it.

#include <nanobind/stl/unique_ptr.h>

#include "bindings.hpp"
#include "shrubs/state.hpp"

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

}  // namespace

void define_state(nb::module_& module, nb::class_<Learner>& learner) {
    module.def("inspect_state", &inspect_state, nb::arg("state"),
               nb::sig("def inspect_state(state: bytes) -> tuple[int, bytes]"));
    module.def("load_state", &load, nb::arg("state"));
    learner
        .def("replan", &replan, nb::arg("n_classes"), nb::arg("max_features"), nb::arg("nominal"))
        .def("to_state", &to_state, nb::arg("tables"));
}

}  // namespace shrubs::bindings
