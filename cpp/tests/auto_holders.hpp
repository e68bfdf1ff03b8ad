#pragma once

// The learner that needs no tuning and its parts in memory that the tests own.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "holders.hpp"
#include "shrubs/auto/ensemble.hpp"

namespace shrubs {

class ScaleHolder {
 public:
    explicit ScaleHolder(std::vector<std::uint8_t> nominal)
        : nominal_(std::move(nominal)),
          memory_(counted([&](Arena& arena) { FeatureScale::reserve(arena, size()); })) {
        std::ranges::fill(memory_.bytes(), std::byte{0});
        Arena arena(memory_.bytes());
        FeatureScale::Memory memory = FeatureScale::reserve(arena, size());
        memory.nominal = nominal_;
        scale_ = FeatureScale(memory);
        scale_.begin();
    }

    ScaleHolder(const ScaleHolder&) = delete;
    ScaleHolder& operator=(const ScaleHolder&) = delete;

    FeatureScale& scale() { return scale_; }

 private:
    std::uint32_t size() const { return static_cast<std::uint32_t>(nominal_.size()); }

    std::vector<std::uint8_t> nominal_;
    Memory memory_;
    FeatureScale scale_;
};

/// A companion in memory of its own, full of zeros.
template <class Companion>
class CompanionHolder {
 public:
    CompanionHolder(Companion companion, const CompanionSizes& sizes)
        : companion_(companion),
          memory_(counted([&](Arena& arena) { Companion::reserve(arena, sizes); })) {
        std::ranges::fill(memory_.bytes(), std::byte{0});
        Arena arena(memory_.bytes());
        companion_.begin(Companion::reserve(arena, sizes), sizes);
    }

    CompanionHolder(const CompanionHolder&) = delete;
    CompanionHolder& operator=(const CompanionHolder&) = delete;

    Companion& companion() { return companion_; }

 private:
    Companion companion_;
    Memory memory_;
};

inline std::uint32_t count_nominal(std::span<const std::uint8_t> nominal) {
    return static_cast<std::uint32_t>(std::ranges::count(nominal, 1));
}

/// A learner between two fences that it must not touch.
class AutoHolder {
 public:
    AutoHolder(const AutoConfig& config, const Dimensions& dimensions,
               std::vector<std::uint8_t> nominal = {})
        : nominal_(padded(std::move(nominal), dimensions.n_features)),
          words_(make_auto_plan(config, dimensions, count_nominal(nominal_)).total_bytes /
                 sizeof(std::uint64_t)),
          memory_(words_ + 2 * fence_words),
          ensemble_(config, dimensions, nominal_, fenced()) {
        std::fill_n(memory_.begin(), fence_words, fence);
        std::fill_n(memory_.end() - fence_words, fence_words, fence);
    }

    AutoHolder(const AutoHolder&) = delete;
    AutoHolder& operator=(const AutoHolder&) = delete;

    AutoEnsemble& ensemble() { return ensemble_; }
    const std::vector<std::uint8_t>& nominal() const { return nominal_; }
    bool fences_stand() const {
        const auto stands = [](std::uint64_t word) { return word == fence; };
        return std::all_of(memory_.begin(), memory_.begin() + fence_words, stands) &&
               std::all_of(memory_.end() - fence_words, memory_.end(), stands);
    }
    /// Overwrites what means nothing between two calls.
    void scribble_over_scratch() {
        const AutoPlan plan(ensemble_.plan(), {});
        const std::uint64_t bytes = AutoEnsemble::report(plan)[Purpose::scratch];
        std::ranges::fill(fenced().last(bytes), std::byte{0xFF});
    }

 private:
    static constexpr std::ptrdiff_t fence_words = 64;
    static constexpr std::uint64_t fence = 0xFE4CEFE4CEFE4CEFU;

    static std::vector<std::uint8_t> padded(std::vector<std::uint8_t> nominal, std::size_t size) {
        nominal.resize(size, 0);
        return nominal;
    }
    std::span<std::byte> fenced() {
        return std::as_writable_bytes(
            std::span(memory_).subspan(static_cast<std::size_t>(fence_words), words_));
    }

    std::vector<std::uint8_t> nominal_;
    std::size_t words_;
    std::vector<std::uint64_t> memory_;
    AutoEnsemble ensemble_;
};

/// A learner from a state; none if it is refused or needs more than `max_bytes`.
inline std::unique_ptr<AutoHolder> auto_loaded(std::span<const std::byte> state,
                                               std::size_t max_bytes = std::size_t{1} << 22U) {
    const auto header = read_header<AutoEnsemble>(state);
    if (header.error != StateError::none ||
        make_auto_plan(header.config, header.dimensions, count_nominal(header.nominal))
                .total_bytes > max_bytes) {
        return nullptr;
    }
    auto holder = std::make_unique<AutoHolder>(
        header.config, header.dimensions,
        std::vector<std::uint8_t>(header.nominal.begin(), header.nominal.end()));
    const StateError error = load_state(state, header, holder->ensemble());
    return error == StateError::none ? std::move(holder) : nullptr;
}

/// A configuration and the shape of its examples.
struct AutoKind {
    AutoConfig config;
    Dimensions dimensions;
};

/// Small learners of both tasks, with all companions, some and none.
inline std::vector<AutoKind> auto_kinds() {
    constexpr Task classify = Task::classification;
    constexpr Task regress = Task::regression;
    return {{{classify, 1U << 16U, 1}, {3, 2, 0}}, {{classify, 1U << 15U, 2}, {2, 3, 0}},
            {{classify, 20000, 3}, {1, 11, 0}},    {{classify, 1U << 16U, 4}, {70, 3, 0}},
            {{regress, 1U << 16U, 5}, {3, 0, 0}},  {{regress, 14000, 6}, {2, 0, 0}},
            {{regress, 40000, 7}, {60, 0, 0}}};
}

/// A learner that has seen some examples; its last feature is nominal.
inline std::unique_ptr<AutoHolder> auto_taught(const AutoKind& kind, int n_examples = 60) {
    std::vector<std::uint8_t> nominal(kind.dimensions.n_features, 0);
    nominal.back() = 1;
    auto holder = std::make_unique<AutoHolder>(kind.config, kind.dimensions, nominal);
    ExampleSource source(3, kind.dimensions, 8);
    for (int i = 0; i < n_examples; ++i) {
        holder->ensemble().learn(source.next());
    }
    return holder;
}

}  // namespace shrubs
