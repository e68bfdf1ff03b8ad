#pragma once

// Names, labels and categories as bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shrubs::bindings {

/// Keys with their indices, in one block of bytes for all lists of a learner. Within a list the
/// keys count from 0 in the order in which they came. The bytes it takes follow from its contents
/// alone, not from how they came.
class Vocabulary {
 public:
    /// A key as it is looked up: `tag` is not compared, `bytes` are.
    struct Key {
        std::uint8_t tag = 0;
        std::string_view bytes;
    };
    using List = std::uint32_t;
    /// So many are looked through, without slots.
    static constexpr std::size_t few_keys = 16;

    std::size_t size() const { return entries_.size(); }
    std::optional<std::uint32_t> find(List list, std::string_view bytes) const;

    /// Appends a key that is not in the list yet, under this index.
    void add(List list, const Key& key, std::uint32_t index);

    struct Entry {
        List list;
        std::uint32_t index;
        Key key;
    };
    /// In the order in which they came.
    Entry entry(std::size_t i) const;
    void remove_last();
    /// Takes out the entries of which `removes(entry)` holds; the others move up.
    template <class Removes>
    void remove_if(Removes removes) {
        renumber([&](const Entry& each) {
            return removes(each) ? std::nullopt : std::optional(each.index);
        });
    }
    /// Gives entries the index `index_of(entry)`; those without one go.
    template <class IndexOf>
    void renumber(IndexOf index_of) {
        Vocabulary kept;
        for (std::size_t i = 0; i < size(); ++i) {
            const Entry each = entry(i);
            if (const std::optional<std::uint32_t> index = index_of(each)) {
                kept.add(each.list, each.key, *index);
            }
        }
        *this = std::move(kept);
    }
    /// Gives back what `remove_last` left over.
    void shrink();

    std::size_t memory_bytes() const;

 private:
    struct Place {
        std::uint32_t begin;  ///< of the tag; the bytes follow
        List list;
        std::uint32_t index;
    };
    std::string_view bytes_of(std::size_t i) const;
    std::optional<std::uint32_t> find_among_few(List list, std::string_view bytes) const;
    std::size_t first_slot(List list, std::string_view bytes) const;
    void put_into_slots(std::size_t i);
    void fit_slots(std::size_t n);

    std::vector<Place> entries_;
    std::vector<char> bytes_;
    std::vector<std::uint32_t> slots_;  ///< entry + 1; 0: free
};

/// Elements to reserve for `n`: up to a quarter more, and the same whatever came before.
std::size_t capacity_for(std::size_t n, std::size_t least_step);

/// Brings the capacity of a vector to exactly this.
template <class T>
void set_capacity(std::vector<T>& vector, std::size_t capacity) {
    if (vector.capacity() != capacity) {
        std::vector<T> moved;
        moved.reserve(capacity);
        moved.assign(vector.begin(), vector.end());
        vector.swap(moved);
    }
}

}  // namespace shrubs::bindings
