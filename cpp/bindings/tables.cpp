#include "tables.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>

#include "bindings.hpp"
#include "dates.hpp"
#include "messages.hpp"
#include "rows.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

constexpr std::size_t feature_step = 8;
constexpr std::size_t label_step = 2;
// Where room is bounded: a feature may have as many categories as if each took so many bytes of the
// room.
constexpr std::uint64_t category_room = 96;
constexpr std::uint64_t enough_categories = 256;  // to see that all examples have different ones
constexpr std::size_t usual_name = 32;  // while there is no room for one, there is none for others
constexpr std::size_t waiting_step = 8;
constexpr std::size_t allocator_bytes = 32;
// Codes from here on stand for categories without texts, as in companions/buckets.hpp.
constexpr std::uint32_t first_unnamed = 8388608;

// A name and a label of the same text are two that wait.
std::uint32_t digest_of_label(const PlainKey& label) {
    return ~static_cast<std::uint32_t>(label.digest());
}

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

// The most that a key takes in a vocabulary, and without slots.
std::uint64_t Tables::cost_of(std::size_t n_bytes) const {
    return (bounded_->room.is_for_few ? 17 : 29) + (n_bytes * 5 + 3) / 4;
}

void Tables::count(std::uint32_t space, std::size_t n_bytes, bool more) {
    if (bounded_ && space != labels_space) {
        const auto cost = static_cast<std::uint32_t>(cost_of(n_bytes));
        (space == names_space ? bounded_->names_cost : bounded_->categories_cost) +=
            more ? cost : 0U - cost;
    }
}

void Tables::count_again() {
    bounded_->names_cost = bounded_->categories_cost = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        const Vocabulary::Entry entry = keys_.entry(i);
        count(space_of(entry), entry.key.bytes.size(), true);
    }
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

bool Tables::is_long(const PlainKey& key) const {
    return bounded_ && key.bytes().size() > bounded_->room.longest_key;
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
    return value(labels_[index]);
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

bool Tables::has_no_room_for(std::size_t column, const PlainKey& category) const {
    return bounded_ &&
           (n_categories_[column] >=
                std::min<std::uint64_t>(first_unnamed, bounded_->room.categories / category_room) ||
            bounded_->categories_cost + cost_of(category.bytes().size()) >
                bounded_->room.categories);
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

void Tables::bound() {
    if (!bounded_) {
        bounded_.make();
        count_again();
    }
}

void Tables::set_room(const Room& room) {
    bound();
    const bool cost_as_before = bounded_->room.is_for_few == room.is_for_few;
    bounded_->room = room;
    if (!cost_as_before) {
        count_again();
    }
}

void Tables::set_left_out(std::uint64_t n) {
    bound();
    bounded_->given_up.left_out = n;
}

void Tables::set_full_until(std::uint64_t examples_seen) {
    if (bounded_) {
        bounded_->full_until = examples_seen;
    }
}

bool Tables::has_room_for(nb::handle name, std::optional<std::uint32_t> instead_of) const {
    const PlainKey key = read_name(name);
    if (!bounded_) {
        return true;
    }
    const std::uint64_t room = bounded_->room.names;
    std::uint64_t taken = bounded_->names_cost + cost_of(std::max(key.bytes().size(), usual_name));
    for (std::size_t i = 0; i < keys_.size() && instead_of && taken > room; ++i) {
        const Vocabulary::Entry entry = keys_.entry(i);
        if (space_of(entry) == names_space && entry.index == *instead_of) {
            taken -= cost_of(entry.key.bytes.size());
        }
    }
    return taken <= room;
}

bool Tables::is_full_of_names() const {
    return bounded_ && bounded_->names_cost + cost_of(usual_name) > bounded_->room.names;
}

std::vector<std::uint32_t> Tables::choose(const nb::list& names,
                                          const std::vector<std::uint32_t>& order,
                                          std::size_t max) const {
    std::vector<std::uint32_t> chosen;
    std::uint64_t taken = bounded_ ? bounded_->names_cost : 0;
    for (const std::uint32_t i : order) {
        const std::size_t n_bytes = read_name(names[i]).bytes().size();
        if (chosen.size() < max &&
            (!bounded_ || taken + cost_of(std::max(n_bytes, usual_name)) <= bounded_->room.names)) {
            taken += bounded_ ? cost_of(n_bytes) : 0;
            chosen.push_back(i);
        }
    }
    std::ranges::sort(chosen);
    return chosen;
}

// For `go_back_to`, before anything is taken out.
void Tables::remember() {
    bound();
    if (!bounded_->before) {
        bounded_->before = std::make_shared<const Tables>(*this);
    }
}

void Tables::remove_keys(std::uint32_t space, std::uint32_t index) {
    const auto goes = [&](const Vocabulary::Entry& entry) {
        return (space_of(entry) == space && entry.index == index) ||
               (space == names_space && space_of(entry) == categories_space + index);
    };
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (const Vocabulary::Entry entry = keys_.entry(i); goes(entry)) {
            count(space_of(entry), entry.key.bytes.size(), false);
        }
    }
    keys_.remove_if(goes);
}

void Tables::index_labels() {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (const Vocabulary::Entry entry = keys_.entry(i); space_of(entry) == labels_space) {
            labels_[entry.index] = static_cast<std::uint32_t>(i);
        }
    }
}

