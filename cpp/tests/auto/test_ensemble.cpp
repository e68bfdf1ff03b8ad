#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "auto_invariants.hpp"
#include "shrubs/auto/ensemble.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr float most_single = std::numeric_limits<float>::max();

// Learns `n` examples whose values and labels `make` fills in.
void live(AutoHolder& holder, int n,
          const std::function<void(Random&, std::vector<float>&, Example&)>& make) {
    const Dimensions& dimensions = holder.ensemble().dimensions();
    Random random(7, 0);
    std::vector<float> x(dimensions.n_features);
    std::vector<double> f(std::max(dimensions.n_classes, 1U));
    for (int i = 0; i < n; ++i) {
        Example example{x};
        make(random, x, example);
        holder.ensemble().predict_next(x, f);
        CHECK(std::ranges::all_of(f, [](double value) { return std::isfinite(value); }));
        holder.ensemble().learn_next(example);
        if (i % 32 == 0) {
            check_auto_invariants(holder);
        }
    }
    check_auto_invariants(holder);
    CHECK_EQ(holder.ensemble().examples_seen(), static_cast<std::uint64_t>(n));
}

std::vector<std::uint8_t> last_nominal(std::uint32_t n_features) {
    std::vector<std::uint8_t> nominal(n_features, 0);
    if (n_features > 0) {
        nominal.back() = 1;
    }
    return nominal;
}

}  // namespace

TEST_CASE("a new learner without parameters knows nothing") {
    AutoHolder classifier({.arena_bytes = 1U << 16U}, {2, 4, 0});
    std::vector<double> f(4);
    classifier.ensemble().predict(std::vector<float>{1.0F, 2.0F}, f);
    CHECK_EQ(f, std::vector<double>(4, 0.25));
    CHECK_EQ(classifier.ensemble().n_shrubs(), 0U);
    AutoHolder regressor({.task = Task::regression, .arena_bytes = 1U << 16U}, {2, 0, 0});
    CHECK_EQ(predicted_value(regressor.ensemble(), std::vector<float>{1.0F, 2.0F}), 0.0);
}

TEST_CASE("a learner without classes can be asked") {
    AutoHolder holder({.arena_bytes = 1U << 16U}, {2, 0, 0});
    std::vector<double> none;
    holder.ensemble().predict(std::vector<float>{1.0F, 2.0F}, none);
    holder.ensemble().predict_next(std::vector<float>{1.0F, 2.0F}, none);
    CHECK(holder.fences_stand());
}

TEST_CASE("a learner without parameters learns a concept and its change") {
    for (const std::uint64_t bytes : {std::uint64_t{1} << 16U, std::uint64_t{1} << 20U}) {
        AutoHolder holder({.arena_bytes = bytes, .seed = 3}, {3, 2, 0});
        Random random(1, 0);
        int n_right = 0;
        std::vector<double> f(2);
        for (int i = 0; i < 1500; ++i) {
            const std::vector<float> x = {static_cast<float>(random.uniform()),
                                          static_cast<float>(random.uniform()),
                                          static_cast<float>(random.uniform())};
            const bool above = x[0] + x[1] > 1.0F;
            const auto label = static_cast<std::uint16_t>(above == (i < 750) ? 1 : 0);
            holder.ensemble().predict_next(x, f);
            const bool counts = (i >= 350 && i < 750) || i >= 1100;
            n_right += counts && (f[1] > f[0] ? 1 : 0) == label ? 1 : 0;
            holder.ensemble().learn_next({x, label, 0.0});
        }
        CHECK(n_right > 720);
        check_auto_invariants(holder);
    }
}

TEST_CASE("a regressor without parameters learns a function") {
    AutoHolder holder({.task = Task::regression, .arena_bytes = 1U << 18U}, {2, 0, 0});
    Random random(2, 0);
    double error = 0.0;
    std::vector<double> f(1);
    for (int i = 0; i < 1500; ++i) {
        const double a = random.uniform();
        const double b = random.uniform();
        const std::vector<float> x = {static_cast<float>(a), static_cast<float>(b)};
        const double y = 1e6 * (a + (b > 0.5 ? 1.0 : 0.0));
        holder.ensemble().predict_next(x, f);
        error += i < 1000 ? 0.0 : std::abs(f[0] - y);
        holder.ensemble().learn_next({x, 0, y});
    }
    CHECK(error / 500 < 1e5);  // the targets' deviation is above 5e5
}

