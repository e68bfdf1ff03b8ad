#include "vocabulary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <stdexcept>

namespace shrubs::bindings {

namespace {

constexpr std::size_t entry_step = 4;
constexpr std::size_t byte_step = 32;

// Nobody can choose keys that all fall into one slot.
const std::uint64_t secret = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) ^ device();
}();

std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15U;
    return h ^ (h >> 32);
}

template <class Word>
std::uint64_t load(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// All bytes, some of them twice: that takes no loop over single ones.
std::uint64_t hash(std::uint32_t list, std::string_view bytes) {
    const char* at = bytes.data();
    const std::size_t n = bytes.size();
    std::uint64_t h = mix(secret + list, n);
    if (n >= 8) {
        for (std::size_t i = 0; i + 8 < n; i += 8) {
            h = mix(h, load<std::uint64_t>(at + i));
        }
        h = mix(h, load<std::uint64_t>(at + n - 8));
    } else if (n >= 4) {
        h = mix(h, load<std::uint32_t>(at) | load<std::uint32_t>(at + n - 4) << 32);
    } else if (n > 0) {
        h = mix(h, load<std::uint8_t>(at) | load<std::uint8_t>(at + n / 2) << 8 |
                       load<std::uint8_t>(at + n - 1) << 16);
    }
    return mix(h, secret);
}

// A power of two, at least a third of them free; none for few keys, which are looked through.
std::size_t n_slots_for(std::size_t n) {
    return n <= Vocabulary::few_keys ? 0 : std::bit_ceil(n + n / 2 + 1);
}

}  // namespace

std::size_t capacity_for(std::size_t n, std::size_t least_step) {
    const std::size_t step = std::max(least_step, std::bit_floor(n) / 4);
    return (n + step - 1) / step * step;
}

std::string_view Vocabulary::bytes_of(std::size_t i) const {
    const std::size_t begin = entries_[i].begin + std::size_t{1};
    const std::size_t end = i + 1 < entries_.size() ? entries_[i + 1].begin : bytes_.size();
    return {bytes_.data() + begin, end - begin};
}

std::size_t Vocabulary::first_slot(List list, std::string_view bytes) const {
    return hash(list, bytes) & (slots_.size() - 1);
}

std::optional<std::uint32_t> Vocabulary::find_among_few(List list, std::string_view bytes) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].list == list && bytes_of(i) == bytes) {
            return entries_[i].index;
        }
    }
    return std::nullopt;
}

std::optional<std::uint32_t> Vocabulary::find(List list, std::string_view bytes) const {
    if (slots_.empty()) {
        return find_among_few(list, bytes);
    }
    for (std::size_t slot = first_slot(list, bytes); slots_[slot] != 0;
         slot = (slot + 1) & (slots_.size() - 1)) {
        const std::size_t i = slots_[slot] - 1;
        if (entries_[i].list == list && bytes_of(i) == bytes) {
            return entries_[i].index;
        }
    }
    return std::nullopt;
}

void Vocabulary::put_into_slots(std::size_t i) {
    if (slots_.empty()) {
        return;
    }
    std::size_t slot = first_slot(entries_[i].list, bytes_of(i));
    while (slots_[slot] != 0) {
        slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
}

void Vocabulary::fit_slots(std::size_t n) {
    if (slots_.size() == n_slots_for(n)) {
        return;
    }
    slots_ = std::vector<std::uint32_t>(n_slots_for(n));
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        put_into_slots(i);
    }
}

void Vocabulary::add(List list, const Key& key, std::uint32_t index) {
    const std::size_t n = entries_.size() + 1;
    const std::size_t n_bytes = bytes_.size() + 1 + key.bytes.size();
    if (n_bytes > UINT32_MAX || n >= UINT32_MAX / 2) {
        throw std::length_error("names, labels and categories take more than 4 GB");
    }
    // First all that may find no memory.
    set_capacity(bytes_, std::max(bytes_.capacity(), capacity_for(n_bytes, byte_step)));
    set_capacity(entries_, std::max(entries_.capacity(), capacity_for(n, entry_step)));
    fit_slots(n);
    entries_.push_back({static_cast<std::uint32_t>(bytes_.size()), list, index});
    bytes_.push_back(static_cast<char>(key.tag));
    bytes_.insert(bytes_.end(), key.bytes.begin(), key.bytes.end());
    put_into_slots(n - 1);
}

Vocabulary::Entry Vocabulary::entry(std::size_t i) const {
    const Place& place = entries_[i];
    return {place.list, place.index, {static_cast<std::uint8_t>(bytes_[place.begin]), bytes_of(i)}};
}

void Vocabulary::remove_last() {
    const std::size_t i = entries_.size() - 1;
    if (!slots_.empty()) {
        std::size_t slot = first_slot(entries_[i].list, bytes_of(i));
        while (slots_[slot] != i + 1) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        slots_[slot] = 0;  // no other key went past it: it was the last to come
    }
    bytes_.resize(entries_[i].begin);
    entries_.pop_back();
}

void Vocabulary::shrink() {
    set_capacity(bytes_, capacity_for(bytes_.size(), byte_step));
    set_capacity(entries_, capacity_for(entries_.size(), entry_step));
    fit_slots(entries_.size());
}

std::size_t Vocabulary::memory_bytes() const {
    return bytes_.capacity() + entries_.capacity() * sizeof(Place) +
           slots_.capacity() * sizeof(std::uint32_t);
}

}  // namespace shrubs::bindings
