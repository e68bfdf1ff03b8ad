// What gives way in tables of bounded room, and who waits for a place in them.

#include <algorithm>

#include "bindings.hpp"
#include "tables.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

// A name and a label of the same text are two that wait.
std::uint32_t digest_of_label(const PlainKey& label) {
    return ~static_cast<std::uint32_t>(label.digest());
}

}  // namespace

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
            labels_[entry.index] =
                static_cast<std::uint32_t>(i) | (labels_[entry.index] & once_bit);
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
    note(index);
    index_labels();
    ++bounded_->given_up.forgotten_classes;
}

std::vector<std::int64_t> Tables::remove_labels(const std::vector<std::uint32_t>& indices) {
    remember();
    std::vector<std::int64_t> now(n_classes());
    for (const std::uint32_t index : indices) {
        let_wait(digest_of_label(read_label(label(index))));
        now[index] = -1;
        ++bounded_->given_up.forgotten_classes;
    }
    const std::size_t n_kept = n_classes() - indices.size();
    std::size_t next_free = 0;
    std::vector<std::uint32_t> moved(n_kept);
    for (std::size_t c = 0; c < n_classes(); ++c) {
        if (now[c] == -1) {
            continue;
        }
        now[c] = static_cast<std::int64_t>(c);
        if (c >= n_kept) {
            while (now[next_free] != -1) {
                ++next_free;
            }
            now[c] = static_cast<std::int64_t>(next_free++);
        }
        moved[now[c]] = labels_[c];
    }
    labels_ = std::move(moved);
    set_capacity(labels_, capacity_for(n_kept, label_step));
    keys_.renumber([&](const Vocabulary::Entry& entry) -> std::optional<std::uint32_t> {
        if (space_of(entry) != labels_space) {
            return entry.index;
        }
        return now[entry.index] == -1 ? std::nullopt
                                      : std::optional(static_cast<std::uint32_t>(now[entry.index]));
    });
    index_labels();
    if (newcomer()) {
        const std::int64_t number = now[*newcomer()];
        set_newcomer(number == -1 ? std::nullopt
                                  : std::optional(static_cast<std::uint32_t>(number)));
    }
    return now;
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

bool Tables::has_given_up() const {
    return given_up().is_serious() || std::ranges::any_of(n_categories_, [](std::uint32_t n) {
               return n != no_texts && (n & closed_bit) != 0;
           });
}

}  // namespace shrubs::bindings
