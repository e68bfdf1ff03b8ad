// What JavaScript calls: the interface in C for the one learner of an instance, the windowed tree
// as a third method, and what can be seen of shrubs, drifts and memory.
//
// Every instance of the module has a memory and a learner of its own, so there is nothing to
// allocate and nothing to free. JavaScript lays out what is behind `__heap_base`.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs.h"
#include "shrubs/method.hpp"
#include "shrubs/paper/windowed_tree.hpp"

namespace shrubs {

static std::uint64_t bytes_of(const TreeConfig& config, const Dimensions& dimensions,
                              std::span<const std::uint8_t> /*nominal*/) {
    return WindowedTree::report(config, dimensions).total();
}

static void describe(const shrubs_options& options, Description<WindowedTree>& described) {
    described.config = {.window_size = options.paper.window_size, .seed = options.seed};
    described.dimensions.max_features = options.n_features;
}

namespace {

constexpr shrubs_method windowed_tree = method_of<WindowedTree>;
constexpr std::array<const shrubs_method*, 3> methods = {&shrubs_auto, &shrubs_paper,
                                                         &windowed_tree};

// Of the one learner.
shrubs_options options;
shrubs_learner* learner = nullptr;

const AutoEnsemble* auto_ensemble() {
    return learner->method == &shrubs_auto ? &LearnerOf<AutoEnsemble>::of(*learner).ensemble
                                           : nullptr;
}

}  // namespace

}  // namespace shrubs

using namespace shrubs;

