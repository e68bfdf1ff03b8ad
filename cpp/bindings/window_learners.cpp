// The learners on a window of fixed size: Algorithm 1 of the paper, and one tree.

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

template <class AnyConfig>
void check_valid(const AnyConfig& config, const Dimensions& dimensions) {
    if (!is_valid(config, dimensions)) {
        throw nb::value_error("parameters are outside the limits of the core");
    }
}

// The closed choices, under the names that Python gives them.
void bind_choices(nb::module_& module) {
    nb::enum_<Task>(module, "Task")
        .value("classification", Task::classification)
        .value("regression", Task::regression);
    nb::enum_<Loss>(module, "Loss")
        .value("mse", Loss::mse)
        .value("cross_entropy", Loss::cross_entropy);
    nb::enum_<Splitter>(module, "Splitter")
        .value("best", Splitter::best)
        .value("random", Splitter::random);
    nb::enum_<Cache>(module, "Cache")
        .value("auto", Cache::automatic)
        .value("none", Cache::none)
        .value("all", Cache::all);
}

void bind_config(nb::module_& module) {
    nb::class_<Config>(module, "PaperConfig", "The hyperparameters; max_depth 0 is no limit.")
        .def(
            "__init__",
            [](Config* self, Task task, Loss loss, Splitter splitter, bool target_scaling,
               Cache cache, std::uint32_t max_shrubs, std::uint32_t window_size,
               std::uint32_t max_depth, std::uint32_t min_samples_leaf,
               std::uint32_t steps_per_example, std::uint32_t grow_every, double step_size,
               std::uint64_t seed) {
                new (self) Config{.task = task,
                                  .loss = loss,
                                  .splitter = splitter,
                                  .target_scaling = target_scaling,
                                  .cache = cache,
                                  .max_shrubs = max_shrubs,
                                  .window_size = window_size,
                                  .max_depth = max_depth == 0 ? no_limit : max_depth,
                                  .min_samples_leaf = min_samples_leaf,
                                  .steps_per_example = steps_per_example,
                                  .grow_every = grow_every,
                                  .step_size = step_size,
                                  .seed = seed};
            },
            nb::kw_only(), nb::arg("task"), nb::arg("loss"), nb::arg("splitter"),
            nb::arg("target_scaling"), nb::arg("cache"), nb::arg("max_shrubs"),
            nb::arg("window_size"), nb::arg("max_depth"), nb::arg("min_samples_leaf"),
            nb::arg("steps_per_example"), nb::arg("grow_every"), nb::arg("step_size"),
            nb::arg("seed"));
}

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
template <class AnyLearner>
nb::list shrubs_as_list(AnyLearner& self) {
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

template <class AnyLearner>
nb::list weights_as_list(AnyLearner& self) {
    const Members& members = self.ensemble().members();
    nb::list result;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        result.append(members.weights()[i]);
    }
    return result;
}

// (born, weight) per shrub, oldest first.
template <class AnyLearner>
nb::list members_as_list(AnyLearner& self) {
    const Members& members = self.ensemble().members();
    nb::list result;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        result.append(nb::make_tuple(members.born(i), members.weights()[i]));
    }
    return result;
}

void bind_tree_config(nb::module_& module) {
    nb::class_<TreeConfig>(module, "TreeConfig", "The hyperparameters; max_depth 0 is no limit.")
        .def(
            "__init__",
            [](TreeConfig* self, bool only_on_error, Splitter splitter, Cache cache,
               std::uint32_t window_size, std::uint32_t max_depth, std::uint32_t min_samples_leaf,
               std::uint64_t seed) {
                new (self) TreeConfig{.only_on_error = only_on_error,
                                      .splitter = splitter,
                                      .cache = cache,
                                      .window_size = window_size,
                                      .max_depth = max_depth == 0 ? no_limit : max_depth,
                                      .min_samples_leaf = min_samples_leaf,
                                      .seed = seed};
            },
            nb::kw_only(), nb::arg("only_on_error"), nb::arg("splitter"), nb::arg("cache"),
            nb::arg("window_size"), nb::arg("max_depth"), nb::arg("min_samples_leaf"),
            nb::arg("seed"));
}

