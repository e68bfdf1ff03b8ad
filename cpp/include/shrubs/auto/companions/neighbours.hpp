#pragma once

// The last examples in bytes: those nearest to an example vote for its class. Of many features, the
// examples are compared by those that tell most.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/companions/companion.hpp"
#include "shrubs/auto/config.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// Works on memory that it does not own. A number is a byte: how far it was from the mean when its
/// example came. Distances are sums of squares, so they are whole numbers. n = examples, k =
/// columns: one for each feature that they are compared by.
class Neighbours {
 public:
    struct Memory {
        std::span<std::uint8_t> values;     ///< (k * n,) by column
        std::span<std::uint16_t> labels;    ///< (n,)
        std::span<std::uint16_t> features;  ///< (k,) whose column it is
        std::span<std::uint8_t> tells;      ///< (k,) whether it counts
        std::span<std::uint8_t> asked;      ///< (k,) scratch: the example at hand
    };
    static Memory reserve(Arena& arena, const CompanionSizes& sizes);
    /// Features that examples are compared by.
    static constexpr std::uint64_t n_compared(std::uint64_t n_features) {
        return are_many(n_features) ? most_compared : n_features;
    }
    static constexpr std::uint64_t bytes_per_example(std::uint64_t n_features) {
        return n_compared(n_features) + sizeof(std::uint16_t);
    }
    static constexpr bool recalls = false;
    static constexpr std::size_t object_bytes = 96;
    static constexpr bool serves(Task task) { return task == Task::classification; }

    /// Compares by features evenly spread, until some are known to tell more.
    void begin(const Memory& memory, const CompanionSizes& sizes);
    static const char* name() { return "nearest neighbours"; }

    /// Shares of the classes among the nearest; uniform before the first example.
    void predict(const Question& question, std::span<double> scratch,
                 std::span<float> prediction) const;
    /// Keeps the example that was predicted last.
    void learn(const Question& /*question*/, const Lesson& lesson) { add(lesson.label); }

    /// Compares by these features alone, at most k; by all that have columns if there are none. The
    /// values of one that had no column are taken from the window, as far as it goes back.
    void compare_by(std::span<const std::uint16_t> features, const Window& window,
                    const FeatureScale& scale);

    void forget_feature(std::size_t feature);
    /// Examples of it stay, but do not vote.
    void renumber_classes(ClassNumbers now);

    void archive(Archive& archive);
    void copy_from(const Neighbours& other);

    // What a prediction is made of.

    static constexpr std::uint32_t most_compared = 16;  ///< of many features
    static constexpr std::uint32_t max_compared = std::max(most_compared, most_sampled);
    static constexpr std::uint32_t unit = 42;  ///< a deviation
    /// How far a missing value is from any other, and a category from another.
    static constexpr std::uint32_t far = unit * unit;
    static constexpr std::uint8_t missing = 255;
    static constexpr std::uint32_t n_categories = 128;
    /// The nearest first; of equally near ones the newest.
    static constexpr std::array<double, 5> votes = {1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0,
                                                    1.0 / 5.0};
    static constexpr double prior = 0.25;  ///< spread evenly
    static constexpr std::uint16_t nobody = 0xFFFF;
    static_assert(limits::classes <= nobody);

    std::uint32_t size() const { return size_; }
    /// Of the example that came so many examples ago.
    std::uint16_t label(std::uint32_t back) const { return memory_.labels[slot(back)]; }
    std::uint8_t value(std::uint32_t back, std::size_t column) const {
        return values(column)[slot(back)];
    }
    std::span<const std::uint16_t> features() const { return memory_.features; }
    bool tells(std::size_t column) const { return memory_.tells[column] != 0; }

 private:
    std::uint32_t capacity() const { return static_cast<std::uint32_t>(memory_.labels.size()); }
    std::uint32_t slot(std::uint32_t back) const {
        return next_ > back ? next_ - 1 - back : next_ + capacity() - 1 - back;
    }
    std::span<std::uint8_t> values(std::size_t column) const {
        return memory_.values.subspan(column * capacity(), capacity());
    }
    /// k if the feature has none.
    std::size_t column_of(std::size_t feature) const;
    void give_column(std::size_t column, std::uint16_t feature, const Window& window,
                     const FeatureScale& scale);
    void measure(const FeatureScale& scale, std::size_t first,
                 std::span<std::uint32_t> distances) const;
    void add(std::uint16_t label);

    Memory memory_;
    std::uint32_t n_features_ = 0;
    std::uint32_t n_classes_ = 0;
    std::uint32_t size_ = 0;
    std::uint32_t next_ = 0;  ///< the slot of the next example
};

}  // namespace shrubs
