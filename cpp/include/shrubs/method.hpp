#pragma once

// A learner in the buffer of a caller, and its method: checks what comes from outside.
//
// The buffer holds the learner object, the tables of a loaded state and the arena, in this order. A
// method is a table of functions, so that a linker can leave out the one that nobody names. Another
// one needs `bytes_of` and `describe` of its ensemble.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "shrubs.h"
#include "shrubs/auto/ensemble.hpp"
#include "shrubs/paper/ensemble.hpp"
#include "shrubs/state/state.hpp"

struct shrubs_learner {
    const shrubs_method* method;
};

struct shrubs_method {
    shrubs::Magic magic;
    std::size_t (*bytes)(const shrubs_options& options);
    void (*begin)(const shrubs_options& options, std::byte* buffer);
    shrubs_error (*learn)(shrubs_learner& learner, const float* x, double y);
    shrubs_error (*predict)(shrubs_learner& learner, const float* x, double* f);
    shrubs::Dimensions (*dimensions)(const shrubs_learner& learner);
    std::uint64_t (*examples_seen)(const shrubs_learner& learner);
    std::size_t (*state_bytes)(const shrubs_learner& learner);
    void (*save)(shrubs_learner& learner, std::span<std::byte> state);
    shrubs_error (*load_bytes)(std::span<const std::byte> state, std::size_t& needed);
    shrubs_error (*load)(const shrubs_method& method, std::span<const std::byte> state,
                         std::byte* buffer);
};

namespace shrubs {

inline constexpr std::size_t alignment = 8;
inline constexpr float largest_category = 16777215.0F;  // smaller integers are exact in a float
/// What a learner without tuning keeps beside its arena, on the machine where that is most: its
/// plan must not depend on the machine.
inline constexpr std::uint64_t most_object_bytes = 1536;

constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

inline std::uint64_t bytes_of(const Config& config, const Dimensions& dimensions,
                              std::span<const std::uint8_t> /*nominal*/) {
    return PaperEnsemble::report(config, dimensions).total();
}
inline std::uint64_t bytes_of(const AutoConfig& config, const Dimensions& dimensions,
                              std::span<const std::uint8_t> nominal) {
    const auto n_nominal = static_cast<std::uint32_t>(std::ranges::count(nominal, 1));
    return make_auto_plan(config, dimensions, n_nominal).total_bytes;
}

/// What a learner is begun with, or a state says.
template <class Ensemble>
struct Description {
    typename Ensemble::Configuration config;
    Dimensions dimensions;
    std::span<const std::uint8_t> nominal;
    std::span<const std::byte> tables;

    std::uint64_t arena_bytes() const { return bytes_of(config, dimensions, nominal); }
};

/// A learner in its buffer, with the tables of a loaded state behind it and then its arena.
template <class Ensemble>
struct LearnerOf : shrubs_learner {
    LearnerOf(const shrubs_method& own_method, const Description<Ensemble>& described,
              std::span<std::byte> buffer)
        : shrubs_learner{&own_method},
          tables(buffer.subspan(padded(sizeof(LearnerOf)), described.tables.size())),
          ensemble(described.config, described.dimensions, described.nominal,
                   buffer.subspan(beside_arena(described))) {
        std::ranges::copy(described.tables, tables.begin());
    }
    static std::size_t beside_arena(const Description<Ensemble>& described) {
        return padded(sizeof(LearnerOf)) + padded(described.tables.size());
    }
    static LearnerOf& of(shrubs_learner& learner) { return static_cast<LearnerOf&>(learner); }
    static const LearnerOf& of(const shrubs_learner& learner) {
        return static_cast<const LearnerOf&>(learner);
    }

