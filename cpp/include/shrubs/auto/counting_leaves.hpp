#pragma once

// Leaves that go on learning after their shrub was grown: class counts, or a mean.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>

#include "shrubs/auto/config.hpp"
#include "shrubs/simd/floats.hpp"
#include "shrubs/window/class_numbers.hpp"

namespace shrubs {

/// A view of leaves for classification: counts of classes, a byte each.
///
///     | count of class 0 | count of class 1 | ...           up to `most_dense` classes
///     | class | class | class | count | count | count |     more: the classes that come most
///
/// Where a leaf has no room for a class, the rarest one that it counts gives way by one example.
/// Beyond `max_in_leaf` examples all counts are halved, so that no leaf stops learning.
class CountingLeaves {
 public:
    static constexpr std::size_t n_slots = 3;
    static constexpr std::size_t most_dense = 2 * n_slots;
    /// Bytes of one leaf.
    static constexpr std::size_t bytes(std::size_t n_classes) {
        return n_classes <= most_dense ? n_classes : n_slots * (label_bytes(n_classes) + 1);
    }

    CountingLeaves(std::byte* leaves, std::size_t n_classes)
        : leaves_(reinterpret_cast<std::uint8_t*>(leaves)), n_classes_(n_classes) {}

    /// Calls `visit(label, count)` for the classes that are counted.
    template <class Visit>
    void for_each(std::uint32_t leaf, Visit visit) const {
        const std::uint8_t* counts = counts_of(leaf);
        for (std::size_t slot = 0; slot < n_counts(); ++slot) {
            if (counts[slot] != 0) {
                visit(label_at(leaf, slot), counts[slot]);
            }
        }
    }
    /// Adds what leaves count, from the first to the last.
    void add_to(std::span<std::uint32_t> sums, std::uint32_t first, std::uint32_t last) const {
        if (!is_dense()) {
            for (std::uint32_t leaf = first; leaf <= last; ++leaf) {
                for_each(leaf, [&](std::uint16_t label, std::uint32_t n) { sums[label] += n; });
            }
            return;
        }
        for (std::size_t c = 0; c < n_classes_; ++c) {
            std::uint32_t sum = 0;
            for (std::uint32_t leaf = first; leaf <= last; ++leaf) {
                sum += at(leaf)[c];
            }
            sums[c] += sum;
        }
    }
    std::uint32_t count(std::uint32_t leaf, std::uint16_t label) const {
        std::uint32_t found = 0;
        for_each(leaf, [&](std::uint16_t c, std::uint32_t n) { found += c == label ? n : 0; });
        return found;
    }
    /// Examples in a leaf.
    std::uint32_t total(std::uint32_t leaf) const {
        const std::uint8_t* counts = counts_of(leaf);
        static_assert(n_slots == 3);  // too few for a loop
        return is_dense() ? std::accumulate(counts, counts + n_classes_, 0U)
                          : std::uint32_t{counts[0]} + counts[1] + counts[2];
    }
    /// Whether it counts no class twice, and knows none that there is not, not even in a free slot.
    bool is_valid(std::uint32_t leaf) const {
        bool valid = total(leaf) <= max_in_leaf;
        for_each(leaf, [&](std::uint16_t label, std::uint32_t n) {
            valid = valid && count(leaf, label) == n;
        });
        for (std::size_t slot = 0; slot < n_counts(); ++slot) {
            valid = valid && label_at(leaf, slot) < n_classes_;
        }
        return valid;
    }

    void clear(std::uint32_t leaf) const { std::fill_n(at(leaf), bytes(n_classes_), 0); }
    /// Adds a class that is not counted yet, if there is room or a rarer one.
    void put(std::uint32_t leaf, std::uint16_t label, std::uint32_t count) const {
        const std::size_t slot = is_dense() ? label : rarest(leaf);
        if (count > counts_of(leaf)[slot]) {
            set(leaf, slot, label, count);
        }
    }
    /// A leaf of so many examples of one class.
    void begin(std::uint32_t leaf, std::uint16_t label, std::uint32_t n) const {
        clear(leaf);
        set(leaf, is_dense() ? label : 0, label, n >> n_halvings(n));
    }
    /// A leaf of so many examples of each class.
    void begin(std::uint32_t leaf, std::span<const std::uint32_t> counts) const {
        std::uint32_t n = 0;
        for (const std::uint32_t count : counts) {
            n += count;
        }
        const std::uint32_t halvings = n_halvings(n);
        clear(leaf);
        for (std::size_t c = 0; c < counts.size(); ++c) {
            if (counts[c] != 0) {
                put(leaf, static_cast<std::uint16_t>(c), counts[c] >> halvings);
            }
        }
    }
    void renumber_classes(std::uint32_t leaf, ClassNumbers now) const {
        if (is_dense()) {
            renumber_rows<std::uint8_t>({at(leaf), n_classes_}, now, 0);
            return;
        }
        for (std::size_t slot = 0; slot < n_slots; ++slot) {
            const std::uint16_t label = label_at(leaf, slot);
            if (now[label] == gone_class) {
                counts_of(leaf)[slot] = 0;
            } else {
                set(leaf, slot, now[label], counts_of(leaf)[slot]);
            }
        }
    }
    void copy_within(std::uint32_t leaf, std::uint32_t from) const {
        std::copy_n(at(from), bytes(n_classes_), at(leaf));
    }
    /// What a leaf of other classes counts, the first of them the same.
    void copy_from(std::uint32_t leaf, const CountingLeaves& other, std::uint32_t from) const {
        clear(leaf);
        other.for_each(from,
                       [&](std::uint16_t label, std::uint32_t count) { put(leaf, label, count); });
    }

