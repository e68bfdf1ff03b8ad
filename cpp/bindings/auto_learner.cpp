// The learner that needs no tuning: how it is made, how it grows with the stream, what can be seen.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

std::uint32_t count(std::span<const std::uint8_t> nominal) {
    return static_cast<std::uint32_t>(std::ranges::count(nominal, 1));
}

AutoConfig make_config(Task task, std::uint64_t arena_bytes, std::uint64_t seed, bool recalls,
                       std::uint32_t label_delay = 0) {
    return {.task = task,
            .arena_bytes = std::min(arena_bytes, largest_auto_arena),
            .seed = seed,
            .recalls = static_cast<std::uint8_t>(recalls ? 1 : 0),
            .label_delay = label_delay};
}

// Raises ValueError unless there is a plan.
void check_plan(const AutoConfig& config, const Dimensions& dimensions,
                std::span<const std::uint8_t> nominal) {
    if (!AutoEnsemble::can_hold(config, dimensions, nominal)) {
        throw nb::value_error("parameters are outside the limits of the core");
    }
}

nb::dict plan(Task task, std::uint64_t arena_bytes, std::uint32_t n_classes,
              const nb::bytes& nominal, bool recalls) {
    const AutoConfig config = make_config(task, arena_bytes, 0, recalls);
    const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes, 0};
    const AutoPlan plan = make_auto_plan(config, dimensions, count(as_kinds(nominal)));
    return as_dict(plan.window_size == 0 ? MemoryReport() : AutoEnsemble::report(plan),
                   sizeof(AutoLearner));
}

// The sizes that were chosen.
nb::dict layout(Task task, std::uint64_t arena_bytes, std::uint32_t n_classes,
                const nb::bytes& nominal, bool recalls) {
    const AutoConfig config = make_config(task, arena_bytes, 0, recalls);
    const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes, 0};
    const AutoPlan plan = make_auto_plan(config, dimensions, count(as_kinds(nominal)));
    nb::list groups;
    nb::list shrubs;
    for (const ShrubGroup& group : plan.all_groups()) {
        groups.append(nb::make_tuple(group.length, group.n_places, group.max_leaves, group.reactive,
                                     group.recalls));
        shrubs.append(nb::make_tuple(group.offset, group.stride));
    }
    nb::list companions;
    const Companions all = make_companions();
    for_each_chosen(all, plan.companions, [&](const auto& companion, std::uint32_t) {
        companions.append(companion.name());
    });
    nb::dict result;
    result["window_size"] = plan.window_size;
    result["groups"] = groups;
    result["companions"] = companions;
    result["n_buckets"] = plan.n_buckets;
    result["n_contexts"] = plan.n_contexts;
    result["n_neighbours"] = plan.n_neighbours;
    result["n_drifts"] = plan.n_drifts;
    result["is_small"] = plan.is_small;
    result["shrubs"] = shrubs;
    result["shrub_bytes"] = plan.shrub_bytes;
    result["total_bytes"] = plan.total_bytes;
    return result;
}

std::uint64_t smallest_arena(Task task, std::uint32_t n_classes, const nb::bytes& nominal,
                             bool recalls) {
    const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes, 0};
    return smallest_auto_arena(make_config(task, 0, 0, recalls), dimensions,
                               count(as_kinds(nominal)));
}

// The number that each class has from now on, -1 if it goes. Raises ValueError unless one stays.
std::vector<std::uint16_t> as_numbers(const std::vector<std::int64_t>& now,
                                      const AutoEnsemble& ensemble, std::uint32_t n_classes) {
    std::vector<std::uint16_t> numbers;
    std::vector<bool> is_taken(n_classes);
    for (std::size_t c = 0; c < now.size(); ++c) {
        const bool goes = now[c] == -1;
        if (!goes && (now[c] < 0 || static_cast<std::size_t>(now[c]) > c || now[c] >= n_classes ||
                      is_taken[now[c]])) {
            throw nb::value_error("a class keeps its number or takes a smaller one that is free");
        }
        numbers.push_back(goes ? gone_class : static_cast<std::uint16_t>(now[c]));
        if (!goes) {
            is_taken[now[c]] = true;
        }
    }
    const auto labels = ensemble.window().labels().first(ensemble.window().size());
    if (now.size() != ensemble.dimensions().n_classes ||
        (!labels.empty() &&
         std::ranges::none_of(labels, [&](auto label) { return numbers[label] != gone_class; }))) {
        throw nb::value_error("not so many classes, or none is left in the window");
    }
    return numbers;
}

