#pragma once

// The last examples in bytes: those nearest to an example vote for its class.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/companions/companion.hpp"

namespace shrubs {

/// Works on memory that it does not own. A number is a byte: how far it was from the mean when its
/// example came. Distances are sums of squares, so they are whole numbers. n = examples.
class Neighbours {
 public:
    struct Memory {
        std::span<std::uint8_t> values;   ///< (d * n,) by feature
        std::span<std::uint16_t> labels;  ///< (n,)
        std::span<std::uint8_t> asked;    ///< (d,) scratch: the example at hand
    };
    static Memory reserve(Arena& arena, const CompanionSizes& sizes);
    static constexpr std::uint64_t bytes_per_example(std::uint64_t n_features) {
        return n_features + sizeof(std::uint16_t);
    }
    static constexpr bool recalls = false;
    static constexpr std::size_t object_bytes = 64;
    static constexpr bool serves(Task task) { return task == Task::classification; }

    void begin(const Memory& memory, const CompanionSizes& sizes) {
        memory_ = memory;
        n_classes_ = sizes.width;
    }
    static const char* name() { return "nearest neighbours"; }

    /// Shares of the classes among the nearest; uniform before the first example.
    void predict(const Question& question, std::span<double> scratch,
                 std::span<float> prediction) const;
    /// Keeps the example that was predicted last.
    void learn(const Question& /*question*/, const Lesson& lesson) { add(lesson.label); }

    void forget_feature(std::size_t feature);
    /// Examples of it stay, but do not vote.
    void renumber_classes(ClassNumbers now);

    void archive(Archive& archive);
    void copy_from(const Neighbours& other);

    // What a prediction is made of.

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
    std::uint8_t value(std::uint32_t back, std::size_t feature) const {
        return column(feature)[slot(back)];
    }

 private:
    std::uint32_t capacity() const { return static_cast<std::uint32_t>(memory_.labels.size()); }
    std::uint32_t slot(std::uint32_t back) const {
        return next_ > back ? next_ - 1 - back : next_ + capacity() - 1 - back;
    }
    std::span<std::uint8_t> column(std::size_t feature) const {
        return memory_.values.subspan(feature * capacity(), capacity());
    }
    void measure(const FeatureScale& scale, std::size_t first,
                 std::span<std::uint32_t> distances) const;
    void add(std::uint16_t label);

    Memory memory_;
    std::uint32_t n_classes_ = 0;
    std::uint32_t size_ = 0;
    std::uint32_t next_ = 0;  ///< the slot of the next example
};

}  // namespace shrubs