TEST_CASE("the same seed and stream lead to the same bytes, another seed to others") {
    for (const AutoKind& kind : auto_kinds()) {
        const auto state = state_of(auto_taught(kind, 150)->ensemble());
        CHECK(state_of(auto_taught(kind, 150)->ensemble()) == state);
        AutoKind other = kind;
        ++other.config.seed;
        CHECK(state_of(auto_taught(other, 150)->ensemble()) != state);
    }
}

TEST_CASE("scratch means nothing between two examples, and asking changes nothing") {
    for (const AutoKind& kind : auto_kinds()) {
        const auto plain = auto_taught(kind, 0);
        const auto scribbled = auto_taught(kind, 0);
        ExampleSource source(4, kind.dimensions, 6);
        for (int i = 0; i < 120; ++i) {
            const Example example = source.next();
            scribbled->scribble_over_scratch();
            check_auto_prediction(scribbled->ensemble(),
                                  std::vector<float>(kind.dimensions.n_features, 1.0F));
            scribbled->scribble_over_scratch();
            plain->ensemble().learn(example);
            scribbled->ensemble().learn(example);
        }
        CHECK(state_of(plain->ensemble()) == state_of(scribbled->ensemble()));
    }
}

TEST_CASE("predicting and learning in one is predicting and then learning") {
    for (const AutoKind& kind : auto_kinds()) {
        const auto apart = auto_taught(kind, 0);
        const auto together = auto_taught(kind, 0);
        ExampleSource source(5, kind.dimensions, 6);
        std::vector<double> f(std::max(kind.dimensions.n_classes, 1U));
        std::vector<double> g(f.size());
        for (int i = 0; i < 120; ++i) {
            const Example example = source.next();
            if (kind.config.task == Task::regression) {
                f[0] = predicted_value(apart->ensemble(), example.x);
            } else {
                apart->ensemble().predict(example.x, f);
            }
            apart->ensemble().learn(example);
            together->ensemble().predict_next(example.x, g);
            together->ensemble().learn_next(example);
            CHECK_EQ(f, g);
        }
        CHECK(state_of(apart->ensemble()) == state_of(together->ensemble()));
    }
}

TEST_CASE("streams of the largest, smallest and missing values stay within the arena") {
    for (const AutoKind& kind : auto_kinds()) {
        AutoHolder holder(kind.config, kind.dimensions, last_nominal(kind.dimensions.n_features));
        const std::uint32_t n_classes = kind.dimensions.n_classes;
        live(holder, 300, [&](Random& random, std::vector<float>& x, Example& example) {
            for (float& value : x) {
                const std::array<float, 7> some = {most_single, -most_single, 3e38F, 1e-45F,
                                                   0.0F,        missing,      1.0F};
                value = some[random.below(7)];
            }
            example.label = static_cast<std::uint16_t>(n_classes > 0 ? random.below(n_classes) : 0);
            const std::array<double, 7> targets = {
                1e308, -1e308, 0.0, 5e-324, 1.0, std::numeric_limits<double>::max(), -1.0};
            example.target = targets[random.below(7)];
        });
    }
}

TEST_CASE("a stream of missing values alone is learned as well as it can be") {
    for (const AutoKind& kind : auto_kinds()) {
        AutoHolder holder(kind.config, kind.dimensions, last_nominal(kind.dimensions.n_features));
        live(holder, 300, [&](Random& random, std::vector<float>& x, Example& example) {
            std::ranges::fill(x, missing);
            example.label = static_cast<std::uint16_t>(
                kind.dimensions.n_classes > 1 && random.below(5) == 0 ? 1 : 0);
            example.target = 3.0 + 0.01 * random.uniform();
        });
        const std::vector<float> x(kind.dimensions.n_features, missing);
        if (kind.config.task == Task::regression) {
            CHECK(std::abs(predicted_value(holder.ensemble(), x) - 3.0) < 0.1);
        } else {
            std::vector<double> f(kind.dimensions.n_classes);
            holder.ensemble().predict(x, f);
            CHECK(f[0] > 0.6);
        }
    }
}

