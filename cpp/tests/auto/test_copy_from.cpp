#include <algorithm>
#include <cmath>
#include <vector>

#include "auto_invariants.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// A learner of another shape that has taken over what `other` knows.
std::unique_ptr<AutoHolder> adopted(AutoHolder& other, std::uint64_t arena_bytes,
                                    std::uint32_t more_features, std::uint32_t more_classes) {
    AutoConfig config = other.ensemble().config();
    config.arena_bytes = arena_bytes;
    Dimensions dimensions = other.ensemble().dimensions();
    dimensions.n_features += more_features;
    dimensions.n_classes += config.task == Task::classification ? more_classes : 0;
    auto holder = std::make_unique<AutoHolder>(config, dimensions, other.nominal());
    holder->ensemble().copy_from(other.ensemble());
    CHECK_EQ(holder->ensemble().examples_seen(), other.ensemble().examples_seen());
    check_auto_invariants(*holder);
    CHECK(other.fences_stand());
    return holder;
}

std::vector<double> predicted(AutoHolder& holder, std::span<const float> x) {
    std::vector<float> wide(x.begin(), x.end());
    wide.resize(holder.ensemble().dimensions().n_features, missing);
    if (holder.ensemble().config().task == Task::regression) {
        return {predicted_value(holder.ensemble(), wide)};
    }
    std::vector<double> f(holder.ensemble().dimensions().n_classes);
    holder.ensemble().predict(wide, f);
    return f;
}

void learn_on(AutoHolder& holder, int n_examples) {
    ExampleSource source(8, holder.ensemble().dimensions(), 6);
    for (int i = 0; i < n_examples; ++i) {
        holder.ensemble().learn(source.next());
    }
    check_auto_invariants(holder);
}

// Kinds whose smallest windows are shorter than the longest reactive one among them.
std::vector<AutoKind> kinds() {
    std::vector<AutoKind> result = auto_kinds();
    for (const Task task : {Task::classification, Task::regression}) {
        const Dimensions dimensions{30, task == Task::classification ? 2U : 0U, 0};
        const std::uint64_t least = smallest_auto_arena({.task = task}, dimensions, 1);
        result.push_back({{task, least, 8}, dimensions});
        result.push_back({{task, least + least / 3, 9}, dimensions});
    }
    return result;
}

}  // namespace

TEST_CASE(
    "a learner that adopts one of its own shape predicts the same bits, and learns on alike") {
    for (const AutoKind& kind : kinds()) {
        for (const int n_examples : {0, 1, 30, 250}) {
            const auto holder = auto_taught(kind, n_examples);
            const auto copy = adopted(*holder, kind.config.arena_bytes, 0, 0);
            ExampleSource source(9, kind.dimensions, 6);
            for (int i = 0; i < 40; ++i) {
                const Example example = source.next();
                CHECK_EQ(predicted(*copy, example.x), predicted(*holder, example.x));
                holder->ensemble().learn(example);
                copy->ensemble().learn(example);
            }
        }
    }
}

TEST_CASE("what a learner predicts from predicts the same bits") {
    for (const AutoKind& kind : kinds()) {
        for (const int n_examples : {0, 1, 30, 250}) {
            const auto holder = auto_taught(kind, n_examples);
            AutoHolder predictor(kind.config, kind.dimensions, holder->nominal());
            predictor.ensemble().copy_predictor_from(holder->ensemble());
            ExampleSource source(9, kind.dimensions, 6);
            for (int i = 0; i < 40; ++i) {
                const Example example = source.next();
                CHECK_EQ(predicted(predictor, example.x), predicted(*holder, example.x));
            }
            CHECK_EQ(predictor.ensemble().bound(0.9), holder->ensemble().bound(0.9));
            CHECK_EQ(predictor.ensemble().n_shrubs(), holder->ensemble().n_shrubs());
            CHECK(predictor.fences_stand());
        }
    }
}

