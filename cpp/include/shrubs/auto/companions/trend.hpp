#pragma once

// Says that the target changes as it has changed, by a share that is learned.

#include <span>

#include "shrubs/auto/companions/companion.hpp"

namespace shrubs {

/// The share is the slope of each change on the one before, least squares, forgotten slowly: 0 for
/// a random walk, 1 for a line.
class Trend {
 public:
    struct Memory {};
    static Memory reserve(Arena& /*arena*/, const CompanionSizes& /*sizes*/) { return {}; }
    static constexpr bool recalls = true;
    static constexpr std::size_t object_bytes = 16;
    static constexpr bool serves(Task task) { return task == Task::regression; }

    void begin(const Memory& /*memory*/, const CompanionSizes& /*sizes*/) {}
    static const char* name() { return "trend"; }

    void predict(const Question& question, std::span<double> scratch,
                 std::span<float> prediction) const;
    void learn(const Question& question, const Lesson& lesson);

    void forget_feature(std::size_t /*feature*/) {}
    void renumber_classes(ClassNumbers /*now*/) {}

    void archive(Archive& archive);
    void copy_from(const Trend& other) { *this = other; }

 private:
    double products_ = 0.0;  ///< of changes and those before them
    double squares_ = 0.0;   ///< of those before
};

}  // namespace shrubs