void Tables::replace_feature(std::uint32_t column, nb::handle name, bool texts,
                             std::optional<std::uint32_t> position) {
    const bool has_name = named_.value_or(false);
    const PlainKey key = has_name ? read_name(name) : PlainKey();
    if (position && (column >= kept().size() || *position >= width() ||
                     std::ranges::find(kept(), *position) != kept().end())) {
        throw nb::value_error("no such position, or its feature has a column");
    }
    remember();
    remove_keys(names_space, column);
    if (has_name) {
        add(names_space, key, column);
    }
    if (position) {
        bounded_->kept[column] = *position;
    }
    index_labels();
    n_categories_[column] = texts ? 0 : no_texts;
    ++bounded_->given_up.forgotten_features;
}

void Tables::begin_sieve(std::uint32_t n_slots, std::uint32_t n_columns) {
    bound();
    bounded_->sieve.make(n_slots, n_columns);
}

void Tables::answer_call(std::uint32_t id, std::optional<std::uint32_t> column) {
    if (has_calls()) {
        remember();
        sieve()->answer(id, column);
    }
}

Tables Tables::without_sieve() const {
    Tables tables = *this;
    if (tables.bounded_) {
        tables.bounded_->sieve.reset();
    }
    return tables;
}

void Tables::replace_label(std::uint32_t index, nb::handle label) {
    const PlainKey key = read_label(label);
    remember();
    let_wait(digest_of_label(read_label(this->label(index))));
    remove_keys(labels_space, index);
    add(labels_space, key, index);
    index_labels();
    ++bounded_->given_up.forgotten_classes;
}

void Tables::let_wait(std::uint32_t digest) {
    std::vector<std::uint32_t>& waiting = bounded_->waiting;
    waiting.insert(waiting.begin(), digest);
    waiting.resize(std::min(waiting.size(), std::size_t{bounded_->room.n_waiting}));
    set_capacity(waiting, capacity_for(waiting.size(), waiting_step));
}

// Whether it waits; it does no longer.
bool Tables::let_in(std::uint32_t digest) {
    std::vector<std::uint32_t>& waiting = bounded_->waiting;
    const bool waits = std::erase(waiting, digest) > 0;
    set_capacity(waiting, capacity_for(waiting.size(), waiting_step));
    return waits;
}

bool Tables::has_waited(nb::handle name) {
    const auto digest = static_cast<std::uint32_t>(read_name(name).digest());
    bound();
    if (let_in(digest)) {
        --bounded_->given_up.passed_over;
        return true;
    }
    ++bounded_->given_up.passed_over;
    let_wait(digest);
    return false;
}

bool Tables::has_given_way(nb::handle label) {
    bound();
    return let_in(digest_of_label(read_label(label)));
}

void Tables::set_newcomer(std::optional<std::uint32_t> index) {
    bound();
    bounded_->newcomer = index.value_or(no_class);
}

void Tables::keep(std::size_t width, std::vector<std::uint32_t> positions) {
    std::vector<std::uint32_t> ascending = positions;
    std::ranges::sort(ascending);
    if (std::ranges::adjacent_find(ascending) != ascending.end() || ascending.empty() ||
        ascending.back() >= width) {
        throw nb::value_error("positions must differ and be within the row");
    }
    set_capacity(positions, capacity_for(positions.size(), feature_step));
    bound();
    bounded_->kept = std::move(positions);
    bounded_->width = static_cast<std::uint32_t>(width);
}

bool Tables::has_given_up() const {
    return given_up().is_serious() || std::ranges::any_of(n_categories_, [](std::uint32_t n) {
               return n != no_texts && (n & closed_bit) != 0;
           });
}

nb::tuple Tables::crowd() const {
    nb::list closed;
    nb::list ever_new;
    for (std::size_t column = 0; column < n_features(); ++column) {
        if (is_closed(column)) {
            closed.append(column);
        }
        if (is_ever_new(column)) {
            ever_new.append(column);
        }
    }
    const auto as_list = [](std::span<const std::uint32_t> numbers) {
        nb::list result;
        for (const std::uint32_t number : numbers) {
            result.append(number);
        }
        return result;
    };
    const auto as_bytes = [](const std::string& text) {
        return nb::bytes(text.data(), text.size());
    };
    const GivenUp counts = given_up();
    return nb::make_tuple(closed, ever_new, bounded_ ? as_list(bounded_->waiting) : nb::list(),
                          kept().empty() ? 0 : width(), as_list(kept()),
                          nb::make_tuple(counts.forgotten_features, counts.forgotten_classes,
                                         counts.left_out, counts.passed_over),
                          newcomer(),
                          sieve() == nullptr ? nb::bytes("", 0) : as_bytes(sieve()->to_bytes()));
}