// The same learner with more features or other classes, in another amount of memory. Where `now` is
// given, the learner itself must not be used any more.
std::unique_ptr<AutoLearner> replan(AutoLearner& self, std::uint64_t arena_bytes,
                                    std::uint32_t n_classes, const nb::bytes& nominal,
                                    const std::optional<std::vector<std::int64_t>>& now) {
    AutoConfig config = self.ensemble().config();
    config.arena_bytes = std::min(arena_bytes, largest_auto_arena);
    const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes, 0};
    const Dimensions& before = self.ensemble().dimensions();
    if (dimensions.n_features < before.n_features || (n_classes < before.n_classes && !now)) {
        throw nb::value_error("a learner can only grow");
    }
    const std::vector<std::uint16_t> numbers =
        now ? as_numbers(*now, self.ensemble(), n_classes) : std::vector<std::uint16_t>();
    check_plan(config, dimensions, as_kinds(nominal));
    auto learner = std::make_unique<AutoLearner>(config, dimensions, as_kinds(nominal));
    if (now) {
        self.ensemble().renumber_classes(numbers);
    }
    learner->ensemble().copy_from(self.ensemble());
    return learner;
}

// Of each feature, how many examples came since its last value.
nb::object since_present(AutoLearner& self) {
    const std::size_t n_features = self.ensemble().dimensions().n_features;
    NewArray<std::uint32_t, 1> since({n_features});
    self.ensemble().count_since_present({since.data(), n_features});
    return since.to_python();
}

nb::object since_class(AutoLearner& self) {
    const std::size_t n_classes = self.ensemble().dimensions().n_classes;
    NewArray<std::uint32_t, 1> since({n_classes});
    NewArray<std::uint32_t, 1> counts({n_classes});
    self.ensemble().count_since_class({since.data(), n_classes}, {counts.data(), n_classes});
    return nb::make_tuple(since.to_python(), counts.to_python());
}

void check_below(std::uint32_t index, std::uint32_t n) {
    if (index >= n) {
        throw nb::index_error("no such feature or class");
    }
}

// The places of the shrubs, oldest shrub first.
std::vector<std::uint32_t> places(const AutoEnsemble& ensemble) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t place = 0; place < ensemble.plan().n_places; ++place) {
        if (ensemble.shrubs().is_grown(place)) {
            result.push_back(place);
        }
    }
    std::ranges::stable_sort(result, {},
                             [&](std::uint32_t place) { return ensemble.shrubs().born(place); });
    return result;
}

nb::object leaf_as_tuple(const AutoEnsemble& ensemble, std::uint32_t place, std::uint32_t leaf) {
    if (ensemble.task() == Task::regression) {
        const double said = ensemble.said_by(place, leaf);
        return ensemble.leans(place) ? nb::make_tuple("leaf", said, true)
                                     : nb::make_tuple("leaf", said);
    }
    const CountingLeaves leaves = ensemble.shrubs().counting_leaves(place);
    const std::uint32_t n = leaves.total(leaf);
    nb::list entries;
    for (std::size_t c = 0; c < ensemble.plan().width(); ++c) {
        entries.append(n == 0 ? 0.0
                              : double{fixed_one} *
                                    leaves.count(leaf, static_cast<std::uint16_t>(c)) / n);
    }
    return nb::make_tuple("leaf", nb::tuple(entries));
}

nb::list shrubs_as_list(AutoLearner& self) {
    const AutoEnsemble& ensemble = self.ensemble();
    nb::list result;
    for (const std::uint32_t place : places(ensemble)) {
        const auto leaf = [&](std::uint32_t index) {
            return leaf_as_tuple(ensemble, place, index);
        };
        const NewShrub shrub = ensemble.shrubs().shrub(place);
        result.append(
            nb::make_tuple(ensemble.weight(place), ensemble.shrubs().born(place),
                           nodes_as_list(shrub.node_bytes, shrub.nodes, shrub.n_inner, leaf)));
    }
    return result;
}