TEST_CASE("more features and classes in the same or more memory leave the learner sound") {
    for (const AutoKind& kind : kinds()) {
        const auto holder = auto_taught(kind, 250);
        for (const std::uint64_t factor : {2U, 8U}) {
            const auto larger = adopted(*holder, factor * kind.config.arena_bytes, 3, 2);
            const Window& window = larger->ensemble().window();
            CHECK_EQ(window.size(), holder->ensemble().window().size());
            for (std::uint32_t age = 0; age < window.size(); ++age) {
                const float value = window.row(window.slot(age))[kind.dimensions.n_features];
                CHECK(value != value);
            }
            learn_on(*larger, 150);
        }
    }
}

TEST_CASE("a learner that grows keeps what it knows") {
    for (const AutoKind& kind : {AutoKind{{Task::classification, 1U << 17U, 1}, {3, 3, 0}},
                                 AutoKind{{Task::regression, 1U << 17U, 2}, {3, 0, 0}}}) {
        const auto holder = auto_taught(kind, 400);
        const auto larger = adopted(*holder, 1U << 18U, 2, 1);
        ExampleSource source(10, kind.dimensions);
        double difference = 0.0;
        for (int i = 0; i < 50; ++i) {
            const Example example = source.next();
            difference +=
                std::abs(predicted(*holder, example.x)[0] - predicted(*larger, example.x)[0]);
        }
        // Shrubs of the longest window stay behind when it becomes longer.
        CHECK(difference / 50 < 0.25);
    }
}

TEST_CASE("less memory keeps the last examples and the shrubs that still fit") {
    for (const AutoKind& kind : {AutoKind{{Task::classification, 1U << 18U, 1}, {3, 3, 0}},
                                 AutoKind{{Task::regression, 1U << 18U, 2}, {3, 0, 0}}}) {
        const auto holder = auto_taught(kind, 1500);
        const auto smaller = adopted(*holder, 1U << 15U, 0, 0);
        const Window& before = holder->ensemble().window();
        const Window& after = smaller->ensemble().window();
        CHECK_EQ(after.size(), std::min(before.size(), smaller->ensemble().plan().window_size));
        CHECK(after.size() < before.size());
        for (std::uint32_t i = 1; i <= after.size(); ++i) {
            const float* a = before.row(before.slot(before.size() - i));
            const float* b = after.row(after.slot(after.size() - i));
            CHECK(std::equal(a, a + 3, b, [](float x, float y) { return x == y || x != x; }));
        }
        CHECK(smaller->ensemble().n_shrubs() > 0);
        learn_on(*smaller, 200);
        const auto back = adopted(*smaller, 1U << 18U, 0, 0);
        learn_on(*back, 200);
    }
}

TEST_CASE("a learner without classes or features begins to learn when they come") {
    AutoHolder nothing({.arena_bytes = 1U << 16U}, {0, 0, 0});
    const auto classes = adopted(nothing, 1U << 16U, 0, 2);
    learn_on(*classes, 50);
    const auto features = adopted(*classes, 1U << 16U, 3, 0);
    learn_on(*features, 100);
}

TEST_CASE("categories keep their counts when there are more or fewer buckets") {
    const AutoKind kind{{Task::classification, 1U << 18U, 1}, {1, 2, 0}};
    AutoHolder holder(kind.config, kind.dimensions, {1});
    Random random(3, 0);
    for (int i = 0; i < 400; ++i) {
        const std::uint32_t category = random.below(6);
        const std::vector<float> x = {static_cast<float>(10 + category)};
        holder.ensemble().learn({x, static_cast<std::uint16_t>(category % 2), 0.0});
    }
    for (const std::uint64_t bytes : {std::uint64_t{1} << 15U, std::uint64_t{1} << 21U}) {
        const auto other = adopted(holder, bytes, 0, 0);
        CHECK(other->ensemble().plan().n_buckets != holder.ensemble().plan().n_buckets);
        for (std::uint32_t category = 0; category < 6; ++category) {
            const std::vector<float> x = {static_cast<float>(10 + category)};
            CHECK(predicted(*other, x)[category % 2] > 0.5);
        }
    }
}
