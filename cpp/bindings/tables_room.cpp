// What fits into tables of bounded room.

#include <algorithm>

#include "bindings.hpp"
#include "tables.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

// A feature may have as many categories as if each took so many bytes of the room.
constexpr std::uint64_t category_room = 96;
constexpr std::size_t usual_name = 32;  // while there is no room for one, there is none for others
constexpr std::size_t allocator_bytes = 32;

}  // namespace

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

bool Tables::is_long(const PlainKey& key) const {
    return bounded_ && key.bytes().size() > bounded_->room.longest_key;
}

bool Tables::has_no_room_for(std::size_t column, const PlainKey& category) const {
    return bounded_ &&
           (n_categories_[column] >=
                std::min<std::uint64_t>(first_unnamed, bounded_->room.categories / category_room) ||
            bounded_->categories_cost + cost_of(category.bytes().size()) >
                bounded_->room.categories);
}

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
