#include "shrubs/auto/companions/transitions.hpp"

#include <algorithm>

namespace shrubs {

Transitions::Memory Transitions::reserve(Arena& arena, const CompanionSizes& sizes) {
    const std::uint64_t n_bytes = sizes.n_contexts * CountingLeaves::bytes(sizes.width);
    return {.leaves = arena.array<std::byte>(Purpose::weights, n_bytes)};
}

// A single label is its own context. The last bits tell, as for buckets of categories, so that one
// of few contexts stands for some of many.
std::uint32_t Transitions::context(const LastOutcomes& last) const {
    std::uint32_t key = last.labels[0];
    for (std::uint32_t i = 1; i < n_labels_; ++i) {
        key = key * 0x9E3779B1U + last.labels[i] + 1;
        key ^= key >> 15U;
    }
    return key & (sizes_.n_contexts - 1);
}

void Transitions::predict(const Question& question, std::span<double> /*scratch*/,
                          std::span<float> prediction) const {
    leaves().predict(context(question.last), prediction);
}

void Transitions::learn(const Question& question, const Lesson& lesson) {
    if (question.last.n >= n_labels_) {
        leaves().learn(context(question.last), lesson.label);
    }
}

void Transitions::renumber_classes(ClassNumbers now) {
    for (std::uint32_t i = 0; i < sizes_.n_contexts; ++i) {
        leaves().renumber_classes(i, now);
    }
    // A single label that moves takes its leaf along.
    for (std::uint32_t c = 0; c < std::min<std::size_t>(now.size(), sizes_.n_contexts); ++c) {
        if (n_labels_ == 1 && now[c] != c && now[c] != gone_class) {
            leaves().copy_within(now[c], c);
        }
    }
}

void Transitions::archive(Archive& archive) {
    archive.array(memory_.leaves);
    for (std::uint32_t i = 0; i < sizes_.n_contexts && archive.reads() && archive.ok(); ++i) {
        archive.require(leaves().is_valid(i));
    }
}

void Transitions::copy_from(const Transitions& other) {
    for (std::uint32_t i = 0; i < sizes_.n_contexts && other.sizes_.n_contexts > 0; ++i) {
        leaves().copy_from(i, other.leaves(), i & (other.sizes_.n_contexts - 1));
    }
}

}  // namespace shrubs
