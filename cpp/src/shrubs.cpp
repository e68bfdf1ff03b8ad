// The interface in C to the learners of `shrubs/method.hpp`.

#include "shrubs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/method.hpp"

namespace shrubs {

namespace {

bool holds(const void* buffer, std::size_t bytes, std::size_t needed) {
    return buffer != nullptr && reinterpret_cast<std::uintptr_t>(buffer) % alignment == 0 &&
           bytes >= needed;
}

std::span<const std::byte> as_bytes(const void* state, std::size_t bytes) {
    return {static_cast<const std::byte*>(state), state == nullptr ? 0 : bytes};
}

}  // namespace

}  // namespace shrubs

extern "C" {

const shrubs_method shrubs_auto = shrubs::method_of<shrubs::AutoEnsemble>;
const shrubs_method shrubs_paper = shrubs::method_of<shrubs::PaperEnsemble>;

const char* shrubs_message(shrubs_error error) {
    switch (error) {
        case SHRUBS_OK: return "all is well";
        case SHRUBS_BAD_OPTIONS:
            return "a value of the options is out of range, or memory_limit is too small";
        case SHRUBS_BAD_BUFFER: return "the buffer is not aligned to eight bytes, or too short";
        case SHRUBS_BAD_FEATURE:
            return "features must be finite, and nominal ones integers from 0 to 16777215";
        case SHRUBS_BAD_OUTCOME:
            return "y must be an integer from 0 to n_classes - 1, or a target that is finite";
        case SHRUBS_NOT_A_STATE: return "these bytes are not a saved learner of this method";
        case SHRUBS_STATE_TOO_NEW:
            return "this learner was saved by a newer version of shrubs; upgrade to load it";
        case SHRUBS_STATE_TRUNCATED: return "this saved learner is truncated";
        case SHRUBS_STATE_CORRUPTED:
            return "this saved learner is corrupted: its checksum does not match";
        case SHRUBS_STATE_INVALID:
            return "this saved learner is invalid: its contents contradict each other";
    }
    return "unknown error";
}

shrubs_options shrubs_auto_options(uint32_t n_features, uint32_t n_classes, uint64_t memory_limit) {
    shrubs_options options{};
    options.method = &shrubs_auto;
    options.n_features = n_features;
    options.n_classes = n_classes;
    options.memory_limit = memory_limit;
    options.last_outcomes = true;
    return options;
}

shrubs_options shrubs_paper_options(uint32_t n_features, uint32_t n_classes) {
    shrubs_options options{};
    options.method = &shrubs_paper;
    options.n_features = n_features;
    options.n_classes = n_classes;
    options.paper.step_size = 0.5;
    options.paper.max_shrubs = 32;
    options.paper.window_size = 256;
    options.paper.min_samples_leaf = 1;
    options.paper.steps_per_example = 1;
    options.paper.grow_every = 1;
    options.paper.random_splits = true;
    options.paper.target_scaling = true;
    return options;
}

size_t shrubs_bytes(const shrubs_options* options) {
    return options->method == nullptr ? 0 : options->method->bytes(*options);
}

shrubs_error shrubs_begin(const shrubs_options* options, void* buffer, size_t bytes,
                          shrubs_learner** learner) {
    *learner = nullptr;
    const std::size_t needed = shrubs_bytes(options);
    if (needed == 0) {
        return SHRUBS_BAD_OPTIONS;
    }
    if (!shrubs::holds(buffer, bytes, needed)) {
        return SHRUBS_BAD_BUFFER;
    }
    options->method->begin(*options, static_cast<std::byte*>(buffer));
    *learner = static_cast<shrubs_learner*>(buffer);
    return SHRUBS_OK;
}

shrubs_error shrubs_learn(shrubs_learner* learner, const float* x, double y) {
    return learner->method->learn(*learner, x, y);
}

shrubs_error shrubs_predict(shrubs_learner* learner, const float* x, double* f) {
    return learner->method->predict(*learner, x, f);
}

uint32_t shrubs_most_likely(const double* f, uint32_t n_classes) {
    return static_cast<std::uint32_t>(std::max_element(f, f + n_classes) - f);
}

uint32_t shrubs_n_features(const shrubs_learner* learner) {
    return learner->method->dimensions(*learner).n_features;
}

uint32_t shrubs_n_classes(const shrubs_learner* learner) {
    return learner->method->dimensions(*learner).n_classes;
}

uint64_t shrubs_examples_seen(const shrubs_learner* learner) {
    return learner->method->examples_seen(*learner);
}

size_t shrubs_state_bytes(const shrubs_learner* learner) {
    return learner->method->state_bytes(*learner);
}

shrubs_error shrubs_save(shrubs_learner* learner, void* state, size_t bytes) {
    const std::size_t needed = shrubs_state_bytes(learner);
    if (state == nullptr || bytes < needed) {
        return SHRUBS_BAD_BUFFER;
    }
    learner->method->save(*learner, {static_cast<std::byte*>(state), needed});
    return SHRUBS_OK;
}

const shrubs_method* shrubs_method_of(const void* state, size_t bytes) {
    for (const shrubs_method* method : {&shrubs_auto, &shrubs_paper}) {
        if (shrubs::has_magic(shrubs::as_bytes(state, bytes), method->magic)) {
            return method;
        }
    }
    return nullptr;
}

size_t shrubs_load_bytes(const shrubs_method* method, const void* state, size_t state_bytes) {
    std::size_t needed = 0;
    method->load_bytes(shrubs::as_bytes(state, state_bytes), needed);
    return needed;
}

shrubs_error shrubs_load(const shrubs_method* method, const void* state, size_t state_bytes,
                         void* buffer, size_t bytes, shrubs_learner** learner) {
    *learner = nullptr;
    const auto saved = shrubs::as_bytes(state, state_bytes);
    std::size_t needed = 0;
    shrubs_error error = method->load_bytes(saved, needed);
    if (error != SHRUBS_OK) {
        return error;
    }
    if (needed == 0 || !shrubs::holds(buffer, bytes, needed)) {
        return SHRUBS_BAD_BUFFER;
    }
    error = method->load(*method, saved, static_cast<std::byte*>(buffer));
    if (error == SHRUBS_OK) {
        *learner = static_cast<shrubs_learner*>(buffer);
    }
    return error;
}

}  // extern "C"
