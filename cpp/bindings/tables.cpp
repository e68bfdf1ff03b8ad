#include "tables.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bindings.hpp"
#include "messages.hpp"
#include "rows.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

constexpr std::size_t feature_step = 8;
constexpr const char* plain_values =
    "texts, numbers, booleans, bytes or tuples and frozensets of those";

}  // namespace

Tables::Tables(const nb::object& names, const nb::bytes& nominal, const nb::list& categories,
               const nb::list& labels)
    : named_(!names.is_none()) {
    const auto kinds = as_kinds(nominal);
    if (categories.size() != kinds.size() || (*named_ && nb::len(names) != kinds.size())) {
        throw nb::value_error("names, kinds and categories differ in number");
    }
    for (std::size_t column = 0; column < kinds.size(); ++column) {
        const bool texts = !categories[column].is_none();
        if (texts && kinds[column] == 0) {
            throw nb::value_error("a feature that is not nominal has categories");
        }
        add_feature(*named_ ? nb::object(names[column]) : nb::none(), kinds[column] != 0, texts);
        const nb::list known = texts ? nb::cast<nb::list>(categories[column]) : nb::list();
        for (const nb::handle category : known) {
            add_category(column, category);
        }
        if (texts && n_categories_[column] != known.size()) {
            throw nb::value_error("a feature has the same category twice");
        }
    }
    for (const nb::handle label : labels) {
        add_label(label);
    }
    if (n_classes() != labels.size()) {
        throw nb::value_error("there are two classes of the same label");
    }
}

std::optional<std::uint32_t> Tables::find(std::uint32_t space, const PlainKey& key) const {
    return keys_.find(space * n_key_kinds + static_cast<std::uint32_t>(key.kind()), key.bytes());
}

void Tables::add(std::uint32_t space, const PlainKey& key, std::uint32_t index) {
    keys_.add(space * n_key_kinds + static_cast<std::uint32_t>(key.kind()),
              {key.tag(), key.bytes()}, index);
}

nb::object Tables::value(std::size_t i) const {
    const Vocabulary::Entry entry = keys_.entry(i);
    return value_of(static_cast<KeyKind>(entry.list % n_key_kinds), entry.key.tag, entry.key.bytes);
}

std::optional<std::uint32_t> Tables::column(nb::handle name) const {
    PlainKey key;
    return key.read(name) ? find(names_space, key) : std::nullopt;
}

std::optional<std::uint32_t> Tables::class_of(nb::handle label) const {
    PlainKey key;
    return key.read(label) ? find(labels_space, key) : std::nullopt;
}

std::optional<std::uint32_t> Tables::category(std::size_t column, nb::handle value) const {
    PlainKey key;
    if (!key.read(value)) {
        throw nb::type_error(("feature " + shown(name_of(column)) +
                              " takes categories: " + plain_values + ", got " + shown(value))
                                 .c_str());
    }
    return find(categories_space + static_cast<std::uint32_t>(column), key);
}

nb::object Tables::name_of(std::size_t column) const {
    for (std::size_t i = 0; i < keys_.size() && named_.value_or(false); ++i) {
        const Vocabulary::Entry entry = keys_.entry(i);
        if (entry.list / n_key_kinds == names_space && entry.index == column) {
            return value(i);
        }
    }
    return nb::int_(column);
}

nb::object Tables::label(std::size_t index) const {
    return value(labels_[index]);
}

nb::object Tables::names() const {
    if (!named_.value_or(false)) {
        return nb::none();
    }
    nb::list result;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (keys_.entry(i).list / n_key_kinds == names_space) {
            result.append(value(i));
        }
    }
    return result;
}

nb::list Tables::labels() const {
    nb::list result;
    for (const std::uint32_t entry : labels_) {
        result.append(value(entry));
    }
    return result;
}

nb::list Tables::categories() const {
    nb::list result;
    for (std::size_t column = 0; column < n_features(); ++column) {
        result.append(has_texts(column) ? nb::object(nb::list()) : nb::none());
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        const std::uint32_t space = keys_.entry(i).list / n_key_kinds;
        if (space >= categories_space) {
            nb::cast<nb::list>(result[space - categories_space]).append(value(i));
        }
    }
    return result;
}

