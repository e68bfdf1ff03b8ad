// What Python sees of the tables.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dates.hpp"
#include "rows.hpp"
#include "sifting.hpp"
#include "tables.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

// A row with known categories as the core takes it, (1, n_features); unknown names are left out.
nb::object read(const Tables& tables, nb::handle row) {
    NewArray<float, 2> values({1, tables.n_features()});
    if (!read_row(row, tables, Unseen::leave_out, {values.data(), tables.n_features()})) {
        throw nb::value_error("the tables do not know everything that is in the row");
    }
    return values.to_python();
}

// The class of each label; new ones are added.
nb::object add_labels(Tables& tables, const nb::list& labels) {
    NewArray<std::int64_t, 1> result({labels.size()});
    for (std::size_t i = 0; i < labels.size(); ++i) {
        result.data()[i] = tables.add_label(labels[i]);
    }
    return result.to_python();
}

// The categories of whole columns, row by row, as they would come one after another.
void add_categories(Tables& tables, const std::vector<std::uint32_t>& columns,
                    const nb::list& values, std::uint64_t n_seen) {
    std::vector<nb::list> lists;
    std::size_t n_rows = 0;
    for (const nb::handle each : values) {
        lists.push_back(nb::cast<nb::list>(each));
        n_rows = std::max(n_rows, lists.back().size());
    }
    for (std::size_t row = 0; row < n_rows; ++row) {
        for (std::size_t i = 0; i < lists.size(); ++i) {
            if (row < lists[i].size()) {
                const nb::object value = lists[i][row];
                if (!is_missing(value)) {
                    tables.add_category(columns[i], value, n_seen + row);
                }
            }
        }
    }
}

nb::object kept(const Tables& tables) {
    if (tables.kept().empty()) {
        return nb::none();
    }
    NewArray<std::int64_t, 1> result({tables.kept().size()});
    std::ranges::copy(tables.kept(), result.data());
    return result.to_python();
}

nb::list calls(const Tables& tables) {
    nb::list result;
    if (tables.sieve() != nullptr) {
        for (const Sieve::Call& call : tables.sieve()->calls()) {
            result.append(nb::make_tuple(call.id, call.has_texts != 0, call.score));
        }
    }
    return result;
}

SiftedOutcome sifted(const Tables& tables, double outcome, bool is_surprise) {
    if (tables.n_classes() == 0) {
        return {.target = outcome, .is_surprise = is_surprise};
    }
    return {.label = static_cast<std::uint32_t>(std::max(outcome, 0.0)),
            .is_surprise = is_surprise};
}

void sift(Tables& tables, nb::handle row, double outcome, bool is_surprise) {
    sift_row(row, tables, sifted(tables, outcome, is_surprise));
}

template <class T>
void sift_many(Tables& tables, Matrix<T> X, Vector<const double> y, std::uint32_t surprises) {
    if (y.shape(0) != X.shape(0) || y.shape(0) > Sieve::interval) {
        throw nb::value_error("X and y differ in length, or are too long");
    }
    for (std::size_t i = 0; i < X.shape(0); ++i) {
        const bool is_surprise = (surprises >> (X.shape(0) - 1 - i)) % 2 == 1;
        sift_values(std::span<const T>(X.data() + i * X.shape(1), X.shape(1)), tables,
                    sifted(tables, y.data()[i], is_surprise));
    }
}

// Raises ValueError unless they are classes in ascending order.
void check_classes(const Tables& tables, const std::vector<std::uint32_t>& classes) {
    if (std::ranges::adjacent_find(classes, std::greater_equal()) != classes.end() ||
        (!classes.empty() && classes.back() >= tables.n_classes())) {
        throw nb::value_error("there are no such classes");
    }
}

std::vector<std::uint32_t> once(const Tables& tables) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t c = 0; c < tables.n_classes(); ++c) {
        if (tables.came_once(c)) {
            result.push_back(c);
        }
    }
    return result;
}

void set_once(Tables& tables, const std::vector<std::uint32_t>& classes) {
    check_classes(tables, classes);
    for (std::uint32_t c = 0; c < tables.n_classes(); ++c) {
        tables.note(c);
    }
    for (const std::uint32_t c : classes) {
        tables.set_once(c);
    }
}

void note_classes(Tables& tables, Vector<const std::int64_t> classes) {
    for (std::size_t i = 0; i < classes.shape(0); ++i) {
        if (const std::int64_t c = classes.data()[i];
            c >= 0 && static_cast<std::size_t>(c) < tables.n_classes()) {
            tables.note(static_cast<std::size_t>(c));
        }
    }
}

// The code of each value, -1 for an unknown one, NaN for a missing one.
nb::object codes(const Tables& tables, std::size_t column, const nb::list& values) {
    NewArray<double, 1> result({values.size()});
    for (std::size_t i = 0; i < values.size(); ++i) {
        result.data()[i] = read_category(tables, column, values[i]);
    }
    return result.to_python();
}

}  // namespace