// js/Makefile lists them for the linker.
extern "C" {

extern std::byte __heap_base;

std::byte* heap() {
    return &__heap_base;
}

// The options of a learner to come; the bytes that it takes, or 0 if they are wrong.
std::size_t plan(std::uint32_t method, std::uint32_t n_features, std::uint32_t n_classes,
                 const std::uint8_t* nominal, double seed, double memory_limit,
                 bool last_outcomes) {
    options = method == 0 ? shrubs_auto_options(n_features, n_classes,
                                                static_cast<std::uint64_t>(memory_limit))
                          : shrubs_paper_options(n_features, n_classes);
    options.method = methods[method];
    options.nominal = nominal;
    options.seed = static_cast<std::uint64_t>(seed);
    options.last_outcomes = last_outcomes;
    return shrubs_bytes(&options);
}

// Hyperparameters of the paper's methods, after `plan`; the bytes, or 0 if they are wrong.
std::size_t plan_paper(double step_size, std::uint32_t max_shrubs, std::uint32_t window_size,
                       std::uint32_t max_depth, bool random_splits, bool cross_entropy) {
    options.paper.step_size = step_size;
    options.paper.max_shrubs = max_shrubs;
    options.paper.window_size = window_size;
    options.paper.max_depth = max_depth;
    options.paper.random_splits = random_splits;
    options.paper.cross_entropy = cross_entropy;
    return shrubs_bytes(&options);
}

shrubs_error begin(void* buffer, std::size_t bytes) {
    return shrubs_begin(&options, buffer, bytes, &learner);
}

shrubs_error learn(const float* x, double y) {
    return shrubs_learn(learner, x, y);
}

// Predicts `n` rows; the first error ends it.
shrubs_error predict(const float* X, std::uint32_t n, double* F) {
    const std::size_t n_features = shrubs_n_features(learner);
    const std::size_t width = std::max(shrubs_n_classes(learner), 1U);
    shrubs_error error = SHRUBS_OK;
    for (std::uint32_t i = 0; i < n && error == SHRUBS_OK; ++i) {
        error = shrubs_predict(learner, X + i * n_features, F + i * width);
    }
    return error;
}

std::uint32_t n_features() {
    return shrubs_n_features(learner);
}

std::uint32_t n_classes() {
    return shrubs_n_classes(learner);
}

double examples_seen() {
    return static_cast<double>(shrubs_examples_seen(learner));
}

std::size_t state_bytes() {
    return shrubs_state_bytes(learner);
}

shrubs_error save(void* state, std::size_t bytes) {
    return shrubs_save(learner, state, bytes);
}

// The method of a saved learner, or their number if it is of none.
std::size_t method_of_state(const void* state, std::size_t bytes) {
    const std::span known(static_cast<const std::byte*>(state), bytes);
    return static_cast<std::size_t>(
        std::ranges::find_if(methods,
                             [&](const auto* method) { return has_magic(known, method->magic); }) -
        methods.begin());
}

std::size_t load_bytes(std::uint32_t method, const void* state, std::size_t state_bytes) {
    return shrubs_load_bytes(methods[method], state, state_bytes);
}

shrubs_error load(std::uint32_t method, const void* state, std::size_t state_bytes, void* buffer,
                  std::size_t bytes) {
    return shrubs_load(methods[method], state, state_bytes, buffer, bytes, &learner);
}

const char* message(shrubs_error error) {
    return shrubs_message(error);
}

// Of each shrub of a learner without tuning: place, born, weight, window length, leaves, reactive.
// Returns how many there are.
std::uint32_t look_at_shrubs(double* out) {
    const AutoEnsemble* ensemble = auto_ensemble();
    std::uint32_t n = 0;
    for (std::uint32_t place = 0; ensemble != nullptr && place < ensemble->plan().n_places;
         ++place) {
        const PlacedShrubs& shrubs = ensemble->shrubs();
        if (shrubs.is_grown(place)) {
            const ShrubGroup& group = shrubs.group_of(place);
            const std::array<double, 6> row = {
                static_cast<double>(place),  static_cast<double>(shrubs.born(place)),
                ensemble->weight(place),     static_cast<double>(group.length),
                1.0 + shrubs.n_inner(place), group.reactive ? 1.0 : 0.0};
            out = std::ranges::copy(row, out).out;
            ++n;
        }
    }
    return n;
}

// How much each feature decides: its part in the splits of each shrub, by the weights of the
// shrubs.
void split_shares(double* out) {
    const AutoEnsemble* ensemble = auto_ensemble();
    std::fill_n(out, shrubs_n_features(learner), 0.0);
    for (std::uint32_t place = 0; ensemble != nullptr && place < ensemble->plan().n_places;
         ++place) {
        if (ensemble->shrubs().is_grown(place)) {
            const NewShrub shrub = ensemble->shrubs().shrub(place);
            for (std::uint32_t i = 0; i < shrub.n_inner; ++i) {
                const Node node = read_node(shrub.node_bytes, shrub.nodes, i);
                if (node.split.feature < shrubs_n_features(learner)) {
                    out[node.split.feature] += ensemble->weight(place) / shrub.n_inner;
                }
            }
        }
    }
}

// Of each drift that is remembered, oldest first: when it was noticed, when it began.
std::uint32_t drifts(double* out) {
    const AutoEnsemble* ensemble = auto_ensemble();
    const std::size_t n = ensemble == nullptr ? 0 : ensemble->drifts().n_remembered();
    for (std::size_t i = 0; i < n; ++i) {
        *out++ = static_cast<double>(ensemble->drifts()[i].noticed);
        *out++ = static_cast<double>(ensemble->drifts()[i].began);
    }
    return static_cast<std::uint32_t>(n);
}

// Bytes of the arena by purpose: window, shrubs, weights, caches, scratch.
void memory_report(double* out) {
    const AutoEnsemble* ensemble = auto_ensemble();
    const MemoryReport report =
        ensemble == nullptr ? MemoryReport() : AutoEnsemble::report(AutoPlan(ensemble->plan(), {}));
    for (std::size_t i = 0; i < purpose_names.size(); ++i) {
        out[i] = static_cast<double>(report[static_cast<Purpose>(i)]);
    }
}

}  // extern "C"