nb::list weights_as_list(AutoLearner& self) {
    nb::list result;
    for (const std::uint32_t place : places(self.ensemble())) {
        result.append(self.ensemble().weight(place));
    }
    return result;
}

nb::list members_as_list(AutoLearner& self) {
    nb::list result;
    for (const std::uint32_t place : places(self.ensemble())) {
        result.append(
            nb::make_tuple(self.ensemble().shrubs().born(place), self.ensemble().weight(place)));
    }
    return result;
}

// The weights of the experts that are no shrubs, by name.
nb::dict companions(AutoLearner& self) {
    const AutoEnsemble& ensemble = self.ensemble();
    nb::dict result;
    for_each_chosen(ensemble.companions(), ensemble.plan().companions,
                    [&](const auto& companion, std::uint32_t i) {
                        result[companion.name()] = ensemble.weight(ensemble.plan().n_places + i);
                    });
    return result;
}

nb::object look_as_tuple(const Look& look) {
    if (look.begun == 0) {
        return nb::none();
    }
    nb::list importances;
    for (const Importance& importance : look.importances) {
        if (importance.share > 0.0F) {
            importances.append(nb::make_tuple(importance.feature, importance.share));
        }
    }
    nb::list rules;
    for (const Rule& rule : look.rules) {
        nb::list conditions;
        for (std::size_t i = 0; i < rule.n_conditions; ++i) {
            const auto& [split, to_left] = rule.conditions[i];
            conditions.append(nb::make_tuple(split.feature, split.threshold, split.nominal,
                                             split.missing_left, to_left));
        }
        if (rule.weight > 0.0F) {
            rules.append(nb::make_tuple(rule.weight, conditions, rule.label, rule.outcome));
        }
    }
    return nb::make_tuple(importances, rules);
}

nb::object drifts_as_list(AutoLearner& self) {
    const Drifts& drifts = self.ensemble().drifts();
    if (!drifts.remembers()) {
        return nb::none();
    }
    nb::list result;
    for (std::size_t i = 0; i < drifts.n_remembered(); ++i) {
        const Drift& drift = drifts[i];
        result.append(nb::make_tuple(drift.noticed, drift.began, drift.evidence,
                                     look_as_tuple(drift.before), look_as_tuple(drift.after)));
    }
    return result;
}

}  // namespace