    /// Shares of the classes, with half an example spread evenly over them.
    void predict(std::uint32_t leaf, std::span<float> shares) const {
        const double scale = 1.0 / (total(leaf) + prior);
        const double each = prior / static_cast<double>(n_classes_);
        const auto share = [&](std::uint32_t count) {
            return static_cast<float>((count + each) * scale);
        };
        if (is_dense()) {
            std::transform(at(leaf), at(leaf) + n_classes_, shares.begin(), share);
            return;
        }
        // More counts make a larger share, so that a free slot changes none.
        fill(shares, share(0));
        const std::uint8_t* counts = counts_of(leaf);
        for (std::size_t slot = 0; slot < n_slots; ++slot) {
            float& its_share = shares[label_at(leaf, slot)];
            its_share = std::max(its_share, share(counts[slot]));
        }
    }
    void learn(std::uint32_t leaf, std::uint16_t label) const {
        std::uint8_t* counts = counts_of(leaf);
        const std::size_t slot = slot_for(leaf, label);
        if (label_at(leaf, slot) != label) {
            if (counts[slot] > 1) {
                --counts[slot];
                return;
            }
            set(leaf, slot, label, 0);
        }
        ++counts[slot];
        if (total(leaf) > max_in_leaf) {
            for (std::size_t i = 0; i < n_counts(); ++i) {
                counts[i] /= 2;
            }
        }
    }

 private:
    static constexpr double prior = 0.5;
    // Of more classes than four; the last four of them may begin before those before them end.
    static void fill(std::span<float> shares, float share) {
        static_assert(most_dense >= FourFloats::size);
        const auto four = FourFloats::all(share);
        for (std::size_t c = 0; c + FourFloats::size < shares.size(); c += FourFloats::size) {
            four.store(shares.data() + c);
        }
        four.store(shares.data() + shares.size() - FourFloats::size);
    }
    static constexpr std::size_t label_bytes(std::size_t n_classes) {
        return n_classes <= 256 ? 1 : 2;
    }
    static std::uint32_t n_halvings(std::uint32_t n) {
        std::uint32_t halvings = 0;
        while (n >> halvings > max_in_leaf) {
            ++halvings;
        }
        return halvings;
    }
    bool is_dense() const { return n_classes_ <= most_dense; }
    std::size_t n_counts() const { return is_dense() ? n_classes_ : n_slots; }
    std::uint8_t* at(std::uint32_t leaf) const { return leaves_ + leaf * bytes(n_classes_); }
    std::uint8_t* counts_of(std::uint32_t leaf) const {
        return at(leaf) + (is_dense() ? 0 : n_slots * label_bytes(n_classes_));
    }
    std::uint16_t label_at(std::uint32_t leaf, std::size_t slot) const {
        if (is_dense()) {
            return static_cast<std::uint16_t>(slot);
        }
        const std::uint8_t* labels = at(leaf);
        if (label_bytes(n_classes_) == 1) {
            return labels[slot];
        }
        std::uint16_t label = 0;
        std::memcpy(&label, labels + slot * sizeof label, sizeof label);
        return label;
    }
    void set(std::uint32_t leaf, std::size_t slot, std::uint16_t label, std::uint32_t count) const {
        counts_of(leaf)[slot] = static_cast<std::uint8_t>(count);
        if (!is_dense()) {
            const std::size_t n_bytes = label_bytes(n_classes_);
            std::memcpy(at(leaf) + slot * n_bytes, &label, n_bytes);
        }
    }
    // Where a class is counted, or could be.
    std::size_t slot_for(std::uint32_t leaf, std::uint16_t label) const {
        for (std::size_t slot = 0; slot < n_slots && !is_dense(); ++slot) {
            if (label_at(leaf, slot) == label && counts_of(leaf)[slot] != 0) {
                return slot;
            }
        }
        return is_dense() ? label : rarest(leaf);
    }
    std::size_t rarest(std::uint32_t leaf) const {
        const std::uint8_t* counts = counts_of(leaf);
        return static_cast<std::size_t>(std::min_element(counts, counts + n_slots) - counts);
    }

    std::uint8_t* leaves_;
    std::size_t n_classes_;
};

/// A view of one shrub's leaves for regression: the mean of the last targets, and their number.
class AveragingLeaves {
 public:
    explicit AveragingLeaves(std::byte* leaves) : leaves_(leaves) {}

    double mean(std::uint32_t leaf) const {
        double value = 0.0;
        std::memcpy(&value, at(leaf), sizeof value);
        return value;
    }
    std::uint16_t count(std::uint32_t leaf) const {
        std::uint16_t value = 0;
        std::memcpy(&value, at(leaf) + sizeof(double), sizeof value);
        return value;
    }
    void set(std::uint32_t leaf, double mean, std::uint16_t count) const {
        std::memcpy(at(leaf), &mean, sizeof mean);
        std::memcpy(at(leaf) + sizeof mean, &count, sizeof count);
    }
    void learn(std::uint32_t leaf, double target) const {
        const std::uint32_t n = std::min<std::uint32_t>(count(leaf) + 1U, longest_mean);
        const double share = 1.0 / n;
        set(leaf, mean(leaf) * (1.0 - share) + target * share, static_cast<std::uint16_t>(n));
    }

 private:
    static constexpr std::size_t leaf_bytes = sizeof(double) + sizeof(std::uint16_t);
    std::byte* at(std::uint32_t leaf) const { return leaves_ + leaf * leaf_bytes; }

    std::byte* leaves_;
};

}  // namespace shrubs
