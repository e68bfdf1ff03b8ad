#pragma once

// Says what came last.

#include <span>

#include "shrubs/auto/companions/companion.hpp"

namespace shrubs {

class NoChange {
 public:
    struct Memory {};
    static Memory reserve(Arena& /*arena*/, const CompanionSizes& /*sizes*/) { return {}; }
    static constexpr bool recalls = true;
    static constexpr std::size_t object_bytes = 8;
    static constexpr bool serves(Task) { return true; }

    void begin(const Memory& /*memory*/, const CompanionSizes& sizes) { task_ = sizes.task; }
    static const char* name() { return "no change"; }

    /// Before the first example: equal probabilities, or the mean.
    void predict(const Question& question, std::span<double> scratch,
                 std::span<float> prediction) const;
    void learn(const Question& /*question*/, const Lesson& /*lesson*/) {}

    void forget_feature(std::size_t /*feature*/) {}
    void renumber_classes(ClassNumbers /*now*/) {}

    void archive(Archive& /*archive*/) {}
    void copy_from(const NoChange& /*other*/) {}

 private:
    Task task_ = Task::classification;
};

}  // namespace shrubs
