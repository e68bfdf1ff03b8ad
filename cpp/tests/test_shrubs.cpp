// The interface in C: it is the core, in a buffer of the caller, with checks.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "auto_holders.hpp"
#include "shrubs.h"
#include "states.hpp"
#include "testing.hpp"

namespace shrubs {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A learner in exactly the bytes it asks for, which a sanitizer guards.
class CLearner {
 public:
    explicit CLearner(const shrubs_options& options) : words_(shrubs_bytes(&options) / 8, ~0ULL) {
        error = shrubs_begin(&options, words_.data(), words_.size() * 8, &learner);
    }
    explicit CLearner(const std::vector<std::byte>& state) {
        const shrubs_method* method = shrubs_method_of(state.data(), state.size());
        method = method == nullptr ? &shrubs_paper : method;
        words_.assign(shrubs_load_bytes(method, state.data(), state.size()) / 8, ~0ULL);
        error = shrubs_load(method, state.data(), state.size(), words_.data(), words_.size() * 8,
                            &learner);
    }
    std::vector<std::byte> state() {
        std::vector<std::byte> bytes(shrubs_state_bytes(learner));
        CHECK_EQ(shrubs_save(learner, bytes.data(), bytes.size()), SHRUBS_OK);
        return bytes;
    }
    std::vector<double> predict(std::span<const float> x) {
        std::vector<double> f(std::max(shrubs_n_classes(learner), 1U));
        CHECK_EQ(shrubs_predict(learner, x.data(), f.data()), SHRUBS_OK);
        return f;
    }

    shrubs_learner* learner = nullptr;
    shrubs_error error = SHRUBS_OK;

 private:
    std::vector<std::uint64_t> words_;
};

double outcome(const shrubs_options& options, const Example& example) {
    return options.n_classes == 0 ? example.target : example.label;
}

/// Examples with a last feature of whole numbers, as a category has.
class Stream {
 public:
    explicit Stream(const shrubs_options& options)
        : source_(7, {options.n_features, options.n_classes, 0}, 9) {}
    Example next() {
        const Example example = source_.next();
        x_.assign(example.x.begin(), example.x.end());
        x_.back() = std::floor(x_.back());
        return {x_, example.label, example.target};
    }

 private:
    ExampleSource source_;
    std::vector<float> x_;
};

const std::uint8_t last_is_nominal[] = {0, 0, 1};

std::vector<shrubs_options> all_options() {
    std::vector<shrubs_options> all;
    for (const std::uint32_t n_classes : {2U, 5U, 0U}) {
        all.push_back(shrubs_auto_options(3, n_classes, 16384));
        all.push_back(shrubs_paper_options(3, n_classes));
        all.back().paper.window_size = 32;
        all.back().paper.max_depth = 4;
    }
    all.push_back(all[0]);
    all.back().last_outcomes = false;
    for (std::size_t i = 0; i < 3; ++i) {
        all.push_back(all[i]);
        all.back().nominal = last_is_nominal;
        all.back().seed = 3;
    }
    return all;
}

std::vector<std::byte> state_after(const shrubs_options& options, int n, bool predicts_first) {
    CLearner learner(options);
    Stream stream(options);
    for (int i = 0; i < n; ++i) {
        const Example example = stream.next();
        if (predicts_first) {
            learner.predict(example.x);
        }
        CHECK_EQ(shrubs_learn(learner.learner, example.x.data(), outcome(options, example)),
                 SHRUBS_OK);
    }
    return learner.state();
}

}  // namespace

TEST_CASE("a learner in C is the one of the core, bit for bit") {
    shrubs_options options = shrubs_auto_options(3, 2, 16384);
    options.nominal = last_is_nominal;
    CLearner learner(options);
    const auto header = read_header<AutoEnsemble>(learner.state());
    CHECK(header.error == StateError::none);
    AutoHolder core(header.config, header.dimensions, {0, 0, 1});
    Stream stream(options);
    for (int i = 0; i < 300; ++i) {
        const Example example = stream.next();
        std::vector<double> f(2);
        core.ensemble().predict(example.x, f);
        CHECK_EQ(learner.predict(example.x), f);
        core.ensemble().learn(example);
        shrubs_learn(learner.learner, example.x.data(), example.label);
    }
    CHECK(learner.state() == state_of(core.ensemble()));
    CHECK_EQ(shrubs_examples_seen(learner.learner), 300U);
}

