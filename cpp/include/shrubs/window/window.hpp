#pragma once

// The last `window_size` examples; the oldest leaves first.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/memory/arena.hpp"
#include "shrubs/state/archive.hpp"
#include "shrubs/window/class_numbers.hpp"
#include "shrubs/window/dimensions.hpp"
#include "shrubs/window/example.hpp"

namespace shrubs {

/// A ring of slots over memory that it does not own.
///
/// With `sorted`, values are stored by feature, and each feature also keeps its slots ordered by
/// (value, arrival), missing values last, so that no shrub has to sort again. Without, values are
/// stored by example, so that many features are looked at side by side:
///
///     values  | feature 0: B values | feature 1: B values | ...
///     sorted  | feature 0: n slots  | feature 1: n slots  | ...   (B places each)
///
///     values  | slot 0: d values | slot 1: d values | ...         (without `sorted`)
///
/// With `rows`, each feature also counts its different values, and features of two values are kept
/// as bytes by example: `value > pivot`, where the pivot is the lower value, which `n_lower`
/// examples have. While a feature keeps its two values, its slots are put in order only when
/// somebody asks for them.
class Window {
 public:
    struct Memory {
        std::span<float> values;                   ///< (n_features * window_size,)
        std::span<std::uint16_t> labels;           ///< (window_size,), classification
        std::span<double> targets;                 ///< (window_size,), regression
        std::span<std::uint16_t> sorted;           ///< (n_features * window_size,) or empty
        std::span<std::uint8_t> nominal;           ///< (n_features,), 1 for nominal features
        std::span<std::uint16_t> n_distinct = {};  ///< (n_features,) or empty
        std::span<float> pivots = {};              ///< (n_features,) or empty
        std::span<std::uint16_t> n_lower = {};     ///< (n_features,) or empty; 0: not known
        /// (n_features,) or empty; the upper one of two values, missing if slots are in order
        std::span<float> uppers = {};
        std::span<std::uint8_t> rows = {};  ///< (window_size * row_stride(n_features),) or empty
    };

    struct Sizes {
        Task task = Task::classification;
        std::uint32_t window_size = 0;
        std::uint32_t n_features = 0;
        bool is_sorted = false;
        bool has_rows = false;
    };
    static Memory reserve(Arena& arena, const Sizes& sizes);

    Window() = default;
    Window(const Memory& memory, std::uint32_t window_size, std::uint32_t n_features);

    std::uint32_t size() const { return size_; }
    std::uint32_t capacity() const { return window_size_; }
    bool is_full() const { return size_ == window_size_; }
    std::uint32_t n_features() const { return n_features_; }
    bool is_sorted() const { return !memory_.sorted.empty(); }

    /// How many examples were ever added.
    std::uint64_t n_added() const { return n_added_; }

    /// The slot of the `age`-th oldest example; all are below `size()`.
    std::uint32_t slot(std::uint32_t age) const {
        const std::uint32_t at = oldest_ + age;
        return at < window_size_ ? at : at - window_size_;
    }

    /// How many examples are older than the one in `slot`.
    std::uint32_t age(std::uint32_t slot) const {
        return slot >= oldest_ ? slot - oldest_ : slot + window_size_ - oldest_;
    }

    /// The values of one feature by slot, however they are stored.
    class Values {
     public:
        Values(const float* first, std::size_t step) : first_(first), step_(step) {}
        float operator[](std::size_t slot) const { return first_[slot * step_]; }