// The same learner in a larger shape, with other caches.
template <class AnyLearner>
std::unique_ptr<AnyLearner> replan(AnyLearner& self, std::uint32_t n_classes,
                                   std::uint32_t max_features, const nb::bytes& nominal,
                                   Cache cache) {
    const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes,
                                max_features};
    const Dimensions& now = self.ensemble().dimensions();
    auto config = self.ensemble().config();
    config.cache = cache;
    if (dimensions.n_features < now.n_features || n_classes < now.n_classes ||
        !is_valid(config, dimensions)) {
        throw nb::value_error("a learner can only grow, within the limits of the core");
    }
    auto learner = std::make_unique<AnyLearner>(config, dimensions, as_kinds(nominal));
    learner->ensemble().copy_from(self.ensemble());
    return learner;
}

// A learner on a window of fixed size.
template <class Ensemble>
void bind_learner(nb::module_& module, const char* name, const char* doc,
                  const char* plan_signature) {
    using AnyLearner = LearnerOf<Ensemble>;
    using AnyConfig = typename Ensemble::Configuration;
    module.def(
        "plan",
        [](const AnyConfig& config, std::uint32_t n_features, std::uint32_t n_classes,
           std::uint32_t max_features) {
            const Dimensions dimensions{n_features, n_classes, max_features};
            check_valid(config, dimensions);
            return as_dict(Ensemble::report(config, dimensions), sizeof(AnyLearner));
        },
        nb::arg("config"), nb::arg("n_features"), nb::arg("n_classes"), nb::arg("max_features"),
        nb::sig(plan_signature), "Bytes that a learner of this shape takes, by purpose.");
    nb::class_<AnyLearner> learner(module, name, doc);
    learner
        .def(
            "__init__",
            [](AnyLearner* self, const AnyConfig& config, std::uint32_t n_classes,
               std::uint32_t max_features, const nb::bytes& nominal) {
                const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes,
                                            max_features};
                check_valid(config, dimensions);
                new (self) AnyLearner(config, dimensions, as_kinds(nominal));
            },
            nb::arg("config"), nb::arg("n_classes"), nb::arg("max_features"), nb::arg("nominal"))
        .def("replan", &replan<AnyLearner>, nb::arg("n_classes"), nb::arg("max_features"),
             nb::arg("nominal"), nb::arg("cache"),
             "The same learner in a larger shape, with other caches.")
        .def(
            "snapshot",
            [](const AnyLearner& self, const Tables& tables) {
                return std::make_unique<Snapshot>(self.ensemble().members(), self.ensemble().task(),
                                                  tables, self.class_weights);
            },
            nb::arg("tables"))
        .def(
            "has_config",
            [](const AnyLearner& self, const AnyConfig& config) {
                return self.ensemble().config() == config;
            },
            nb::arg("config"))
        .def_prop_ro("n_shrubs",
                     [](const AnyLearner& self) { return self.ensemble().members().size(); })
        .def("shrubs", &shrubs_as_list<AnyLearner>,
             nb::sig("def shrubs(self) -> "
                     "list[tuple[float, int, list[tuple[typing.Any, ...]]]]"))
        .def("members", &members_as_list<AnyLearner>,
             nb::sig("def members(self) -> list[tuple[int, float]]"))
        .def("weights", &weights_as_list<AnyLearner>, nb::sig("def weights(self) -> list[float]"));
    define_common(learner);
    define_blocks(learner);
    define_state(learner);
}

}  // namespace

void bind_learners(nb::module_& module) {
    bind_choices(module);
    bind_config(module);
    bind_tree_config(module);
    bind_learner<PaperEnsemble>(module, "PaperLearner", "The paper's shrub ensemble in its arena.",
                                "def plan(config: PaperConfig, n_features: int, n_classes: int, "
                                "max_features: int) -> dict[str, int]");
    bind_learner<WindowedTree>(module, "TreeLearner", "One tree on a window, in its arena.",
                               "def plan(config: TreeConfig, n_features: int, n_classes: int, "
                               "max_features: int) -> dict[str, int]");
    nb::class_<AutoLearner> auto_learner(module, "AutoLearner",
                                         "A shrub ensemble that needs no tuning, in its arena.");
    define_auto(module, auto_learner);
    bind_states(module);
}

}  // namespace shrubs::bindings