TEST_CASE("the paper's learner in C is the one of the core, bit for bit") {
    shrubs_options options = shrubs_paper_options(3, 0);
    options.paper.window_size = 20;
    CLearner learner(options);
    LearnerHolder core({.task = Task::regression,
                        .splitter = Splitter::random,
                        .window_size = 20,
                        .step_size = 0.5},
                       {3, 0, 3});
    Stream stream(options);
    for (int i = 0; i < 100; ++i) {
        const Example example = stream.next();
        CHECK_EQ(learner.predict(example.x)[0], predicted_value(core.ensemble(), example.x));
        core.ensemble().learn(example);
        shrubs_learn(learner.learner, example.x.data(), example.target);
    }
    CHECK(learner.state() == state_of(core.ensemble()));
}

TEST_CASE("learning right after predicting gives the same learner") {
    for (const shrubs_options& options : all_options()) {
        CHECK(state_after(options, 100, true) == state_after(options, 100, false));
    }
}

TEST_CASE("a prediction of another example does not disturb learning") {
    const shrubs_options options = shrubs_auto_options(2, 2, 12000);
    CLearner plain(options);
    CLearner disturbed(options);
    ExampleSource source(1, {2, 2, 0});
    std::vector<std::byte> unused;
    for (int i = 0; i < 60; ++i) {
        const Example example = source.next();
        disturbed.predict(example.x);
        unused = disturbed.state();
        disturbed.predict(std::vector<float>{0.5F, missing});
        shrubs_learn(disturbed.learner, example.x.data(), example.label);
        shrubs_learn(plain.learner, example.x.data(), example.label);
    }
    CHECK(plain.state() == disturbed.state());
}

TEST_CASE("a learner without tuning stays within its limit, all included") {
    for (std::uint64_t limit = 0; limit < 40000; limit += 777) {
        const shrubs_options options = shrubs_auto_options(4, 3, limit);
        CHECK(shrubs_bytes(&options) <= limit);
    }
    const shrubs_options small = shrubs_auto_options(4, 2, 12 * 1024);
    CHECK(shrubs_bytes(&small) > 8 * 1024);
}

TEST_CASE("a loaded learner goes on as if it had never stopped") {
    for (const shrubs_options& options : all_options()) {
        const std::vector<std::byte> state = state_after(options, 60, false);
        CLearner first(options);
        Stream stream(options);
        CLearner second(state);
        CHECK_EQ(second.error, SHRUBS_OK);
        CHECK(second.state() == state);
        for (int i = 0; i < 120; ++i) {
            const Example example = stream.next();
            shrubs_learn(first.learner, example.x.data(), outcome(options, example));
            if (i >= 60) {
                shrubs_learn(second.learner, example.x.data(), outcome(options, example));
            }
        }
        CHECK(first.state() == second.state());
    }
}

TEST_CASE("tables of a saved learner are kept and saved again") {
    const auto learner = taught(all_kinds().front());
    const std::vector<std::byte> tables(13, std::byte{'t'});
    const std::vector<std::byte> state = state_of(learner->ensemble(), tables);
    CHECK(CLearner(state).state() == state);
}

TEST_CASE("wrong values are refused and the learner stays as it was") {
    shrubs_options options = shrubs_auto_options(3, 2, 16384);
    options.nominal = last_is_nominal;
    CLearner learner(options);
    const float good[] = {1.0F, missing, 2.0F};
    shrubs_learn(learner.learner, good, 1);
    const std::vector<std::byte> before = learner.state();
    const auto learned = [&](float a, float b, float c, double y) {
        const float x[] = {a, b, c};
        return shrubs_learn(learner.learner, x, y);
    };
    const auto inf = static_cast<float>(infinite);
    CHECK_EQ(learned(inf, 0, 0, 0), SHRUBS_BAD_FEATURE);
    CHECK_EQ(learned(0, -inf, 0, 0), SHRUBS_BAD_FEATURE);
    for (const float category : {-1.0F, 0.5F, 16777216.0F, 1e30F}) {
        CHECK_EQ(learned(0, 0, category, 0), SHRUBS_BAD_FEATURE);
    }
    for (const double label : {-1.0, 2.0, 0.5, 1e300, infinite, std::nan("")}) {
        CHECK_EQ(learned(0, 0, 0, label), SHRUBS_BAD_OUTCOME);
    }
    const float bad[] = {0, inf, 0};
    double f[] = {5.0, 5.0};
    CHECK_EQ(shrubs_predict(learner.learner, bad, f), SHRUBS_BAD_FEATURE);
    CHECK_EQ(f[0], 5.0);
    CHECK(learner.state() == before);
    CHECK_EQ(learned(-0.0F, 0, 16777215, 1), SHRUBS_OK);
    shrubs_options regression = shrubs_auto_options(3, 0, 16384);
    CLearner targets(regression);
    CHECK_EQ(shrubs_learn(targets.learner, good, infinite), SHRUBS_BAD_OUTCOME);
    CHECK_EQ(shrubs_learn(targets.learner, good, std::nan("")), SHRUBS_BAD_OUTCOME);
    CHECK_EQ(shrubs_learn(targets.learner, good, -1e300), SHRUBS_OK);
}

