#include <algorithm>
#include <vector>

#include "holders.hpp"
#include "invariants.hpp"
#include "shrubs/paper/ensemble.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr Dimensions three_by_three{3, 3, 3};

Config small_config() {
    Config config;
    config.max_shrubs = 5;
    config.window_size = 16;
    return config;
}

Config regression_config() {
    Config config = small_config();
    config.task = Task::regression;
    return config;
}

// Steps of `n_examples` in which no newcomer was grown: growing fills the scratch of its members.
std::uint32_t n_skipped(const Config& config, std::uint32_t n_examples) {
    LearnerHolder holder(config, three_by_three);
    ExampleSource source(1, three_by_three);
    // The first array of growing lies before that of the Gram matrix.
    const GrowthPlan plan = make_growth_plan(config.growth(), three_by_three);
    const std::uint64_t behind = counted([&](Arena& arena) {
        Gram::reserve(arena, config.max_shrubs + 1, three_by_three.n_classes,
                      plan.keeps_caches ? plan.max_leaves : 0);
        arena.array<std::uint16_t>(Purpose::scratch, config.window_size);
    })[Purpose::scratch];
    const auto touched = holder.arena().last(behind).first(2);
    std::uint32_t skipped = 0;
    for (std::uint32_t i = 0; i < n_examples; ++i) {
        std::ranges::fill(touched, std::byte{0xFF});
        holder.ensemble().learn(source.next());
        skipped += std::ranges::count(touched, std::byte{0xFF}) == 2 ? 1 : 0;
    }
    return skipped;
}

}  // namespace

TEST_CASE("before the first example the prediction is uniform") {
    LearnerHolder holder(small_config(), three_by_three);
    std::vector<double> f(3);
    holder.ensemble().predict(std::vector<float>(3), f);
    CHECK_EQ(f, std::vector<double>(3, 1.0 / 3.0));
}

TEST_CASE("before the first example the predicted value is zero") {
    LearnerHolder holder(regression_config(), {3, 0, 3});
    CHECK_EQ(predicted_value(holder.ensemble(), std::vector<float>(3)), 0.0);
}

TEST_CASE("after one example its label is certain") {
    LearnerHolder holder(small_config(), three_by_three);
    const std::vector<float> x = {1.0F, 2.0F, missing};
    holder.ensemble().learn({x, 2, 0.0});
    CHECK_EQ(holder.ensemble().members().size(), 1U);
    CHECK_EQ(holder.ensemble().members().weights()[0], 1.0);
    std::vector<double> f(3);
    holder.ensemble().predict(std::vector<float>(3, 9.0F), f);
    CHECK_EQ(f, std::vector<double>({0.0, 0.0, 1.0}));
}

TEST_CASE("after one example its target is predicted exactly") {
    LearnerHolder holder(regression_config(), {3, 0, 3});
    holder.ensemble().learn({std::vector<float>(3), 0, 0.1});
    CHECK_EQ(predicted_value(holder.ensemble(), std::vector<float>(3, 9.0F)), 0.1);
}

TEST_CASE("one step gives the weights worked out by hand") {
    // Two classes, no features, window 2. After label 0: one shrub (1, 0) with weight 1.
    // Label 1 enters: the newcomer is (1/2, 1/2). With f = (1, 0) on both examples:
    //   sum_j <f - y_j, h_0> = 0 + 1 = 1,    g_0 = 2 / (2 * 2) * 1 = 1/2
    //   sum_j <f - y_j, h_1> = 0 + (1 - 1) / 2 = 0,    g_1 = 0
    // With step size 1/2: (3/4, 0), and the projection adds 1/8 to both.
    Config config;
    config.max_shrubs = 2;
    config.window_size = 2;
    config.step_size = 0.5;
    LearnerHolder holder(config, {0, 2, 0});
    holder.ensemble().learn({{}, 0, 0.0});
    holder.ensemble().learn({{}, 1, 0.0});
    const Members& members = holder.ensemble().members();
    CHECK_EQ(members.size(), 2U);
    CHECK_EQ(members.weights()[0], 0.875);
    CHECK_EQ(members.weights()[1], 0.125);
}

TEST_CASE("a full ensemble drops its lightest shrub for a heavier newcomer") {
    // As above with M = 1: the newcomer ends at 0, the old shrub at 1 - step size / 2. A step size
    // of 4 turns the order around.
    Config config;
    config.max_shrubs = 1;
    config.window_size = 2;
    for (const double step_size : {0.5, 4.0}) {
        config.step_size = step_size;
        LearnerHolder holder(config, {0, 2, 0});
        holder.ensemble().learn({{}, 0, 0.0});
        holder.ensemble().learn({{}, 1, 0.0});
        CHECK_EQ(holder.ensemble().members().size(), 1U);
        CHECK_EQ(holder.ensemble().members().born(0), step_size == 4.0 ? 1U : 0U);
    }
}

