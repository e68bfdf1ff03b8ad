#pragma once

// Windows, shrubs and learners that own their memory, and the random examples they learn from.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "shrubs/growth/grow.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/paper/ensemble.hpp"
#include "shrubs/paper/members.hpp"
#include "shrubs/paper/plan.hpp"
#include "shrubs/paper/state.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

inline constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// A window for classification (`targets` stay empty) or regression.
class WindowHolder {
 public:
    WindowHolder(std::uint32_t window_size, std::vector<std::uint8_t> nominal,
                 Task task = Task::classification, Splitter splitter = Splitter::best)
        : nominal_(std::move(nominal)),
          values_(window_size * nominal_.size(), -7.0F),
          labels_(task == Task::classification ? window_size : 0),
          targets_(task == Task::regression ? window_size : 0),
          sorted_(splitter == Splitter::best ? values_.size() : 0),
          window_({values_, labels_, targets_, sorted_, nominal_}, window_size,
                  static_cast<std::uint32_t>(nominal_.size())) {}

    WindowHolder(const WindowHolder&) = delete;
    WindowHolder& operator=(const WindowHolder&) = delete;

    Window& window() { return window_; }

    /// Adds an example with a class or a target; the oldest leaves if the window is full.
    std::uint32_t add(const std::vector<float>& x, double y) {
        const std::uint16_t label = labels_.empty() ? 0 : static_cast<std::uint16_t>(y);
        return window_.is_full() ? window_.slide(x, label, y) : window_.append(x, label, y);
    }

 private:
    std::vector<std::uint8_t> nominal_;
    std::vector<float> values_;
    std::vector<std::uint16_t> labels_;
    std::vector<double> targets_;
    std::vector<std::uint16_t> sorted_;
    Window window_;
};

/// Members and what is needed to grow them, outside a learner.
class MembersHolder {
 public:
    MembersHolder(const Config& config, const Dimensions& dimensions)
        : config_(config),
          dimensions_(dimensions),
          plan_(make_plan(config, dimensions)),
          capacity_(config.max_shrubs + std::size_t{1}),
          nodes_(plan_.nodes.bytes),
          leaves_(plan_.leaves.bytes),
          leaf_ids_(plan_.leaf_ids.bytes),
          n_inner_(capacity_),
          places_(capacity_),
          born_(capacity_),
          weights_(capacity_),
          slots_(2 * std::size_t{config.window_size}),
          sorted_(std::size_t{config.window_size} * dimensions.n_features),
          goes_left_(config.window_size),
          permutation_(dimensions.n_features),
          pending_(plan_.max_leaves),
          counts_(2 * std::size_t{dimensions.n_classes}),
          distribution_(dimensions.n_classes),
          centred_(config.window_size),
          members_({nodes_.data(), leaves_.data(), leaf_ids_.data(), n_inner_, born_, places_,
                    weights_, nodes_.size() / capacity_, leaves_.size() / capacity_,
                    leaf_ids_.size() / capacity_, LeafIds::needs_wide(plan_.max_leaves)},
                   plan_.layout, plan_.node_bytes) {}

    MembersHolder(const MembersHolder&) = delete;
    MembersHolder& operator=(const MembersHolder&) = delete;

    Members& members() { return members_; }
    std::span<double> centred() { return centred_; }

    /// Grows a shrub on the window and makes it a member; returns its number of inner nodes.
    std::uint32_t grow_member(const Window& window, std::uint64_t example_index,
                              const TargetScale& scale = {}) {
        const std::size_t size = config_.window_size;
        const std::span<std::uint16_t> slots(slots_);
        const std::span<std::uint32_t> counts(counts_);
        const GrowScratch scratch{slots.first(size),
                                  sorted_,
                                  slots.subspan(size, size),
                                  goes_left_,
                                  permutation_,
                                  pending_,
                                  counts.first(dimensions_.n_classes),
                                  counts.last(dimensions_.n_classes),
                                  distribution_,
                                  centred_,
                                  {}};  // one feature after the other
        const std::uint32_t newcomer = members_.size();
        NewShrub shrub{members_.nodes(newcomer), members_.leaves(newcomer), plan_.node_bytes, 0};
        grow({window, config_, dimensions_, plan_.layout, scale},
             Random(config_.seed, example_index), scratch, shrub, members_.leaf_ids(newcomer));
        members_.append(shrub.n_inner, example_index);
        return shrub.n_inner;
    }

 private:
    Config config_;
    Dimensions dimensions_;
    Plan plan_;
    std::size_t capacity_;
    std::vector<std::byte> nodes_, leaves_, leaf_ids_;
    std::vector<std::uint16_t> n_inner_, places_;
    std::vector<std::uint64_t> born_;
    std::vector<double> weights_;
    std::vector<std::uint16_t> slots_, sorted_;
    std::vector<std::uint8_t> goes_left_;
    std::vector<std::uint16_t> permutation_;
    std::vector<PendingNode> pending_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::int32_t> distribution_;
    std::vector<double> centred_;
    Members members_;
};

/// A learner in an arena that held garbage before.
class LearnerHolder {
 public:
    LearnerHolder(const Config& config, const Dimensions& dimensions,
                  std::vector<std::uint8_t> nominal = {})
        : plan_(make_plan(config, dimensions)),
          arena_(plan_.total_bytes / sizeof(std::uint64_t), 0xA5A5A5A5A5A5A5A5U),
          ensemble_(config, dimensions, padded(std::move(nominal), dimensions.n_features),
                    std::as_writable_bytes(std::span(arena_))) {}

    LearnerHolder(const LearnerHolder&) = delete;
    LearnerHolder& operator=(const LearnerHolder&) = delete;

    PaperEnsemble& ensemble() { return ensemble_; }
    const Plan& plan() const { return plan_; }
    std::span<std::byte> arena() { return std::as_writable_bytes(std::span(arena_)); }

    /// Overwrites what means nothing between two calls.
    void scribble_over_scratch() {
        const auto scratch = arena().subspan(plan_.descended.offset);
        std::memset(scratch.data(), 0xFF, scratch.size());
    }

 private:
    static std::vector<std::uint8_t> padded(std::vector<std::uint8_t> nominal, std::size_t size) {
        nominal.resize(size, 0);
        return nominal;
    }

    Plan plan_;
    std::vector<std::uint64_t> arena_;
    PaperEnsemble ensemble_;
};

inline std::vector<std::byte> state_of(const PaperEnsemble& ensemble,
                                       std::span<const std::byte> tables = {}) {
    std::vector<std::byte> state(state_bytes(ensemble, tables));
    save_state(ensemble, tables, state);
    return state;
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