TEST_CASE("wrong options and buffers are refused") {
    std::vector<std::uint64_t> memory(2048);
    shrubs_learner* learner = nullptr;
    const auto begun = [&](const shrubs_options& options, std::size_t offset, std::size_t bytes) {
        const shrubs_error error = shrubs_begin(
            &options, reinterpret_cast<std::byte*>(memory.data()) + offset, bytes, &learner);
        CHECK((error == SHRUBS_OK) == (learner != nullptr));
        return error;
    };
    const shrubs_options good = shrubs_auto_options(4, 2, 16384);
    CHECK_EQ(begun(good, 0, shrubs_bytes(&good)), SHRUBS_OK);
    CHECK_EQ(begun(good, 0, shrubs_bytes(&good) - 1), SHRUBS_BAD_BUFFER);
    CHECK_EQ(begun(good, 4, 16380), SHRUBS_BAD_BUFFER);
    CHECK_EQ(shrubs_begin(&good, nullptr, 16384, &learner), SHRUBS_BAD_BUFFER);
    CHECK_EQ(begun(shrubs_auto_options(4, 2, 1000), 0, 16384), SHRUBS_BAD_OPTIONS);
    CHECK_EQ(begun(shrubs_auto_options(20000, 2, 16384), 0, 16384), SHRUBS_BAD_OPTIONS);
    CHECK_EQ(begun(shrubs_auto_options(2, 70000, 16384), 0, 16384), SHRUBS_BAD_OPTIONS);
    shrubs_options paper = shrubs_paper_options(4, 2);
    paper.paper.step_size = std::nan("");
    CHECK_EQ(begun(paper, 0, 16384), SHRUBS_BAD_OPTIONS);
    paper = shrubs_paper_options(4, 0);
    paper.paper.cross_entropy = true;
    CHECK_EQ(begun(paper, 0, 16384), SHRUBS_BAD_OPTIONS);
    paper = shrubs_paper_options(4, 2);
    paper.paper.window_size = 65535;
    CHECK_EQ(begun(paper, 0, 16384), SHRUBS_BAD_BUFFER);
    CHECK_EQ(begun(shrubs_options{}, 0, 16384), SHRUBS_BAD_OPTIONS);
    const std::uint8_t kinds[] = {0, 2, 0, 0};
    shrubs_options wrong_kind = good;
    wrong_kind.nominal = kinds;
    CHECK_EQ(begun(wrong_kind, 0, 16384), SHRUBS_BAD_OPTIONS);
}

TEST_CASE("damaged states are refused") {
    for (const shrubs_options& options : all_options()) {
        const std::vector<std::byte> state = state_after(options, 40, false);
        std::vector<std::byte> broken(state.begin(), state.end() - 1);
        CHECK_EQ(CLearner(broken).error, SHRUBS_STATE_TRUNCATED);
        broken = state;
        broken[40] ^= std::byte{1};
        CHECK_EQ(CLearner(broken).error, SHRUBS_STATE_CORRUPTED);
        broken = state;
        broken[6] = std::byte{99};
        CHECK_EQ(CLearner(broken).error, SHRUBS_STATE_TOO_NEW);
        broken[0] = std::byte{0};
        CHECK_EQ(CLearner(broken).error, SHRUBS_NOT_A_STATE);
        broken = state;
        broken.insert(broken.end() - 4, std::byte{0});
        seal(broken);
        CHECK_EQ(CLearner(broken).error, SHRUBS_STATE_INVALID);
        std::vector<std::uint64_t> small(16);
        shrubs_learner* learner = nullptr;
        CHECK_EQ(
            shrubs_load(options.method, state.data(), state.size(), small.data(), 128, &learner),
            SHRUBS_BAD_BUFFER);
    }
    CHECK_EQ(CLearner(std::vector<std::byte>{}).error, SHRUBS_NOT_A_STATE);
}

TEST_CASE("every error has a message of its own") {
    for (int error = SHRUBS_OK; error < SHRUBS_STATE_INVALID; ++error) {
        CHECK(std::string(shrubs_message(static_cast<shrubs_error>(error))) !=
              shrubs_message(static_cast<shrubs_error>(error + 1)));
    }
    CHECK_EQ(std::string(shrubs_message(static_cast<shrubs_error>(99))), "unknown error");
}

TEST_CASE("the first of the most likely classes is found") {
    const double f[] = {0.25, 0.375, 0.375};
    CHECK_EQ(shrubs_most_likely(f, 3), 1U);
}

}  // namespace shrubs
