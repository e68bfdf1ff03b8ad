#include "tables.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "dates.hpp"
#include "messages.hpp"
#include "rows.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

constexpr std::uint64_t enough_categories = 256;  // to see that all examples have different ones

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
            add_category(column, category, 0);
        }
        if (texts && n_categories(column) != known.size()) {
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
    has_dates_ = has_dates_ || (space == names_space && key.kind() == KeyKind::text &&
                                is_part_of_date(key.bytes()));
    count(space, key.bytes().size(), true);
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
    if (!key.read(label)) {
        return std::nullopt;
    }
    if (is_long(key)) {
        key.shorten(bounded_->room.longest_key);
    }
    return find(labels_space, key);
}

std::optional<std::uint32_t> Tables::category(std::size_t column, nb::handle value) const {
    PlainKey key;
    if (!key.read(value)) {
        throw nb::type_error(("feature " + shown(name_of(column)) +
                              " takes categories: " + plain_values + ", got " + shown(value))
                                 .c_str());
    }
    const auto known = find(categories_space + static_cast<std::uint32_t>(column), key);
    if (!known && (is_closed(column) || is_long(key))) {
        return is_ever_new(column) ? no_code : unnamed_code(key);
    }
    return known;
}

std::uint32_t Tables::unnamed_code(const PlainKey& key) {
    return first_unnamed + static_cast<std::uint32_t>(key.digest() % first_unnamed);
}

nb::object Tables::name_of(std::size_t column) const {
    for (std::size_t i = 0; i < keys_.size() && named_.value_or(false); ++i) {
        const Vocabulary::Entry entry = keys_.entry(i);
        if (entry.list / n_key_kinds == names_space && entry.index == column) {
            return value(i);
        }
    }
    return nb::int_(position(column));
}

nb::object Tables::label(std::size_t index) const {
    return value(labels_[index] & ~once_bit);
}

nb::object Tables::names() const {
    if (!named_.value_or(false)) {
        return nb::none();
    }
    nb::list result;
    for (std::size_t column = 0; column < n_features(); ++column) {
        result.append(nb::none());
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (const Vocabulary::Entry entry = keys_.entry(i); space_of(entry) == names_space) {
            result[entry.index] = value(i);
        }
    }
    return result;
}

nb::list Tables::labels() const {
    nb::list result;
    for (const std::uint32_t entry : labels_) {
        result.append(value(entry & ~once_bit));
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
        add(names_space, read_name(name), column);
    }
    nominal_.push_back(nominal ? 1 : 0);
    n_categories_.push_back(texts ? 0 : no_texts);
    if (!kept().empty() && kept().size() < n_features()) {
        set_capacity(bounded_->kept, capacity_for(n_features(), feature_step));
        bounded_->kept.push_back(bounded_->width++);
    }
}

PlainKey Tables::read_name(nb::handle name) const {
    PlainKey key;
    if (!key.read(name)) {
        throw nb::type_error(
            ("names of features are " + std::string(plain_values) + ", got " + shown(name))
                .c_str());
    }
    if (find(names_space, key)) {
        throw nb::value_error(("there are two features " + shown(name)).c_str());
    }
    return key;
}

void Tables::add_category(std::size_t column, nb::handle value, std::uint64_t n_seen) {
    if (category(column, value)) {
        return;
    }
    PlainKey key;
    key.read(value);
    const std::uint64_t n_known = n_categories(column);
    const bool are_numbers = bounded_ && n_known == enough_categories && n_seen <= n_known + 1;
    if (are_numbers || has_no_room_for(column, key)) {
        remember();
        const bool is_ever_new = n_seen * 16 <= n_known * 17;
        n_categories_[column] |= closed_bit | (is_ever_new ? ever_new_bit : 0);
        return;
    }
    if (n_categories_[column] > largest_category) {
        throw nb::value_error(
            ("feature " + shown(name_of(column)) + " has more than 16777216 categories").c_str());
    }
    add(categories_space + static_cast<std::uint32_t>(column), key, n_categories_[column]++);
}

PlainKey Tables::read_label(nb::handle label) const {
    PlainKey key;
    if (!key.read(label)) {
        throw nb::type_error(
            ("y must be one of " + std::string(plain_values) + ", got " + shown(label)).c_str());
    }
    if (is_long(key)) {
        key.shorten(bounded_->room.longest_key);
    }
    return key;
}

std::uint32_t Tables::add_label(nb::handle label) {
    const PlainKey key = read_label(label);
    if (const auto known = find(labels_space, key)) {
        return *known;
    }
    set_capacity(labels_, capacity_for(n_classes() + 1, label_step));
    add(labels_space, key, static_cast<std::uint32_t>(n_classes()));
    labels_.push_back(static_cast<std::uint32_t>(keys_.size() - 1));
    return static_cast<std::uint32_t>(n_classes() - 1);
}

// -- bounded room --------------------------------------------------------------------------------

}  // namespace shrubs::bindings