TEST_CASE("one class or one target is learned at once") {
    for (const AutoKind& kind : auto_kinds()) {
        AutoHolder holder(kind.config, kind.dimensions, last_nominal(kind.dimensions.n_features));
        live(holder, 200, [&](Random& random, std::vector<float>& x, Example& example) {
            for (float& value : x) {
                value = static_cast<float>(random.below(4));
            }
            example.label = 1;
            example.target = -12.5;
        });
        const std::vector<float> x(kind.dimensions.n_features, 2.0F);
        if (kind.config.task == Task::regression) {
            CHECK(std::abs(predicted_value(holder.ensemble(), x) + 12.5) < 1e-9);
        } else {
            std::vector<double> f(kind.dimensions.n_classes);
            holder.ensemble().predict(x, f);
            CHECK(f[1] > 0.9);
        }
    }
}

TEST_CASE("a single class needs no telling apart") {
    AutoHolder holder({.arena_bytes = 1U << 16U}, {2, 1, 0});
    live(holder, 100, [](Random& random, std::vector<float>& x, Example&) {
        x = {static_cast<float>(random.uniform()), 1.0F};
    });
    std::vector<double> f(1);
    holder.ensemble().predict(std::vector<float>{0.0F, 0.0F}, f);
    CHECK(std::abs(f[0] - 1.0) < 1e-6);
}

TEST_CASE("without features the most frequent class or the mean is predicted") {
    AutoHolder classifier({.arena_bytes = 1U << 16U}, {0, 3, 0});
    live(classifier, 400, [](Random& random, std::vector<float>&, Example& example) {
        example.label = static_cast<std::uint16_t>(random.below(4) == 0 ? 0 : 2);
    });
    std::vector<double> f(3);
    classifier.ensemble().predict({}, f);
    CHECK(f[2] > f[0] && f[0] > f[1]);
    AutoHolder regressor({.task = Task::regression, .arena_bytes = 1U << 16U}, {0, 0, 0});
    live(regressor, 400, [](Random& random, std::vector<float>&, Example& example) {
        example.target = 100.0 + random.uniform();
    });
    CHECK(std::abs(predicted_value(regressor.ensemble(), {}) - 100.5) < 0.3);
}

TEST_CASE("the smallest memory of every shape is enough to learn in") {
    for (const Task task : {Task::classification, Task::regression}) {
        for (const std::uint32_t n_features : {0U, 1U, 40U}) {
            const Dimensions dimensions{n_features, task == Task::classification ? 5U : 0U, 0};
            const auto nominal = last_nominal(n_features);
            const std::uint64_t bytes =
                smallest_auto_arena({.task = task}, dimensions, count_nominal(nominal));
            AutoHolder holder({.task = task, .arena_bytes = bytes}, dimensions, nominal);
            live(holder, 300, [](Random& random, std::vector<float>& x, Example& example) {
                for (float& value : x) {
                    value = static_cast<float>(random.below(20));
                }
                example.label = static_cast<std::uint16_t>(random.below(5));
                example.target = random.uniform();
            });
        }
    }
}

TEST_CASE("shrubs are grown on every length of window, and the weights of all sum to one") {
    const auto holder = auto_taught({{.arena_bytes = 1U << 17U}, {2, 3, 0}}, 700);
    const AutoEnsemble& ensemble = holder->ensemble();
    CHECK_EQ(ensemble.window().size(), std::min(700U, ensemble.plan().window_size));
    for (const ShrubGroup& group : ensemble.plan().all_groups()) {
        CHECK(group.length > 700 || ensemble.shrubs().is_grown(group.first_place));
    }
    check_auto_invariants(*holder);
    CHECK(ensemble.n_shrubs() > 20);
}

TEST_CASE("shrubs go on growing when a class is forgotten that is not in the window") {
    AutoHolder holder({.arena_bytes = 1U << 18U}, {3, 3, 0}, last_nominal(3));
    Random random(12, 0);
    bool has_grown = false;
    for (int i = 0; i < 2000; ++i) {
        const std::vector<float> x = {static_cast<float>(random.below(1000)),
                                      static_cast<float>(random.below(1000)),
                                      static_cast<float>(random.below(3))};
        holder.ensemble().learn({x, static_cast<std::uint16_t>(random.below(2))});
        const std::uint32_t n = holder.ensemble().n_shrubs();
        holder.ensemble().renumber_classes(std::array<std::uint16_t, 3>{0, 1, gone_class});
        CHECK_EQ(holder.ensemble().n_shrubs(), n);
        if (i % 100 == 99) {
            holder.ensemble().renumber_classes(std::array<std::uint16_t, 3>{0, gone_class, 2});
            has_grown = has_grown || holder.ensemble().n_shrubs() > n;
            check_auto_invariants(holder);
        }
    }
    CHECK(has_grown);
}

