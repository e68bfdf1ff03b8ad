#include <algorithm>
#include <numeric>
#include <vector>

#include "holders.hpp"
#include "shrubs/batch/block_prediction.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// A random ensemble and random rows for it.
struct Case {
    Dimensions dimensions{5, 3, 5};
    std::vector<std::uint8_t> nominal = {0, 0, 0, 0, 0};
    std::uint32_t window_size = 60;
    std::uint32_t n_shrubs = 7;
    std::uint32_t missing_every = 0;
    bool regression = false;
    bool repeated = false;  // few different values
};

class Ensemble {
 public:
    explicit Ensemble(const Case& asked)
        : case_(asked),
          config_(config_of(asked)),
          holder_(config_, asked.dimensions),
          source_(asked.window_size, asked.dimensions, asked.missing_every) {
        WindowHolder window(asked.window_size, asked.nominal, config_.task);
        const Members& members = holder_.members();
        for (std::uint32_t i = 0; i < asked.n_shrubs; ++i) {
            // The first shrub sees one example and is one leaf.
            for (std::uint32_t n = 0; n < 1 + i * asked.window_size / 3; ++n) {
                const Example example = next();
                window.add(x_, asked.regression ? example.target : example.label);
            }
            holder_.grow_member(window.window(), i);
            members.weights()[i] = 1.0 / (i + 1.5);
        }
    }

    const Members& members() { return holder_.members(); }

    std::vector<float> rows(std::size_t n) {
        std::vector<float> all;
        for (std::size_t i = 0; i < n; ++i) {
            next();
            all.insert(all.end(), x_.begin(), x_.end());
        }
        return all;
    }

    // Row by row, as a learner predicts.
    std::vector<double> one_by_one(const std::vector<float>& rows) {
        const std::size_t n_features = case_.dimensions.n_features;
        std::vector<double> all;
        std::vector<std::uint16_t> found(members().size());
        for (std::size_t at = 0; at < rows.size(); at += n_features) {
            members().find_leaves(std::span(rows).subspan(at, n_features), found);
            std::vector<double> f(width());
            if (case_.regression) {
                f[0] = members().predict_value(found);
            } else {
                members().predict_distribution(found, f);
            }
            all.insert(all.end(), f.begin(), f.end());
        }
        return all;
    }

    template <class T>
    std::vector<double> all_at_once(const std::vector<T>& rows) {
        const std::size_t n_rows = rows.size() / case_.dimensions.n_features;
        std::vector<double> out(n_rows * width(), -1.0);
        BlockPrediction(members(), config_.task, case_.dimensions.n_features, width())
            .predict(rows.data(), n_rows, out.data());
        return out;
    }

 private:
    static Config config_of(const Case& asked) {
        Config config;
        config.task = asked.regression ? Task::regression : Task::classification;
        config.window_size = asked.window_size;
        config.max_depth = no_limit;
        config.max_shrubs = std::max(asked.n_shrubs, 1U);
        return config;
    }

    std::size_t width() const { return case_.regression ? 1 : case_.dimensions.n_classes; }

    Example next() {
        const Example example = source_.next();
        x_.assign(example.x.begin(), example.x.end());
        for (std::size_t i = 0; i < x_.size(); ++i) {
            if (case_.nominal[i] != 0) {
                x_[i] *= 8.0F;
            } else if (!case_.repeated) {
                x_[i] += static_cast<float>(0.125 * random_.uniform());
            }
        }
        return example;
    }

    Case case_;
    Config config_;
    MembersHolder holder_;
    ExampleSource source_;
    Random random_{3, 0};
    std::vector<float> x_;
};

constexpr std::uint32_t large = 1200;

std::vector<Case> cases() {
    const Dimensions one_class{5, 1, 5};
    const Dimensions two_classes{5, 2, 5};
    const Dimensions many_classes{5, 40, 5};
    const Dimensions targets{5, 0, 5};
    const std::vector<std::uint8_t> all_nominal = {1, 1, 1, 1, 1};
    return {
        {},
        {.repeated = true},
        {.window_size = 12},  // so small that few rows suffice for ranks
        {.n_shrubs = 0},
        {.n_shrubs = 1},
        {.dimensions = one_class},
        {.dimensions = two_classes},
        {.dimensions = many_classes},
        {.nominal = {0, 1, 0, 1, 0}, .missing_every = 7},
        {.nominal = all_nominal},
        {.missing_every = 7},
        {.dimensions = targets, .regression = true},
        {.dimensions = targets, .n_shrubs = 0, .regression = true},
        {.dimensions = targets, .nominal = all_nominal, .missing_every = 7, .regression = true},
        // Some too large to be ranked.
        {.dimensions = two_classes, .window_size = large},
        {.nominal = {0, 1, 0, 0, 0}, .window_size = large},
        {.window_size = large, .missing_every = 9},
        {.dimensions = targets, .window_size = large, .regression = true},
        // More thresholds than find room at once.
        {.window_size = 120, .n_shrubs = 40},
    };
}

}  // namespace

TEST_CASE("rows have the same prediction alone and in a batch of any size") {
    for (const Case& asked : cases()) {
        Ensemble ensemble(asked);
        if (asked.window_size == large) {
            CHECK(ensemble.members().n_inner(0) < RankedShrubs::max_questions);
            CHECK(ensemble.members().n_inner(6) > RankedShrubs::max_questions);
        }
        std::vector<std::size_t> sizes(101);
        std::iota(sizes.begin(), sizes.end(), std::size_t{0});
        constexpr std::size_t strip = RankedShrubs::strip;
        constexpr std::size_t most = RankedShrubs::max_rows;
        sizes.insert(sizes.end(), {strip - 1, strip, strip + 1, most - 1, most, most + 1, 3000});
        for (const std::size_t n : sizes) {
            const std::vector<float> rows = ensemble.rows(n);
            CHECK_EQ(ensemble.all_at_once(rows), ensemble.one_by_one(rows));
        }
    }
}

TEST_CASE("a batch of doubles is predicted in single precision") {
    Ensemble ensemble({.repeated = true});
    const std::vector<float> rows = ensemble.rows(200);
    std::vector<double> doubles(rows.begin(), rows.end());
    std::ranges::replace(doubles, 0.0, -0.0);
    CHECK_EQ(ensemble.all_at_once(doubles), ensemble.one_by_one(rows));
}

TEST_CASE("a batch of rows that do not fit in one block") {
    Ensemble ensemble({.window_size = 20, .n_shrubs = 2});
    const std::vector<float> rows = ensemble.rows(60000);
    CHECK_EQ(ensemble.all_at_once(rows), ensemble.one_by_one(rows));
}