void Tables::restore(const nb::tuple& crowd) {
    if (crowd.size() != 8 || nb::cast<nb::tuple>(crowd[5]).size() != 4) {
        throw nb::value_error("these are no counts and positions");
    }
    for (const nb::handle entry : nb::cast<nb::list>(crowd[0])) {
        const auto column = nb::cast<std::size_t>(entry);
        if (column >= n_features() || !has_texts(column)) {
            throw nb::value_error("a feature without categories has too many");
        }
        n_categories_[column] |= closed_bit;
    }
    for (const nb::handle entry : nb::cast<nb::list>(crowd[1])) {
        const auto column = nb::cast<std::size_t>(entry);
        if (column >= n_features() || !is_closed(column)) {
            throw nb::value_error("a feature that has room for categories has too many");
        }
        n_categories_[column] |= ever_new_bit;
    }
    if (crowd.equal(Tables().crowd())) {
        return;
    }
    bound();
    for (const nb::handle digest : nb::cast<nb::list>(crowd[2])) {
        bounded_->waiting.push_back(nb::cast<std::uint32_t>(digest));
    }
    set_capacity(bounded_->waiting, capacity_for(bounded_->waiting.size(), waiting_step));
    std::vector<std::uint32_t> positions;
    for (const nb::handle position : nb::cast<nb::list>(crowd[4])) {
        positions.push_back(nb::cast<std::uint32_t>(position));
    }
    if (!positions.empty()) {
        keep(nb::cast<std::size_t>(crowd[3]), std::move(positions));
        if (kept().size() != n_features()) {
            throw nb::value_error("features and their positions differ in number");
        }
    }
    const auto counts = nb::cast<nb::tuple>(crowd[5]);
    bounded_->given_up = {.forgotten_features = nb::cast<std::uint64_t>(counts[0]),
                          .forgotten_classes = nb::cast<std::uint64_t>(counts[1]),
                          .left_out = nb::cast<std::uint64_t>(counts[2]),
                          .passed_over = nb::cast<std::uint64_t>(counts[3])};
    set_newcomer(nb::cast<std::optional<std::uint32_t>>(crowd[6]));
    if (newcomer() && *newcomer() >= n_classes()) {
        throw nb::value_error("there is no such class");
    }
    const std::uint64_t n_waiting = bounded_->waiting.size();
    const std::uint64_t n_names = std::min(given_up().passed_over, n_waiting);
    if (n_waiting - n_names > given_up().forgotten_classes) {
        throw nb::value_error("more wait than came");
    }
    const auto sieve = nb::cast<nb::bytes>(crowd[7]);
    if (sieve.size() > 0) {
        auto read = Sieve::from_bytes({sieve.c_str(), sieve.size()}, n_features());
        if (!read) {
            throw nb::value_error("these bytes are no sieve");
        }
        bounded_->sieve.make(std::move(*read));
    }
}

void Tables::settle() {
    if (bounded_) {
        bounded_->before.reset();
    }
}

Tables::Mark Tables::mark() {
    settle();
    return {.n_keys = keys_.size(),
            .n_features = n_features(),
            .named = named_,
            .waiting = bounded_ ? bounded_->waiting : std::vector<std::uint32_t>(),
            .newcomer = newcomer(),
            .given_up = given_up(),
            .has_sieve = sieve() != nullptr};
}

void Tables::go_back_to(const Mark& mark) {
    if (bounded_ && bounded_->before) {
        Tables before = *bounded_->before;
        *this = std::move(before);
    }
    while (keys_.size() > mark.n_keys) {
        const Vocabulary::Entry entry = keys_.entry(keys_.size() - 1);
        const std::uint32_t space = space_of(entry);
        count(space, entry.key.bytes.size(), false);
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
    if (bounded_) {
        bounded_->waiting = mark.waiting;
        set_capacity(bounded_->waiting, capacity_for(mark.waiting.size(), waiting_step));
        set_newcomer(mark.newcomer);
        bounded_->given_up = mark.given_up;
        if (!mark.has_sieve) {
            bounded_->sieve.reset();
        }
        const std::size_t n_kept = std::min(kept().size(), mark.n_features);
        bounded_->width -= static_cast<std::uint32_t>(kept().size() - n_kept);
        bounded_->kept.resize(n_kept);
        set_capacity(bounded_->kept, capacity_for(n_kept, feature_step));
    }
    keys_.shrink();
    fit_features(mark.n_features);
    set_capacity(labels_, capacity_for(n_classes(), label_step));
}

std::size_t Tables::memory_bytes() const {
    std::size_t n_numbers = n_categories_.capacity() + labels_.capacity();
    if (bounded_) {
        n_numbers += bounded_->waiting.capacity() + bounded_->kept.capacity();
    }
    return nominal_.capacity() + n_numbers * sizeof(std::uint32_t) + keys_.memory_bytes() +
           (bounded_ ? sizeof(Bounded) + allocator_bytes : 0) +
           (sieve() != nullptr ? sieve()->memory_bytes() : 0);
}

}  // namespace shrubs::bindings