void define_auto(nb::module_& module, nb::class_<AutoLearner>& learner) {
    module.def("auto_plan", &plan, nb::arg("task"), nb::arg("arena_bytes"), nb::arg("n_classes"),
               nb::arg("nominal"), nb::arg("recalls") = true,
               nb::sig("def auto_plan(task: Task, arena_bytes: int, n_classes: int, "
                       "nominal: bytes, recalls: bool = True) -> dict[str, int]"),
               "Bytes that a learner takes of those it may take, by purpose; no window: too few.");
    module.def("auto_layout", &layout, nb::arg("task"), nb::arg("arena_bytes"),
               nb::arg("n_classes"), nb::arg("nominal"), nb::arg("recalls") = true,
               nb::sig("def auto_layout(task: Task, arena_bytes: int, n_classes: int, "
                       "nominal: bytes, recalls: bool = True) -> dict[str, typing.Any]"),
               "The sizes of a learner; a window of 0: too few bytes.");
    module.def("smallest_auto_arena", &smallest_arena, nb::arg("task"), nb::arg("n_classes"),
               nb::arg("nominal"), nb::arg("recalls") = true,
               "The fewest bytes for which there is a plan.");
    learner
        .def(
            "__init__",
            [](AutoLearner* self, Task task, std::uint64_t arena_bytes, std::uint64_t seed,
               std::uint32_t n_classes, const nb::bytes& nominal, bool recalls,
               std::uint32_t label_delay) {
                const AutoConfig config =
                    make_config(task, arena_bytes, seed, recalls, label_delay);
                const Dimensions dimensions{static_cast<std::uint32_t>(nominal.size()), n_classes,
                                            0};
                check_plan(config, dimensions, as_kinds(nominal));
                new (self) AutoLearner(config, dimensions, as_kinds(nominal));
            },
            nb::arg("task"), nb::arg("arena_bytes"), nb::arg("seed"), nb::arg("n_classes"),
            nb::arg("nominal"), nb::arg("recalls") = true, nb::arg("label_delay") = 0)
        .def("replan", &replan, nb::arg("arena_bytes"), nb::arg("n_classes"), nb::arg("nominal"),
             nb::arg("now") = nb::none(),
             nb::sig("def replan(self, arena_bytes: int, n_classes: int, nominal: bytes, "
                     "now: list[int] | None = None) -> AutoLearner"))
        .def("since_present", &since_present,
             nb::sig("def since_present(self) -> numpy.typing.NDArray[numpy.uint32]"),
             "Of each feature, how many examples of the window came after its last value.")
        .def_prop_ro(
            "surprises", [](const AutoLearner& self) { return self.ensemble().surprises(); },
            "A bit per example, the last one's lowest: was another class or less predicted?")
        .def(
            "forget_feature",
            [](AutoLearner& self, std::uint32_t feature) {
                check_below(feature, self.ensemble().dimensions().n_features);
                self.ensemble().forget_feature(feature);
            },
            nb::arg("feature"))
        .def("since_class", &since_class,
             nb::sig("def since_class(self) -> tuple[numpy.typing.NDArray[numpy.uint32], "
                     "numpy.typing.NDArray[numpy.uint32]]"),
             "The same of each class, and how many examples of it are in the window.")
        .def(
            "renumber_classes",
            [](AutoLearner& self, const std::vector<std::int64_t>& now) {
                const std::uint32_t n_classes = self.ensemble().dimensions().n_classes;
                self.ensemble().renumber_classes(as_numbers(now, self.ensemble(), n_classes));
            },
            nb::arg("now"), "A class keeps its number, takes a smaller one that is free, or -1.")
        .def(
            "snapshot",
            [](const AutoLearner& self, const Tables& tables) {
                return std::make_unique<AutoSnapshot>(self, tables);
            },
            nb::arg("tables"))
        .def(
            "bound",
            [](const AutoLearner& self, double coverage) {
                return self.ensemble().bound(coverage);
            },
            nb::arg("coverage"))
        .def_prop_ro("task", [](const AutoLearner& self) { return self.ensemble().task(); })
        .def_prop_ro("arena_bytes",
                     [](const AutoLearner& self) { return self.ensemble().config().arena_bytes; })
        .def_prop_ro("recalls",
                     [](const AutoLearner& self) { return self.ensemble().config().recalls != 0; })
        .def(
            "recalled",
            [](const AutoLearner& self) {
                const auto values = self.ensemble().recalled();
                return nb::make_tuple(values[0], values[1]);
            },
            nb::sig("def recalled(self) -> tuple[float, float]"),
            "What shrubs that recall know beside the next x; targets in their unit.")
        .def_prop_ro("target_unit",
                     [](const AutoLearner& self) { return self.ensemble().target_unit(); })
        .def_prop_ro("label_delay",
                     [](const AutoLearner& self) { return self.ensemble().config().label_delay; })
        .def_prop_ro("seed", [](const AutoLearner& self) { return self.ensemble().config().seed; })
        .def_prop_ro("n_shrubs", [](const AutoLearner& self) { return self.ensemble().n_shrubs(); })
        .def_prop_ro("window_size",
                     [](const AutoLearner& self) { return self.ensemble().plan().window_size; })
        .def("shrubs", &shrubs_as_list,
             nb::sig("def shrubs(self) -> "
                     "list[tuple[float, int, list[tuple[typing.Any, ...]]]]"))
        .def("members", &members_as_list, nb::sig("def members(self) -> list[tuple[int, float]]"))
        .def("weights", &weights_as_list, nb::sig("def weights(self) -> list[float]"))
        .def("drifts", &drifts_as_list,
             nb::sig("def drifts(self) -> "
                     "list[tuple[int, int, float, typing.Any, typing.Any]] | None"),
             "The changes of concept that are remembered: when noticed, about when begun, the "
             "evidence, and importances and rules before and after; None if there is no room.")
        .def_prop_ro(
            "drift_evidence",
            [](const AutoLearner& self) { return self.ensemble().drifts().evidence(); },
            "Evidence at hand that the concept is changing.")
        .def("companions", &companions, nb::sig("def companions(self) -> dict[str, float]"));
    define_common(learner);
    define_blocks(learner);
    define_state(learner);
}

}  // namespace shrubs::bindings