    std::span<std::byte> tables;
    Ensemble ensemble;
    bool is_predicted = false;  ///< the row of the ensemble holds what was predicted last
};
static_assert(sizeof(LearnerOf<AutoEnsemble>) <= most_object_bytes);

// 0 if this machine cannot address so many.
template <class Ensemble>
std::size_t all_bytes(const Description<Ensemble>& described) {
    const std::uint64_t needed =
        LearnerOf<Ensemble>::beside_arena(described) + described.arena_bytes();
    return needed <= std::numeric_limits<std::size_t>::max() ? static_cast<std::size_t>(needed) : 0;
}

// The kinds of the features; none is nominal where they are not given, which empty kinds stand for.
inline std::span<const std::uint8_t> kinds(const shrubs_options& options) {
    return {options.nominal, options.nominal == nullptr ? 0 : options.n_features};
}

inline Task task_of(const shrubs_options& options) {
    return options.n_classes == 0 ? Task::regression : Task::classification;
}

inline void describe(const shrubs_options& options, Description<AutoEnsemble>& described) {
    described.config = {.task = task_of(options),
                        .arena_bytes = std::min(options.memory_limit, largest_auto_arena) -
                                       std::min(options.memory_limit, most_object_bytes),
                        .seed = options.seed,
                        .recalls = static_cast<std::uint8_t>(options.last_outcomes ? 1 : 0),
                        .label_delay = options.label_delay};
}

inline void describe(const shrubs_options& options, Description<PaperEnsemble>& described) {
    const shrubs_paper_parameters& paper = options.paper;
    const bool has_no_caches = task_of(options) == Task::classification && !paper.caches;
    described.config = {.task = task_of(options),
                        .loss = paper.cross_entropy ? Loss::cross_entropy : Loss::mse,
                        .splitter = paper.random_splits ? Splitter::random : Splitter::best,
                        .target_scaling = paper.target_scaling,
                        .cache = has_no_caches ? Cache::none : Cache::automatic,
                        .max_shrubs = paper.max_shrubs,
                        .window_size = paper.window_size,
                        .max_depth = paper.max_depth == 0 ? no_limit : paper.max_depth,
                        .min_samples_leaf = paper.min_samples_leaf,
                        .steps_per_example = paper.steps_per_example,
                        .grow_every = paper.grow_every,
                        .step_size = paper.step_size,
                        .seed = options.seed};
    described.dimensions.max_features =
        paper.max_features == 0 ? options.n_features : paper.max_features;
}

template <class Ensemble>
Description<Ensemble> described_by(const shrubs_options& options) {
    Description<Ensemble> described;
    described.dimensions = {options.n_features, options.n_classes, 0};
    described.nominal = kinds(options);
    describe(options, described);
    return described;
}

// 0 if the options are wrong.
template <class Ensemble>
std::size_t bytes(const shrubs_options& options) {
    const auto described = described_by<Ensemble>(options);
    const bool has_kinds =
        std::ranges::all_of(described.nominal, [](std::uint8_t kind) { return kind <= 1; });
    const bool fits =
        has_kinds && Ensemble::can_hold(described.config, described.dimensions, described.nominal);
    return fits ? all_bytes(described) : 0;
}

template <class Ensemble>
LearnerOf<Ensemble>& place(const shrubs_method& method, const Description<Ensemble>& described,
                           std::byte* buffer) {
    const std::span<std::byte> taken(buffer, all_bytes(described));
    std::ranges::fill(taken, std::byte{0});  // without kinds, all features are numeric
    return *std::construct_at(reinterpret_cast<LearnerOf<Ensemble>*>(buffer), method, described,
                              taken);
}

template <class Ensemble>
void begin(const shrubs_options& options, std::byte* buffer) {
    place(*options.method, described_by<Ensemble>(options), buffer);
}

inline bool is_category(float value) {
    return value >= 0.0F && value <= largest_category &&
           static_cast<float>(static_cast<std::uint32_t>(value)) == value;
}

// Copies x into the row of the learner; `same` tells whether it was there already.
template <class Ensemble>
bool read_row(const Ensemble& ensemble, const float* x, bool learning, bool& same) {
    const std::span<float> row = ensemble.row();
    for (std::size_t i = 0; i < row.size(); ++i) {
        const float value = x[i] + 0.0F;  // -0 becomes 0
        const bool is_number = value == value;
        if (!is_finite_or_missing(value) ||
            (learning && is_number && ensemble.nominal()[i] != 0 && !is_category(value))) {
            return false;
        }
        same = same && (row[i] == value || (!is_number && row[i] != row[i]));
        row[i] = value;
    }
    return true;
}

template <class Ensemble>
bool is_outcome(const Ensemble& ensemble, double y) {
    return ensemble.task() == Task::regression
               ? is_finite(y)
               : y >= 0.0 && y < ensemble.dimensions().n_classes &&
                     static_cast<double>(static_cast<std::uint32_t>(y)) == y;
}

template <class Ensemble>
shrubs_error learn(shrubs_learner& learner, const float* x, double y) {
    auto& self = LearnerOf<Ensemble>::of(learner);
    bool same = std::exchange(self.is_predicted, false);
    if (!read_row(self.ensemble, x, true, same)) {
        return SHRUBS_BAD_FEATURE;
    }
    if (!is_outcome(self.ensemble, y)) {
        return SHRUBS_BAD_OUTCOME;
    }
    const bool is_class = self.ensemble.task() == Task::classification;
    const Example example{self.ensemble.row(), static_cast<std::uint16_t>(is_class ? y : 0.0),
                          is_class ? 0.0 : y};
    same ? self.ensemble.learn_next(example) : self.ensemble.learn(example);
    return SHRUBS_OK;
}

template <class Ensemble>
shrubs_error predict(shrubs_learner& learner, const float* x, double* f) {
    auto& self = LearnerOf<Ensemble>::of(learner);
    bool same = false;
    self.is_predicted = read_row(self.ensemble, x, false, same);
    if (!self.is_predicted) {
        return SHRUBS_BAD_FEATURE;
    }
    const std::size_t width = std::max<std::size_t>(self.ensemble.dimensions().n_classes, 1);
    self.ensemble.predict_next(self.ensemble.row(), {f, width});
    return SHRUBS_OK;
}

template <class Ensemble>
std::size_t saved_bytes(const shrubs_learner& learner) {
    const auto& self = LearnerOf<Ensemble>::of(learner);
    return state_bytes(self.ensemble, self.tables);
}

template <class Ensemble>
void save(shrubs_learner& learner, std::span<std::byte> state) {
    auto& self = LearnerOf<Ensemble>::of(learner);
    self.is_predicted = false;  // writing uses the row
    save_state(self.ensemble, self.tables, state);
}

inline shrubs_error as_error(StateError error) {
    switch (error) {
        case StateError::none: return SHRUBS_OK;
        case StateError::not_a_state: return SHRUBS_NOT_A_STATE;
        case StateError::too_new: return SHRUBS_STATE_TOO_NEW;
        case StateError::truncated: return SHRUBS_STATE_TRUNCATED;
        case StateError::corrupted: return SHRUBS_STATE_CORRUPTED;
        default: return SHRUBS_STATE_INVALID;
    }
}

template <class Ensemble>
Description<Ensemble> described_by(const StateHeader<Ensemble>& header) {
    return {header.config, header.dimensions, header.nominal, header.tables};
}

// 0 if this machine cannot address so many.
template <class Ensemble>
shrubs_error load_bytes(std::span<const std::byte> state, std::size_t& needed) {
    const auto header = read_header<Ensemble>(state);
    needed = header.error == StateError::none ? all_bytes(described_by(header)) : 0;
    return as_error(header.error);
}

template <class Ensemble>
shrubs_error load(const shrubs_method& method, std::span<const std::byte> state,
                  std::byte* buffer) {
    const auto header = read_header<Ensemble>(state);
    auto& learner = place(method, described_by(header), buffer);
    return as_error(load_state(state, header, learner.ensemble));
}

template <class Ensemble>
inline constexpr shrubs_method method_of = {
    .magic = Ensemble::magic,
    .bytes = bytes<Ensemble>,
    .begin = begin<Ensemble>,
    .learn = learn<Ensemble>,
    .predict = predict<Ensemble>,
    .dimensions =
        [](const shrubs_learner& learner) {
            return LearnerOf<Ensemble>::of(learner).ensemble.dimensions();
        },
    .examples_seen =
        [](const shrubs_learner& learner) {
            return LearnerOf<Ensemble>::of(learner).ensemble.examples_seen();
        },
    .state_bytes = saved_bytes<Ensemble>,
    .save = save<Ensemble>,
    .load_bytes = load_bytes<Ensemble>,
    .load = load<Ensemble>};

}  // namespace shrubs