void bind_tables(nb::module_& module) {
    find_dates();
    module.def(
        "is_plain", [](nb::handle value) { return PlainKey().read(value); },
        nb::arg("value").none(), "Whether a value can be a name, a category or a label.");
    module.def(
        "unnamed_code",
        [](nb::handle category) {
            PlainKey key;
            return key.read(category) ? Tables::unnamed_code(key) : 0U;
        },
        nb::arg("category").none(), "The code of a category whose text is not kept.");
    module.def("sieve_bytes", &Sieve::bytes_for, nb::arg("n_slots"), nb::arg("n_columns"));
    module.def(
        "digest_of_name",
        [](nb::handle name) {
            PlainKey key;
            return key.read(name) ? sifted_id(key) : 0U;
        },
        nb::arg("name").none(), "What a feature without a column is known by.");
    nb::class_<GivenUp>(module, "GivenUp", "What there was no room for.")
        .def_ro("forgotten_features", &GivenUp::forgotten_features)
        .def_ro("forgotten_classes", &GivenUp::forgotten_classes)
        .def_ro("left_out", &GivenUp::left_out)
        .def_ro("passed_over", &GivenUp::passed_over);
    nb::class_<Tables::Mark>(module, "Mark", "What tables held at some moment.");
    nb::class_<Tables>(module, "Tables", "Names and kinds of features, categories, labels.")
        .def(nb::init<>())
        .def(nb::init<const nb::object&, const nb::bytes&, const nb::list&, const nb::list&>(),
             nb::arg("names").none(), nb::arg("nominal"), nb::arg("categories"), nb::arg("labels"),
             nb::sig("def __init__(self, names: list[typing.Any] | None, nominal: bytes, "
                     "categories: list[list[typing.Any] | None], labels: list[typing.Any]) -> "
                     "None"))
        .def(
            "__getstate__",
            [](const Tables& self) {
                return nb::make_tuple(self.named(), self.names(),
                                      nb::bytes(self.nominal().data(), self.nominal().size()),
                                      self.categories(), self.labels(), self.crowd(), once(self));
            },
            nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
        .def(
            "__setstate__",
            [](Tables& self, const nb::tuple& state) {
                if (state[0].is_none()) {
                    new (&self) Tables();
                } else {
                    new (&self) Tables(nb::object(state[1]), nb::cast<nb::bytes>(state[2]),
                                       nb::cast<nb::list>(state[3]), nb::cast<nb::list>(state[4]));
                    self.restore(nb::cast<nb::tuple>(state[5]));
                    set_once(self, nb::cast<std::vector<std::uint32_t>>(state[6]));
                }
            },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> None"))
        .def("__len__", &Tables::n_features)
        .def_prop_ro("n_classes", &Tables::n_classes)
        .def_prop_rw("named", &Tables::named, &Tables::set_named)
        .def_prop_ro("has_dates", &Tables::has_dates)
        .def_prop_ro("nominal",
                     [](const Tables& self) {
                         return nb::bytes(self.nominal().data(), self.nominal().size());
                     })
        .def_prop_ro("memory_bytes", &Tables::memory_bytes)
        .def(
            "has_texts",
            [](const Tables& self, std::size_t column) {
                return column < self.n_features() && self.has_texts(column);
            },
            nb::arg("column"))
        .def(
            "set_room",
            [](Tables& self, std::uint32_t names, std::uint32_t categories,
               std::uint32_t longest_key, std::uint32_t n_waiting, bool is_for_few) {
                self.set_room({.names = names,
                               .categories = categories,
                               .longest_key = longest_key,
                               .n_waiting = n_waiting,
                               .is_for_few = is_for_few});
            },
            nb::arg("names"), nb::arg("categories"), nb::arg("longest_key") = 128,
            nb::arg("n_waiting") = 32, nb::arg("is_for_few") = false,
            "Bytes that the names of features, the texts of categories and one text may take; "
            "how many names that came once, and labels that gave way, are remembered.")
        .def("has_room_for", &Tables::has_room_for, nb::arg("name").none(),
             nb::arg("instead_of") = nb::none())
        .def("is_full_of_names", &Tables::is_full_of_names)
        .def("choose", &Tables::choose, nb::arg("names"), nb::arg("order"), nb::arg("max"),
             nb::sig("def choose(self, names: list[typing.Any], order: list[int], "
                     "max: int) -> list[int]"))
        .def("replace_feature", &Tables::replace_feature, nb::arg("column"), nb::arg("name").none(),
             nb::arg("texts"), nb::arg("position") = nb::none())
        .def("begin_sieve", &Tables::begin_sieve, nb::arg("n_slots"), nb::arg("n_columns"),
             "From now on features without a column are looked at too.")
        .def_prop_ro("n_slots",
                     [](const Tables& self) {
                         return self.sieve() == nullptr ? 0U : self.sieve()->n_slots();
                     })
        .def_prop_ro(
            "n_alike",
            [](const Tables& self) {
                return self.sieve() == nullptr ? Sieve::interval : self.sieve()->n_left();
            },
            "So many examples come before features may be called.")
        .def("calls", &calls, nb::sig("def calls(self) -> list[tuple[int, bool, float]]"),
             "Features that deserve a column: position or digest, texts or numbers, score.")
        .def("answer_call", &Tables::answer_call, nb::arg("id"), nb::arg("column").none(),
             "A feature that was called has a column now, or gets none.")
        .def(
            "standing",
            [](const Tables& self, std::size_t column) {
                return self.sieve() == nullptr ? 0.0 : self.sieve()->standing(column);
            },
            nb::arg("column"))
        .def("sift", &sift, nb::arg("row"), nb::arg("outcome"), nb::arg("is_surprise"),
             nb::sig("def sift(self, row: object, outcome: float, is_surprise: bool) -> None"))
        .def("sift_many", &sift_many<float>, nb::arg("X"), nb::arg("y"), nb::arg("surprises"))
        .def("sift_many", &sift_many<double>, nb::arg("X"), nb::arg("y"), nb::arg("surprises"),
             "The bit of the last row is the lowest.")
        .def("replace_label", &Tables::replace_label, nb::arg("index"), nb::arg("label").none())
        .def(
            "remove_labels",
            [](Tables& self, const std::vector<std::uint32_t>& indices) {
                check_classes(self, indices);
                return self.remove_labels(indices);
            },
            nb::arg("indices"), "The number that each class has from now on, -1 if it went.")
        .def_prop_rw("once", &once, &set_once, "The classes that came with one example so far.")
        .def("note_classes", &note_classes, nb::arg("classes"), "Examples of these came.")
        .def("has_given_way", &Tables::has_given_way, nb::arg("label").none())
        .def_prop_rw("newcomer", &Tables::newcomer, &Tables::set_newcomer,
                     nb::for_setter(nb::arg("index").none()))
        .def("has_waited", &Tables::has_waited, nb::arg("name").none())
        .def("keep", &Tables::keep, nb::arg("width"), nb::arg("positions"))
        .def_prop_ro("width", &Tables::width, "How many values a row without names has.")
        .def_prop_ro("kept", &kept,
                     nb::sig("def kept(self) -> numpy.typing.NDArray[numpy.int64] | None"),
                     "Which of them are features; None: all.")
        .def_prop_ro("full_until", &Tables::full_until)
        .def("set_full_until", &Tables::set_full_until, nb::arg("examples_seen"))
        .def_prop_ro("given_up", &Tables::given_up)
        .def("set_left_out", &Tables::set_left_out, nb::arg("n"))
        .def("has_given_up", &Tables::has_given_up)
        .def("crowd", &Tables::crowd, nb::sig("def crowd(self) -> tuple[typing.Any, ...]"),
             "All that no other list has, for `restore`.")
        .def(
            "restore",
            [](Tables& self, const nb::tuple& crowd) {
                try {
                    self.restore(crowd);
                } catch (const std::bad_cast&) {
                    throw nb::value_error("these are no counts and positions");
                }
            },
            nb::arg("crowd"), nb::sig("def restore(self, crowd: tuple[typing.Any, ...]) -> None"))
        .def("settle", &Tables::settle, "What was marked last is not needed any more.")
        .def("column", &Tables::column, nb::arg("name").none())
        .def("class_of", &Tables::class_of, nb::arg("label").none())
        .def("name_of", &Tables::name_of, nb::arg("column"),
             nb::sig("def name_of(self, column: int) -> typing.Any"))
        .def(
            "label",
            [](const Tables& self, std::size_t index) {
                if (index >= self.n_classes()) {
                    throw nb::index_error("no such class");
                }
                return self.label(index);
            },
            nb::arg("index"), nb::sig("def label(self, index: int) -> typing.Any"))
        .def("names", &Tables::names, nb::sig("def names(self) -> list[typing.Any] | None"))
        .def("labels", &Tables::labels, nb::sig("def labels(self) -> list[typing.Any]"))
        .def("categories", &Tables::categories,
             nb::sig("def categories(self) -> list[list[typing.Any] | None]"))
        .def("add_feature", &Tables::add_feature, nb::arg("name").none(), nb::arg("nominal"),
             nb::arg("texts"))
        .def("add_category", &Tables::add_category, nb::arg("column"), nb::arg("value").none(),
             nb::arg("n_seen") = 0)
        .def("add_categories", &add_categories, nb::arg("columns"), nb::arg("values"),
             nb::arg("n_seen"),
             nb::sig("def add_categories(self, columns: list[int], "
                     "values: list[list[typing.Any]], n_seen: int) -> None"))
        .def("add_label", &Tables::add_label, nb::arg("label").none())
        .def("add_labels", &add_labels, nb::arg("labels"),
             nb::sig("def add_labels(self, labels: list[typing.Any]) -> "
                     "numpy.typing.NDArray[numpy.int64]"))
        .def("mark", &Tables::mark)
        .def("go_back_to", &Tables::go_back_to, nb::arg("mark"))
        .def("read", &read, nb::arg("row"),
             nb::sig("def read(self, row: object) -> numpy.typing.NDArray[numpy.float32]"))
        .def("codes", &codes, nb::arg("column"), nb::arg("values"),
             nb::sig("def codes(self, column: int, values: list[typing.Any]) -> "
                     "numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace shrubs::bindings
