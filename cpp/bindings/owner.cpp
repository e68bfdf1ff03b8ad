// A learner's engine and tables, for one caller at a time; and what it does with one row.

#include <nanobind/stl/string.h>

#include <array>
#include <cmath>
#include <variant>

#include "bindings.hpp"
#include "sifting.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

// Everything that a learner has learned. Whoever looks at it or changes it holds the lock, from
// the first look at a size to the last write.
class Owner {
 public:
    Owner() = default;
    Owner(nb::object engine, nb::object its_parameters, const Tables& its_tables)
        : tables(its_tables), parameters(std::move(its_parameters)) {
        install(std::move(engine));
        // A copy takes less room than what it was copied from, and that decides how large an engine
        // may become: with the same room a loaded learner grows as the saved one.
        tables.go_back_to(tables.mark());
        has_warned = visit(false, [](const auto& it) { return it.ensemble().is_frozen(); }) ||
                     tables.has_given_up();
    }

    Lock lock;
    Tables tables;
    nb::object parameters = nb::none();
    std::uint64_t n_fractions = 0;  ///< weights of examples that were not whole
    bool has_warned = false;        ///< that the ensemble froze, or that something was given up

    nb::object engine() const { return engine_; }
    void install(nb::object engine) {
        if (!hold<PaperLearner>(engine) && !hold<TreeLearner>(engine) &&
            !hold<AutoLearner>(engine)) {
            throw nb::type_error("engine must be a learner of the core");
        }
        engine_ = std::move(engine);
    }

    // Calls `use` with the engine; `otherwise` if there is none yet.
    template <class Result, class Use>
    Result visit(Result otherwise, Use use) {
        return std::visit(
            [&](auto learner) -> Result {
                if constexpr (std::is_same_v<decltype(learner), std::monostate>) {
                    return otherwise;
                } else {
                    return use(*learner);
                }
            },
            learner_);
    }

 private:
    template <class AnyLearner>
    bool hold(nb::handle engine) {
        AnyLearner* learner = nullptr;
        if (!nb::try_cast(engine, learner) || learner == nullptr) {
            return false;
        }
        learner_ = learner;
        return true;
    }

    nb::object engine_ = nb::none();
    std::variant<std::monostate, PaperLearner*, TreeLearner*, AutoLearner*> learner_;
};

// Reads a label that the tables know, or a finite target; false if `y` is neither.
bool read_outcome(const Tables& tables, Task task, nb::handle y, Example& example) {
    if (task == Task::regression) {
        example.target = PyFloat_Check(y.ptr()) ? PyFloat_AsDouble(y.ptr()) : std::nan("");
        return std::isfinite(example.target);
    }
    const auto label = tables.class_of(y);
    example.label = static_cast<std::uint16_t>(label.value_or(0));
    return label.has_value();
}

void sift_learned(nb::handle x, Tables& tables, const Example& example,
                  const AutoEnsemble& ensemble) {
    if (tables.sieve() == nullptr) {
        return;
    }
    SiftedOutcome outcome{.label = example.label, .is_surprise = ensemble.surprises() % 2 == 1};
    if (ensemble.task() == Task::regression) {
        outcome.target = example.target;
    }
    sift_row(x, tables, outcome);
}

// Whether it is time to see if some of many classes are of no use any more.
bool is_time_to_look(const AutoEnsemble& ensemble) {
    constexpr std::uint32_t many_classes = 32;  // as in room.py
    return ensemble.dimensions().n_classes >= many_classes &&
           ensemble.examples_seen() % ensemble.plan().window_size == 0;
}

// 0, with nothing changed, if Python has to look at the example first; 2 if it has to look at the
// classes then.
int learn_one(Owner& self, nb::handle x, nb::handle y) {
    const Locked locked(self.lock);
    return self.visit(0, [&](auto& learner) {
        auto& ensemble = learner.ensemble();
        Example example{ensemble.row()};
        const Unseen unseen = ensemble.examples_seen() < self.tables.full_until()
                                  ? Unseen::leave_out
                                  : Unseen::report;
        std::uint64_t n_left_out = 0;
        const bool has_to_warn = ensemble.is_frozen() || self.tables.given_up().is_serious();
        if ((has_to_warn && !self.has_warned) || self.tables.has_calls() ||
            !read_row(x, self.tables, unseen, ensemble.row(), &n_left_out) ||
            !read_outcome(self.tables, ensemble.task(), y, example)) {
            return 0;
        }
        if (n_left_out > 0) {
            self.tables.set_left_out(n_left_out);
        }
        learner.learn(example);
        if constexpr (std::is_same_v<decltype(learner), AutoLearner&>) {
            sift_learned(x, self.tables, example, ensemble);
            if (ensemble.task() == Task::classification) {
                self.tables.note(example.label);
                return is_time_to_look(ensemble) ? 2 : 1;
            }
        }
        return 1;
    });
}