     private:
        const float* first_;
        std::size_t step_;
    };
    Values values(std::uint32_t feature) const {
        return {memory_.values.data() + place(0, feature), is_sorted() ? 1U : n_features_};
    }
    /// The values of one feature by slot. Requires `is_sorted()`.
    std::span<const float> column(std::uint32_t feature) const {
        return memory_.values.subspan(std::size_t{feature} * window_size_, window_size_);
    }
    /// The features of the example in `slot`. Requires that `is_sorted()` is false.
    const float* row(std::uint32_t slot) const {
        return memory_.values.data() + std::size_t{slot} * n_features_;
    }
    /// The slots of a feature in ascending order of (value, arrival).
    std::span<const std::uint16_t> sorted(std::uint32_t feature) const {
        if (is_behind(feature)) {
            catch_up(feature);
        }
        return memory_.sorted.subspan(std::size_t{feature} * window_size_, size_);
    }
    /// How many different values a feature has, missing ones not counted.
    std::uint32_t n_distinct(std::uint32_t feature) const { return memory_.n_distinct[feature]; }
    bool has_missing(std::uint32_t feature) const;
    /// The lowest and the highest value of a feature, missing ones being the highest. Requires an
    /// example.
    float lowest(std::uint32_t feature) const {
        return is_behind(feature) && n_distinct(feature) == 2
                   ? memory_.pivots[feature]
                   : column(feature)[sorted(feature).front()];
    }
    float highest(std::uint32_t feature) const {
        return is_behind(feature) && n_distinct(feature) == 2
                   ? memory_.uppers[feature]
                   : column(feature)[sorted(feature).back()];
    }
    /// For features of two different values and for those alone: 1 if the example has the upper
    /// one, otherwise 0.
    const std::uint8_t* byte_row(std::uint32_t slot) const {
        return memory_.rows.data() + slot * row_stride();
    }
    std::size_t row_stride() const { return row_stride(n_features_); }
    static constexpr std::size_t row_stride(std::size_t n_features) {
        return (n_features + 7) / 8 * 8;
    }
    std::span<const std::uint8_t> nominal() const { return memory_.nominal; }
    bool is_nominal(std::uint32_t feature) const { return memory_.nominal[feature] != 0; }
    std::span<const std::uint16_t> labels() const { return memory_.labels; }
    std::span<const double> targets() const { return memory_.targets; }

    /// The features of the example in `slot`, `(n_features,)`.
    void copy_example(std::uint32_t slot, std::span<float> x) const;

    /// The examples, oldest first. `row` is scratch, `(n_features,)`; labels are below `n_classes`.
    /// Reading requires an empty window.
    void archive(Archive& archive, std::uint32_t n_classes, std::span<float> row);
    /// Appends the last examples of `other` that fit; features that it does not have are missing.
    void copy_from(const Window& other, std::span<float> row);
    /// Takes over labels and targets of a window of the same capacity, without their features.
    void copy_outcomes_from(const Window& other);

    /// Adds an example in the slot that is returned: that of the oldest one if the window is full.
    std::uint32_t add(const Example& example);
    /// Makes all values of a feature missing. Requires that `is_sorted()` is false.
    void forget_feature(std::uint32_t feature);
    bool has_values(std::uint32_t feature) const;
    /// Takes out the examples of classes that go. Requires that `is_sorted()` is false.
    void renumber_classes(ClassNumbers now);

 private:
    // Where a value is stored.
    std::size_t place(std::uint32_t slot, std::uint32_t feature) const {
        return is_sorted() ? std::size_t{feature} * window_size_ + slot
                           : std::size_t{slot} * n_features_ + feature;
    }
    std::uint16_t* sorted_from(std::uint32_t feature) const {
        return memory_.sorted.data() + std::size_t{feature} * window_size_;
    }
    void insert_sorted(std::uint32_t feature, std::uint32_t slot);
    // The place of the oldest value, and how many values are at most the new one.
    struct Move {
        std::uint32_t from;
        std::uint32_t to;
    };
    void slide_sorted(std::uint32_t slot, std::span<const float> x);
    Move find_move(std::uint32_t feature, std::uint32_t slot, float value) const;
    // Whether a feature keeps its two values, so that its slots need not be in order.
    bool is_behind(std::uint32_t feature) const {
        return has_rows() && memory_.uppers[feature] == memory_.uppers[feature];
    }
    void catch_up(std::uint32_t feature) const;
    bool is_one_of_two(std::uint32_t feature, float value);
    void replace_one_of_two(std::uint32_t feature, std::uint32_t slot, float value);
    void count_distinct(std::uint32_t feature, const Move& move, float value);
    void encode(std::uint32_t slot, std::span<const float> x);
    bool has_rows() const { return !memory_.n_distinct.empty(); }
    void recode(std::uint32_t feature);

    Memory memory_;
    std::uint32_t window_size_ = 0;
    std::uint32_t n_features_ = 0;
    std::uint32_t oldest_ = 0;
    std::uint32_t size_ = 0;
    std::uint64_t n_added_ = 0;
};

}  // namespace shrubs