TEST_CASE("a learner goes on with fewer classes") {
    constexpr std::uint32_t n_classes = 40;
    for (const std::uint32_t n_kept : {1U, 5U, 12U}) {
        AutoHolder holder({.arena_bytes = 1U << 18U}, {3, n_classes, 0}, last_nominal(3));
        live(holder, 3000, [&](Random& random, std::vector<float>& x, Example& example) {
            example.label = static_cast<std::uint16_t>(random.below(n_classes));
            x = {static_cast<float>(example.label), static_cast<float>(random.below(9)),
                 static_cast<float>(random.below(3))};
        });
        // Every third stays, the last ones take the places of the first.
        std::vector<std::uint16_t> now(n_classes, gone_class);
        for (std::uint16_t c = 0, n = 0; n < n_kept; c += 3, ++n) {
            now[c] = n;
        }
        holder.ensemble().renumber_classes(now);
        check_auto_invariants(holder);
        AutoHolder fewer({.arena_bytes = 1U << 18U}, {3, n_kept, 0}, last_nominal(3));
        fewer.ensemble().copy_from(holder.ensemble());
        check_auto_invariants(fewer);
        CHECK_EQ(fewer.ensemble().window().size(), holder.ensemble().window().size());
        std::vector<double> f(n_kept);
        for (std::uint16_t c = 0; c < n_kept; ++c) {
            fewer.ensemble().predict(std::vector<float>{3.0F * c, 4.0F, 1.0F}, f);
            CHECK_EQ(std::ranges::max_element(f) - f.begin(), c);
        }
        Random random(8, 0);
        for (int i = 0; i < 500; ++i) {
            const auto label = static_cast<std::uint16_t>(random.below(n_kept));
            const std::vector<float> x = {3.0F * label, 1.0F, 1.0F};
            fewer.ensemble().learn({x, label});
        }
        check_auto_invariants(fewer);
    }
}

TEST_CASE("a learner goes on after it has forgotten a feature and a class") {
    AutoHolder holder({.arena_bytes = 1U << 15U}, {3, 3, 0}, last_nominal(3));
    Random random(11, 0);
    std::vector<float> x(3);
    std::vector<std::uint32_t> since(3);
    std::vector<std::uint32_t> counts(3);
    for (int i = 0; i < 600; ++i) {
        x = {static_cast<float>(random.below(8)), static_cast<float>(random.below(8)),
             static_cast<float>(random.below(3))};
        if (i > 200) {
            x[1] = std::numeric_limits<float>::quiet_NaN();
        }
        const auto label = static_cast<std::uint16_t>(i < 500 ? random.below(3) : 2 * (i % 2));
        holder.ensemble().learn({x, label});
        if (i % 97 == 96) {
            holder.ensemble().count_since_present(since);
            CHECK_EQ(since[0], 0U);
            if (since[1] == holder.ensemble().window().size()) {
                holder.ensemble().forget_feature(1);
            }
            holder.ensemble().count_since_class(since, counts);
            CHECK_EQ(since[label], 0U);
            CHECK_EQ(counts[0] + counts[1] + counts[2], holder.ensemble().window().size());
            std::array<std::uint16_t, 3> now = {0, 1, 2};
            now[(label + std::size_t{1}) % 3] = gone_class;
            holder.ensemble().renumber_classes(now);
            CHECK(holder.ensemble().window().size() > 0);
            check_auto_invariants(holder);
        }
    }
    holder.ensemble().count_since_class(since, counts);
    CHECK(since[1] > std::max(since[0], since[2]));
}

TEST_CASE("growing visits little more than three times what an example visits anyway") {
    // Noise on many features: shrubs have as many nodes as they may. A search may go beyond.
    constexpr std::uint32_t n_features = 200;
    AutoHolder holder({.arena_bytes = 1U << 17U}, {n_features, 2, 0});
    const AutoEnsemble& ensemble = holder.ensemble();
    const std::uint64_t most = growing_bound * ensemble.plan().n_visited();
    std::uint32_t n_bound = 0;
    live(holder, 400, [&](Random& random, std::vector<float>& x, Example& example) {
        n_bound += ensemble.n_visited() >= most ? 1 : 0;
        CHECK(ensemble.n_visited() < most + 2 * 32 * 36 + 129 + 2 * ensemble.plan().window_size);
        std::ranges::generate(x, [&] { return static_cast<float>(random.uniform()); });
        example.label = static_cast<std::uint16_t>(random.below(2));
    });
    CHECK(n_bound > 10);
}
