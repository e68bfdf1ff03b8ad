// What can be seen of a learner: shrubs, weights, window.

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

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

// (weight, born, nodes) per shrub, oldest first.
nb::list shrubs_as_list(Learner& self) {
    const Busy busy(self.busy);
    const Members& members = self.ensemble().members();
    nb::list result;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const auto leaf = [&](std::uint32_t index) { return leaf_as_tuple(members, i, index); };
        result.append(nb::make_tuple(
            members.weights()[i], members.born(i),
            nodes_as_list(members.node_bytes(), members.nodes(i), members.n_inner(i), leaf)));
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

}  // namespace

void define_views(nb::class_<Learner>& learner) {
    learner
        .def("shrubs", &shrubs_as_list,
             nb::sig("def shrubs(self) -> "
                     "list[tuple[float, int, list[tuple[typing.Any, ...]]]]"))
        .def("members", &members_as_list, nb::sig("def members(self) -> list[tuple[int, float]]"))
        .def("weights", &weights_as_list, nb::sig("def weights(self) -> list[float]"));
}

}  // namespace shrubs::bindings
