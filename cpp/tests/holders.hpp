#pragma once

// Windows, shrubs and learners that own their memory, and the random examples they learn from.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "shrubs/growth/grow.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/paper/ensemble.hpp"
#include "shrubs/paper/members.hpp"
#include "shrubs/paper/plan.hpp"
#include "shrubs/paper/windowed_tree.hpp"
#include "shrubs/state/state.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

inline constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// As many bytes as an arena counted, full of garbage.
class Memory {
 public:
    explicit Memory(const MemoryReport& report)
        : words_(report.total() / sizeof(std::uint64_t), 0xA5A5A5A5A5A5A5A5U) {}
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(words_)); }

 private:
    std::vector<std::uint64_t> words_;
};

/// The bytes that `reserve(arena)` counts.
template <class Reserve>
MemoryReport counted(Reserve reserve) {
    Arena counter;
    reserve(counter);
    return counter.report();
}

/// A window for classification (`targets` stay empty) or regression.
class WindowHolder {
 public:
    explicit WindowHolder(const Window::Sizes& sizes, std::vector<std::uint8_t> nominal = {})
        : sizes_(sizes), memory_(counted([&](Arena& arena) { Window::reserve(arena, sizes); })) {
        Arena arena(memory_.bytes());
        const Window::Memory memory = Window::reserve(arena, sizes);
        nominal.resize(sizes.n_features, 0);
        std::ranges::copy(nominal, memory.nominal.begin());
        window_ = Window(memory, sizes.window_size, sizes.n_features);
    }
    WindowHolder(std::uint32_t window_size, const std::vector<std::uint8_t>& nominal,
                 Task task = Task::classification, Splitter splitter = Splitter::best)
        : WindowHolder({.task = task,
                        .window_size = window_size,
                        .n_features = static_cast<std::uint32_t>(nominal.size()),
                        .is_sorted = splitter == Splitter::best},
                       nominal) {}

    WindowHolder(const WindowHolder&) = delete;
    WindowHolder& operator=(const WindowHolder&) = delete;

    Window& window() { return window_; }

    /// Adds an example with a class or a target; the oldest leaves if the window is full.
    std::uint32_t add(const std::vector<float>& x, double y) {
        const auto label =
            static_cast<std::uint16_t>(sizes_.task == Task::classification ? y : 0.0);
        return window_.add({x, label, y});
    }

 private:
    Window::Sizes sizes_;
    Memory memory_;
    Window window_;
};

/// Members and what is needed to grow them one feature after the other, outside a learner.
class MembersHolder {
 public:
    MembersHolder(const Config& config, const Dimensions& dimensions)
        : config_(config),
          plan_(plain(make_plan(config, dimensions).growth)),
          memory_(counted([&](Arena& arena) { reserve(arena); })) {
        Arena arena(memory_.bytes());
        members_ = Members(reserve(arena), plan_.leaves, plan_.node_bytes);
    }

    MembersHolder(const MembersHolder&) = delete;
    MembersHolder& operator=(const MembersHolder&) = delete;

    Members& members() { return members_; }
    std::span<double> centred() { return centred_; }

    /// Grows a shrub on the window and makes it a member; returns its number of inner nodes.
    std::uint32_t grow_member(const Window& window, std::uint64_t example_index,
                              const TargetScale& scale = {}) {
        NewShrub shrub = members_.newcomer();
        grow(window, plan_, {scale, centred_}, Random(config_.seed, example_index), scratch_,
             shrub);
        members_.append(shrub.n_inner, example_index);
        return shrub.n_inner;
    }

 private:
    static GrowthPlan plain(GrowthPlan plan) {
        plan.is_incremental = false;
        return plan;
    }
    Members::Memory reserve(Arena& arena) {
        scratch_ = GrowScratch::reserve(arena, plan_);
        centred_ = arena.array<double>(Purpose::scratch, plan_.window_size);
        return Members::reserve(arena, config_.max_shrubs + 1, plan_);
    }

    Config config_;
    GrowthPlan plan_;
    GrowScratch scratch_;
    std::span<double> centred_;
    Memory memory_;
    Members members_;
};

/// A learner in an arena that held garbage before.
template <class Ensemble>
class HolderOf {
 public:
    HolderOf(const typename Ensemble::Configuration& config, const Dimensions& dimensions,
             std::vector<std::uint8_t> nominal = {})
        : report_(Ensemble::report(config, dimensions)),
          memory_(report_),
          ensemble_(config, dimensions, padded(std::move(nominal), dimensions.n_features),
                    memory_.bytes()) {}

    HolderOf(const HolderOf&) = delete;
    HolderOf& operator=(const HolderOf&) = delete;

    Ensemble& ensemble() { return ensemble_; }
    std::span<std::byte> arena() { return memory_.bytes(); }

    /// Overwrites what means nothing between two calls.
    void scribble_over_scratch() {
        std::ranges::fill(memory_.bytes().last(report_[Purpose::scratch]), std::byte{0xFF});
    }

 private:
    static std::vector<std::uint8_t> padded(std::vector<std::uint8_t> nominal, std::size_t size) {
        nominal.resize(size, 0);
        return nominal;
    }

    MemoryReport report_;
    Memory memory_;
    Ensemble ensemble_;
};

using LearnerHolder = HolderOf<PaperEnsemble>;
using TreeHolder = HolderOf<WindowedTree>;

template <class Ensemble>
std::vector<std::byte> state_of(const Ensemble& ensemble, std::span<const std::byte> tables = {}) {
    std::vector<std::byte> state(state_bytes(ensemble, tables));
    save_state(ensemble, tables, state);
    return state;
}

/// f(x) of a regression.
template <class Ensemble>
double predicted_value(const Ensemble& ensemble, std::span<const float> x) {
    double f = 0.0;
    ensemble.predict(x, {&f, 1});
    return f;
}

/// Random examples of a concept that a tree can learn: the class or target follows the first
/// features. Values repeat, and one in `missing_every` is missing (0: none).
class ExampleSource {
 public:
    ExampleSource(std::uint64_t seed, const Dimensions& dimensions, std::uint32_t missing_every = 0)
        : random_(seed, 0), n_classes_(dimensions.n_classes), missing_every_(missing_every) {
        x_.resize(dimensions.n_features);
    }

    /// A view that is valid until the next call.
    Example next() {
        double score = 0.25 * random_.uniform();
        for (float& value : x_) {
            value = static_cast<float>(random_.below(16)) / 8.0F;
            score += value;
            if (missing_every_ != 0 && random_.below(missing_every_) == 0) {
                value = missing;
            }
        }
        Example example{x_, 0, score};
        if (n_classes_ > 0) {
            example.label =
                static_cast<std::uint16_t>(static_cast<std::uint32_t>(2.0 * score) % n_classes_);
        }
        return example;
    }

 private:
    Random random_;
    std::uint32_t n_classes_;
    std::uint32_t missing_every_;
    std::vector<float> x_;
};

}  // namespace shrubs
