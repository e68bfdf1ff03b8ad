#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

void check_valid(const Config& config, const Dimensions& dimensions) {
    if (!is_valid(config, dimensions)) {
        throw nb::value_error("parameters are outside the limits of the core");
    }
}

// The closed choices, under the names that Python gives them.
void bind_choices(nb::module_& module) {
    nb::enum_<Task>(module, "Task")
        .value("classification", Task::classification)
        .value("regression", Task::regression);
    nb::enum_<Method>(module, "Method")
        .value("shrub_ensemble", Method::shrub_ensemble)
        .value("tree_always", Method::tree_always)
        .value("tree_on_error", Method::tree_on_error);
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
    nb::enum_<Learned>(module, "Learned", "What came of an attempt to learn one example.")
        .value("done", Learned::done)
        .value("needs_python", Learned::needs_python)
        .value("done_and_froze", Learned::done_and_froze);
}

void bind_config(nb::module_& module) {
    nb::class_<Config>(module, "Config", "The hyperparameters; max_depth 0 is no limit.")
        .def(
            "__init__",
            [](Config* self, Method method, Task task, Loss loss, Splitter splitter,
               bool target_scaling, Cache cache, std::uint32_t max_shrubs,
               std::uint32_t window_size, std::uint32_t max_depth, std::uint32_t min_samples_leaf,
               std::uint32_t steps_per_example, std::uint32_t grow_every, double step_size,
               std::uint64_t seed) {
                new (self) Config{.method = method,
                                  .task = task,
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
            nb::kw_only(), nb::arg("method"), nb::arg("task"), nb::arg("loss"), nb::arg("splitter"),
            nb::arg("target_scaling"), nb::arg("cache"), nb::arg("max_shrubs"),
            nb::arg("window_size"), nb::arg("max_depth"), nb::arg("min_samples_leaf"),
            nb::arg("steps_per_example"), nb::arg("grow_every"), nb::arg("step_size"),
            nb::arg("seed"));
}

}  // namespace

Busy::Busy(std::atomic<bool>& busy) : busy_(busy) {
    if (busy_.exchange(true, std::memory_order_acquire)) {
        throw std::runtime_error(
            "this learner is in use by another thread; predict from a snapshot() meanwhile");
    }
}

void bind_ensemble(nb::module_& module) {
    bind_choices(module);
    bind_config(module);
    module.def(
        "plan",
        [](const Config& config, std::uint32_t n_features, std::uint32_t n_classes,
           std::uint32_t max_features) {
            const Dimensions dimensions{n_features, n_classes, max_features};
            check_valid(config, dimensions);
            return as_dict(PaperEnsemble::report(config, dimensions), sizeof(Learner));
        },
        nb::arg("config"), nb::arg("n_features"), nb::arg("n_classes"), nb::arg("max_features"),
        nb::sig("def plan(config: Config, n_features: int, n_classes: int, max_features: int) -> "
                "dict[str, int]"),
        "Bytes that a learner of this shape takes, by purpose.");
    nb::class_<Learner> learner(module, "Learner", "A shrub ensemble in its arena.");
    learner
        .def(
            "__init__",
            [](Learner* self, const Config& config, std::uint32_t n_classes,
               std::uint32_t max_features, const nb::bytes& nominal) {
                const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes,
                                            max_features};
                check_valid(config, dimensions);
                new (self) Learner(config, dimensions, as_kinds(nominal));
            },
            nb::arg("config"), nb::arg("n_classes"), nb::arg("max_features"), nb::arg("nominal"))
        .def("snapshot",
             [](Learner& self) {
                 const Busy busy(self.busy);
                 return std::make_unique<Snapshot>(self.ensemble());
             })
        .def(
            "has_config",
            [](const Learner& self, const Config& config) {
                return self.ensemble().config() == config;
            },
            nb::arg("config"))
        .def_prop_ro("n_shrubs",
                     [](const Learner& self) { return self.ensemble().members().size(); });
    define_common(learner);
    define_blocks(learner);
    define_rows(learner);
    define_views(learner);
    nb::class_<AutoLearner> auto_learner(module, "AutoLearner",
                                         "A shrub ensemble that needs no tuning, in its arena.");
    define_auto(module, auto_learner);
    define_state(module, learner, auto_learner);
}

}  // namespace shrubs::bindings