// f(x) of one row in `f`; false if Python has to sort the row out.
template <class AnyLearner>
bool predict_row(const Owner& self, AnyLearner& learner, nb::handle x, std::span<double> f) {
    const std::span<float> row = learner.ensemble().row();
    if (!read_row(x, self.tables, Unseen::ignore, row)) {
        return false;
    }
    learner.predict(row, f);
    return true;
}

// Probabilities of one row by label. None: Python has to sort the row out.
nb::object predict_proba_one(Owner& self, nb::handle x) {
    const Locked locked(self.lock);
    return self.visit(nb::object(nb::none()), [&](auto& learner) -> nb::object {
        std::vector<double> f(learner.ensemble().dimensions().n_classes);
        if (!predict_row(self, learner, x, f)) {
            return nb::none();
        }
        nb::dict result;
        for (std::size_t c = 0; c < f.size(); ++c) {
            result[self.tables.label(c)] = f[c];
        }
        return result;
    });
}

template <class AnyLearner>
nb::object predict_label(const Owner& self, AnyLearner& learner, nb::handle x) {
    const std::size_t n_classes = learner.ensemble().dimensions().n_classes;
    std::array<double, 64> small;
    std::vector<double> large(n_classes > small.size() ? n_classes : 0);
    const std::span<double> f(large.empty() ? small.data() : large.data(), n_classes);
    if (!predict_row(self, learner, x, f)) {
        return nb::none();
    }
    return f.empty() ? nb::make_tuple() : nb::make_tuple(self.tables.label(arg_max(f)));
}

// (label or target,) of one row, or () while no class is known. None: Python has to sort it out.
nb::object predict_one(Owner& self, nb::handle x) {
    const Locked locked(self.lock);
    return self.visit(nb::object(nb::none()), [&](auto& learner) -> nb::object {
        if (learner.ensemble().task() == Task::classification) {
            return predict_label(self, learner, x);
        }
        double f = 0.0;
        return predict_row(self, learner, x, {&f, 1}) ? nb::object(nb::make_tuple(f)) : nb::none();
    });
}

}  // namespace

void bind_owner(nb::module_& module) {
    nb::class_<Owner>(module, "Owner",
                      "Everything that a learner has learned, for one caller at a time.")
        .def(nb::init<>())
        .def(nb::init<nb::object, nb::object, const Tables&>(), nb::arg("engine"),
             nb::arg("parameters"), nb::arg("tables"))
        .def(
            "__enter__",
            [](nb::handle_t<Owner> self) {
                nb::cast<Owner&>(self).lock.take();
                return nb::borrow(self);
            },
            nb::sig("def __enter__(self) -> Owner"))
        .def(
            "__exit__", [](Owner& self, const nb::args&) { self.lock.give_back(); },
            nb::sig("def __exit__(self, *args: object) -> None"))
        .def_ro("tables", &Owner::tables)
        .def_rw("parameters", &Owner::parameters,
                nb::for_getter(nb::sig("def parameters(self) -> typing.Any")),
                nb::for_setter(nb::sig("def parameters(self, parameters: object, /) -> None")))
        .def_rw("n_fractions", &Owner::n_fractions)
        .def_rw("has_warned", &Owner::has_warned)
        .def_prop_rw("engine", &Owner::engine, &Owner::install,
                     nb::for_getter(nb::sig("def engine(self) -> PaperLearner | TreeLearner | "
                                            "AutoLearner | None")),
                     nb::for_setter(nb::sig("def engine(self, engine: PaperLearner | TreeLearner | "
                                            "AutoLearner, /) -> None")))
        .def_prop_ro_static("object_bytes", [](nb::handle) { return sizeof(Owner); })
        .def("learn_one", &learn_one, nb::arg("x").none(), nb::arg("y").none(),
             "0, with nothing changed, if Python has to look at the example first; 2 if it has to "
             "look at the classes then.")
        .def("predict_one", &predict_one, nb::arg("x").none(),
             nb::sig("def predict_one(self, x: object) -> tuple[typing.Any, ...] | None"))
        .def("predict_proba_one", &predict_proba_one, nb::arg("x").none(),
             nb::sig("def predict_proba_one(self, x: object) -> dict[typing.Any, float] | None"));
}

}  // namespace shrubs::bindings