TEST_CASE("after every step the weights are on the simplex and the window is bounded") {
    for (const Loss loss : {Loss::mse, Loss::cross_entropy}) {
        Config config = small_config();
        config.loss = loss;
        config.step_size = 2.0;
        LearnerHolder holder(config, three_by_three);
        ExampleSource source(4, three_by_three, 9);
        for (std::uint32_t i = 1; i <= 200; ++i) {
            holder.ensemble().learn(source.next());
            CHECK_EQ(holder.ensemble().window().size(), std::min(i, config.window_size));
            CHECK_EQ(holder.ensemble().examples_seen(), i);
            check_invariants(holder.ensemble());
        }
    }
}

TEST_CASE("members are ordered by age and born in the past") {
    Config config = small_config();
    config.step_size = 1.0;
    LearnerHolder holder(config, three_by_three);
    ExampleSource source(5, three_by_three);
    for (int i = 0; i < 200; ++i) {
        holder.ensemble().learn(source.next());
        const Members& members = holder.ensemble().members();
        for (std::uint32_t k = 0; k < members.size(); ++k) {
            CHECK(k == 0 || members.born(k - 1) < members.born(k));
            CHECK(members.born(k) < holder.ensemble().examples_seen());
        }
    }
}

TEST_CASE("a newcomer is born at every so many examples, the first one included") {
    Config config = small_config();
    config.grow_every = 3;
    config.step_size = 1.0;
    LearnerHolder holder(config, three_by_three);
    ExampleSource source(5, three_by_three);
    for (int i = 0; i < 100; ++i) {
        holder.ensemble().learn(source.next());
        const Members& members = holder.ensemble().members();
        CHECK(members.size() > 0);
        for (std::uint32_t k = 0; k < members.size(); ++k) {
            CHECK_EQ(members.born(k) % 3, 0U);
        }
    }
}

TEST_CASE("hopeless newcomers are not grown") {
    Config config = small_config();
    config.step_size = 0.01;
    CHECK(n_skipped(config, 300) > 100);
    config.loss = Loss::cross_entropy;
    CHECK(n_skipped(config, 300) > 100);
}

TEST_CASE("with several steps per example a newcomer that each step would cut is not grown") {
    Config config = small_config();
    config.step_size = 0.01;
    config.steps_per_example = 2;
    CHECK(n_skipped(config, 300) > 100);
    config.loss = Loss::cross_entropy;
    CHECK(n_skipped(config, 300) > 100);
}

TEST_CASE("scratch means nothing between two calls") {
    for (Config config : {small_config(), regression_config()}) {
        const Dimensions dimensions{3, config.task == Task::regression ? 0U : 3U, 2};
        LearnerHolder tidy(config, dimensions);
        LearnerHolder scribbled(config, dimensions);
        ExampleSource source(8, dimensions, 7);
        for (int i = 0; i < 100; ++i) {
            const Example example = source.next();
            tidy.ensemble().learn(example);
            scribbled.scribble_over_scratch();
            scribbled.ensemble().learn(example);
        }
        CHECK(state_of(tidy.ensemble()) == state_of(scribbled.ensemble()));
    }
}

TEST_CASE("predict_next and learn_next do what a prediction and a step do") {
    LearnerHolder together(small_config(), three_by_three);
    LearnerHolder apart(small_config(), three_by_three);
    ExampleSource source(9, three_by_three);
    std::vector<double> f(3);
    std::vector<double> g(3);
    for (int i = 0; i < 100; ++i) {
        const Example example = source.next();
        together.ensemble().predict_next(example.x, f);
        together.ensemble().learn_next(example);
        apart.ensemble().predict(example.x, g);
        apart.ensemble().learn(example);
        CHECK_EQ(f, g);
    }
    CHECK(state_of(together.ensemble()) == state_of(apart.ensemble()));
}

TEST_CASE("predict_next predicts a value for regression") {
    LearnerHolder holder(regression_config(), {3, 0, 3});
    ExampleSource source(9, {3, 0, 3});
    std::vector<double> f(1);
    for (int i = 0; i < 50; ++i) {
        const Example example = source.next();
        const double expected = predicted_value(holder.ensemble(), example.x);
        holder.ensemble().predict_next(example.x, f);
        holder.ensemble().learn_next(example);
        CHECK_EQ(f[0], expected);
    }
}

TEST_CASE("an ensemble is frozen after a whole window in which nothing could enter") {
    // M = 1: the only shrub has weight 1, a newcomer gets at most 2 * 0.1 / 2.
    Config config;
    config.max_shrubs = 1;
    config.window_size = 4;
    config.step_size = 0.1;
    LearnerHolder holder(config, {0, 2, 0});
    for (std::uint16_t i = 0; i < 5; ++i) {
        CHECK(!holder.ensemble().is_frozen());
        holder.ensemble().learn({{}, static_cast<std::uint16_t>(i % 2), 0.0});
    }
    CHECK(holder.ensemble().is_frozen());
}

TEST_CASE("an ensemble with a large step size is never frozen") {
    Config config = small_config();
    config.step_size = 5.0;
    LearnerHolder holder(config, three_by_three);
    ExampleSource source(10, three_by_three);
    for (int i = 0; i < 200; ++i) {
        holder.ensemble().learn(source.next());
    }
    CHECK(!holder.ensemble().is_frozen());
}
