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

// Preorder, children after their parent: ("split", feature, threshold, nominal, missing_left) and
// ("leaf", fixed-point distribution or value). A shrub may be as deep as its window is long, so
// this keeps its own stack.
nb::list nodes_as_list(const Members& members, std::uint32_t i) {
    struct Subtree {
        std::uint32_t first_node;
        std::uint32_t first_leaf;
        std::uint32_t n_inner;
    };
    nb::list nodes;
    std::vector<Subtree> waiting{{0, 0, members.n_inner(i)}};
    while (!waiting.empty()) {
        const Subtree at = waiting.back();
        waiting.pop_back();
        if (at.n_inner == 0) {
            nodes.append(leaf_as_tuple(members, i, at.first_leaf));
            continue;
        }
        const Node node = read_node(members.node_bytes(), members.nodes(i), at.first_node);
        nodes.append(nb::make_tuple("split", node.split.feature, node.split.threshold,
                                    node.split.nominal, node.split.missing_left));
        waiting.push_back({at.first_node + 1 + node.n_left, at.first_leaf + 1 + node.n_left,
                           at.n_inner - 1 - node.n_left});
        waiting.push_back({at.first_node + 1, at.first_leaf, node.n_left});
    }
    return nodes;
}

// (weight, born, nodes) per shrub, oldest first.
nb::list shrubs_as_list(Learner& self) {
    const Busy busy(self.busy);
    const Members& members = self.ensemble().members();
    nb::list result;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        result.append(
            nb::make_tuple(members.weights()[i], members.born(i), nodes_as_list(members, i)));
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

// The window, oldest first: features into X (size, n_features), labels or targets into y (size,).
void copy_window(Learner& self, nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu> X,
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

void define_views(nb::class_<Learner>& learner) {
    learner
        .def("shrubs", &shrubs_as_list,
             nb::sig("def shrubs(self) -> "
                     "list[tuple[float, int, list[tuple[typing.Any, ...]]]]"))
        .def("members", &members_as_list, nb::sig("def members(self) -> list[tuple[int, float]]"))
        .def("weights", &weights_as_list, nb::sig("def weights(self) -> list[float]"))
        .def("copy_window", &copy_window, nb::arg("X"), nb::arg("y"));
}

}  // namespace shrubs::bindings
