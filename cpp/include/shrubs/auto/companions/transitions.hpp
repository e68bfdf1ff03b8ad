#pragma once

// Counts which label follows which: a leaf for each context of one, two or three labels.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/companions/companion.hpp"
#include "shrubs/auto/counting_leaves.hpp"

namespace shrubs {

/// Works on memory that it does not own. Contexts may share a leaf.
class Transitions {
 public:
    struct Memory {
        std::span<std::byte> leaves;  ///< n_contexts leaves
    };
    static Memory reserve(Arena& arena, const CompanionSizes& sizes);
    static constexpr bool recalls = true;
    static constexpr std::size_t object_bytes = 56;
    static constexpr bool serves(Task task) { return task == Task::classification; }

    Transitions(const char* name, std::uint32_t n_labels) : name_(name), n_labels_(n_labels) {}

    void begin(const Memory& memory, const CompanionSizes& sizes) {
        memory_ = memory;
        sizes_ = sizes;
    }
    const char* name() const { return name_; }

    void predict(const Question& question, std::span<double> scratch,
                 std::span<float> prediction) const;
    void learn(const Question& question, const Lesson& lesson);

    void forget_feature(std::size_t /*feature*/) {}
    /// As those that follow. Where a class came before others, its leaf fades if it goes; and if it
    /// moves, several labels are learned again.
    void renumber_classes(ClassNumbers now);

    void archive(Archive& archive);
    void copy_from(const Transitions& other);

 private:
    CountingLeaves leaves() const { return {memory_.leaves.data(), sizes_.width}; }
    std::uint32_t context(const LastOutcomes& last) const;

    const char* name_;
    std::uint32_t n_labels_;
    Memory memory_;
    CompanionSizes sizes_;
};

}  // namespace shrubs