void Tables::fit_features(std::size_t n) {
    const std::size_t capacity = capacity_for(n, feature_step);
    set_capacity(nominal_, capacity);
    set_capacity(n_categories_, capacity);
}

void Tables::add_feature(nb::handle name, bool nominal, bool texts) {
    const auto column = static_cast<std::uint32_t>(n_features());
    fit_features(column + std::size_t{1});
    if (named_.value_or(false)) {
        PlainKey key;
        if (!key.read(name)) {
            throw nb::type_error(
                ("names of features are " + std::string(plain_values) + ", got " + shown(name))
                    .c_str());
        }
        if (find(names_space, key)) {
            throw nb::value_error(("there are two features " + shown(name)).c_str());
        }
        add(names_space, key, column);
    }
    nominal_.push_back(nominal ? 1 : 0);
    n_categories_.push_back(texts ? 0 : no_texts);
}

void Tables::add_category(std::size_t column, nb::handle value) {
    if (!category(column, value)) {
        if (n_categories_[column] > largest_category) {
            throw nb::value_error(
                ("feature " + shown(name_of(column)) + " has more than 16777216 categories")
                    .c_str());
        }
        PlainKey key;
        key.read(value);
        add(categories_space + static_cast<std::uint32_t>(column), key, n_categories_[column]++);
    }
}

std::uint32_t Tables::add_label(nb::handle label) {
    PlainKey key;
    if (!key.read(label)) {
        throw nb::type_error(
            ("y must be one of " + std::string(plain_values) + ", got " + shown(label)).c_str());
    }
    if (const auto known = find(labels_space, key)) {
        return *known;
    }
    set_capacity(labels_, capacity_for(n_classes() + 1, feature_step));
    add(labels_space, key, static_cast<std::uint32_t>(n_classes()));
    labels_.push_back(static_cast<std::uint32_t>(keys_.size() - 1));
    return static_cast<std::uint32_t>(n_classes() - 1);
}

void Tables::go_back_to(const Mark& mark) {
    while (keys_.size() > mark.n_keys) {
        const std::uint32_t space = keys_.entry(keys_.size() - 1).list / n_key_kinds;
        if (space == labels_space) {
            labels_.pop_back();
        } else if (space >= categories_space) {
            --n_categories_[space - categories_space];
        }
        keys_.remove_last();
    }
    nominal_.resize(mark.n_features);
    n_categories_.resize(mark.n_features);
    named_ = mark.named;
    keys_.shrink();
    fit_features(mark.n_features);
    set_capacity(labels_, capacity_for(n_classes(), feature_step));
}

std::size_t Tables::memory_bytes() const {
    return nominal_.capacity() +
           (n_categories_.capacity() + labels_.capacity()) * sizeof(std::uint32_t) +
           keys_.memory_bytes();
}

namespace {

// A row with known names and categories as the core takes it, (1, n_features).
nb::object read(const Tables& tables, nb::handle row) {
    NewArray<float, 2> values({1, tables.n_features()});
    if (!read_row(row, tables, Unseen::report, {values.data(), tables.n_features()})) {
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
                                      self.categories(), self.labels());
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
                }
            },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> None"))
        .def("__len__", &Tables::n_features)
        .def_prop_ro("n_classes", &Tables::n_classes)
        .def_prop_rw("named", &Tables::named, &Tables::set_named)
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
        .def("column", &Tables::column, nb::arg("name").none())
        .def("class_of", &Tables::class_of, nb::arg("label").none())
        .def("name_of", &Tables::name_of, nb::arg("column"),
             nb::sig("def name_of(self, column: int) -> typing.Any"))
        .def("names", &Tables::names, nb::sig("def names(self) -> list[typing.Any] | None"))
        .def("labels", &Tables::labels, nb::sig("def labels(self) -> list[typing.Any]"))
        .def("categories", &Tables::categories,
             nb::sig("def categories(self) -> list[list[typing.Any] | None]"))
        .def("add_feature", &Tables::add_feature, nb::arg("name").none(), nb::arg("nominal"),
             nb::arg("texts"))
        .def("add_category", &Tables::add_category, nb::arg("column"), nb::arg("value").none())
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
