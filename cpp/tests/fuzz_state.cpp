// A libFuzzer target: no bytes, whatever they are, make load_state or load_auto_state break a
// learner.
//
// Built with clang and -DSHRUBS_FUZZ=ON. The checksum is made to fit first; finding it by chance
// would take the fuzzer forever. The same bytes then tell the learner what to learn.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "auto_holders.hpp"
#include "states.hpp"

using namespace shrubs;

namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 20U;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void learn_and_check(PaperEnsemble& ensemble, std::uint64_t seed) {
    const Config& config = ensemble.config();
    const Dimensions& dimensions = ensemble.dimensions();
    if (config.steps_per_example > 10 ||
        (config.task == Task::classification && dimensions.n_classes == 0)) {
        return;
    }
    ExampleSource source(seed, dimensions, 5);
    for (int i = 0; i < 3; ++i) {
        ensemble.learn(source.next());
        double sum = 0.0;
        for (std::uint32_t k = 0; k < ensemble.members().size(); ++k) {
            require(ensemble.members().weights()[k] > 0.0);
            sum += ensemble.members().weights()[k];
        }
        require(std::abs(sum - 1.0) < 1e-6);
    }
}

void learn_and_check(AutoHolder& holder, std::uint64_t seed) {
    AutoEnsemble& ensemble = holder.ensemble();
    const Dimensions& dimensions = ensemble.dimensions();
    const bool regression = ensemble.config().task == Task::regression;
    if (!regression && dimensions.n_classes == 0) {
        return;
    }
    ExampleSource source(seed, dimensions, 5);
    std::vector<double> f(std::max(dimensions.n_classes, 1U));
    for (int i = 0; i < 3; ++i) {
        const Example example = source.next();
        ensemble.predict_next(example.x, f);
        require(std::ranges::all_of(f, [](double value) { return std::isfinite(value); }));
        ensemble.learn_next(example);
    }
    require(holder.fences_stand());
}

void try_auto_state(std::span<const std::byte> state) {
    const auto learner = auto_loaded(state, max_bytes);
    if (!learner) {
        return;
    }
    // What was loaded can be saved and loaded again, and copied to more memory.
    const auto saved = state_of(learner->ensemble());
    const auto again = auto_loaded(saved, max_bytes);
    require(again && state_of(again->ensemble()) == saved);
    AutoConfig config = learner->ensemble().config();
    config.arena_bytes = std::min(2 * config.arena_bytes, std::uint64_t{2 * max_bytes});
    Dimensions larger = learner->ensemble().dimensions();
    larger.n_features = std::min(larger.n_features + 3, limits::features);
    if (config.task == Task::classification) {
        larger.n_classes = std::min(larger.n_classes + 2, limits::classes);
    }
    if (make_auto_plan(config, larger, count_nominal(learner->nominal())).window_size > 0) {
        AutoHolder wider(config, larger, learner->nominal());
        wider.ensemble().copy_from(learner->ensemble());
        learn_and_check(wider, state.size());
    }
    learn_and_check(*learner, state.size());
    learn_and_check(*again, state.size());
    require(state_of(again->ensemble()) == state_of(learner->ensemble()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    read_header<PaperEnsemble>(bytes);
    std::vector<std::byte> state(bytes.begin(), bytes.end());
    seal(state);
    if (has_magic(state, AutoEnsemble::magic)) {
        try_auto_state(state);
        return 0;
    }
    const auto learner = loaded(state, max_bytes);
    if (!learner) {
        return 0;
    }
    // What was loaded can be saved and loaded again, also with more features and classes.
    const auto saved = state_of(learner->ensemble());
    const auto again = loaded(saved, max_bytes);
    require(again && state_of(again->ensemble()) == saved);
    Dimensions larger = learner->ensemble().dimensions();
    larger.n_features = std::min(larger.n_features + 3, limits::features);
    larger.max_features = std::max(larger.max_features, 1U);
    if (learner->ensemble().config().task == Task::classification) {
        larger.n_classes = std::min(larger.n_classes + 2, limits::classes);
    }
    if (PaperEnsemble::report(learner->ensemble().config(), larger).total() <= 2 * max_bytes) {
        learn_and_check(copied(*learner, larger)->ensemble(), size);
    }
    learn_and_check(learner->ensemble(), size);
    learn_and_check(again->ensemble(), size);
    require(state_of(again->ensemble()) == state_of(learner->ensemble()));
    return 0;
}
