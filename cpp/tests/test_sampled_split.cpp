#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "holders.hpp"
#include "shrubs/auto/sampled_split.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// A window, its tallies, and the split that is found in it.
class Cuts {
 public:
    Cuts(std::vector<std::uint8_t> nominal, Task task, std::uint32_t capacity = 64)
        : n_features_(static_cast<std::uint32_t>(nominal.size())),
          task_(task),
          holder_(capacity, std::move(nominal), task, Splitter::random) {}

    void add(const std::vector<float>& x, double y) {
        members_.push_back(static_cast<std::uint16_t>(holder_.add(x, y)));
    }
    const Window& window() { return holder_.window(); }
    const std::vector<std::uint16_t>& members() const { return members_; }

    std::optional<Split> find(const SampledSearch& search, std::uint64_t seed) {
        Random random(seed, 0);
        std::vector<std::uint16_t> features(n_features_);
        std::iota(features.begin(), features.end(), std::uint16_t{0});
        std::optional<Split> split;
        if (task_ == Task::classification) {
            std::vector<std::uint32_t> totals(n_classes), lefts(n_classes);
            std::vector<std::uint16_t> cells(n_cells * n_classes, 99);
            ClassTally tally(window().labels(), totals, lefts, cells);
            tally.begin_node(members_);
            split = find_sampled_split(window(), members_, search, features, tally, random);
        } else {
            std::vector<double> cells(n_cells, 1e9);
            TargetTally tally(window().targets(), 1.0, 0.5, cells);
            tally.begin_node(members_);
            split = find_sampled_split(window(), members_, search, features, tally, random);
        }
        std::ranges::sort(features);  // shuffled, and still each of them once
        for (std::uint32_t i = 0; i < n_features_; ++i) {
            CHECK_EQ(features[i], i);
        }
        return split;
    }

    // The sum over sides and classes of n_c^2 / n, or of sum(y)^2 / n; -1 if a side is empty.
    double score(const Split& split) {
        std::vector<std::vector<double>> sums(2, std::vector<double>(n_classes));
        std::vector<double> n(2);
        const Window::Values values = window().values(split.feature);
        for (const std::uint16_t slot : members_) {
            const std::size_t side = split.goes_left(values[slot]) ? 0 : 1;
            n[side] += 1.0;
            if (task_ == Task::classification) {
                sums[side][window().labels()[slot]] += 1.0;
            } else {
                sums[side][0] += window().targets()[slot] - 0.5;
            }
        }
        double score = 0.0;
        for (std::size_t side = 0; side < 2; ++side) {
            if (n[side] == 0.0) {
                return -1.0;
            }
            for (const double sum : sums[side]) {
                score += sum * sum / n[side];
            }
        }
        return score;
    }

    // The best score of all cuts, with missing values on the larger side, or on their own.
    double best_score() {
        double best = -1.0;
        for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
            const Window::Values values = window().values(feature);
            Split split{.feature = feature, .nominal = window().is_nominal(feature)};
            for (const std::uint16_t slot : members_) {
                if (values[slot] == values[slot]) {
                    split.threshold = values[slot];
                    split.missing_left = is_left_larger(split);
                    best = std::max(best, score(split));
                }
            }
            split.threshold = missing;
            split.missing_left = true;
            best = std::max(best, score(split));
        }
        return best;
    }

    bool is_left_larger(const Split& split) {
        const Window::Values values = window().values(split.feature);
        std::uint32_t n_left = 0;
        std::uint32_t n_right = 0;
        for (const std::uint16_t slot : members_) {
            if (values[slot] == values[slot]) {
                ++(split.goes_left(values[slot]) ? n_left : n_right);
            }
        }
        return n_left >= n_right;
    }

 private:
    static constexpr std::size_t n_classes = 3;
    std::uint32_t n_features_;
    Task task_;
    WindowHolder holder_;
    std::vector<std::uint16_t> members_;
};

void fill(Cuts& node, Random& random, std::uint32_t n, std::uint32_t n_features, Task task) {
    for (std::uint32_t i = 0; i < n; ++i) {
        std::vector<float> x(n_features);
        for (float& value : x) {
            value = random.below(7) == 0 ? missing : static_cast<float>(random.below(9));
        }
        node.add(x, task == Task::classification ? random.below(3) : random.uniform());
    }
}

void for_both_tasks(auto check) {
    check(Task::classification);
    check(Task::regression);
}

}  // namespace

TEST_CASE("a small node gets the best of all its cuts") {
    for_both_tasks([](Task task) {
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            Random random(seed, 1);
            // Nominal features draw their categories, so they are left to the next test.
            Cuts node({0, 0, 0}, task);
            fill(node, random, 2 + random.below(careful_cuts - 1), 3, task);
            const auto split = node.find({.n_cuts = careful_cuts, .n_features = 3}, seed);
            const double best = node.best_score();
            CHECK_EQ(split.has_value(), best >= 0.0);
            CHECK(!split || std::abs(node.score(*split) - best) < 1e-12 * (1.0 + best));
        }
    });
}

TEST_CASE("a split parts the examples, and no cut is better than the best of all") {
    for_both_tasks([](Task task) {
        for (std::uint64_t seed = 0; seed < 300; ++seed) {
            Random random(seed, 2);
            Cuts node({0, 1, 0, 1}, task);
            fill(node, random, 2 + random.below(60), 4, task);
            for (const std::uint32_t n_cuts : {1U, careful_cuts}) {
                const auto split =
                    node.find({.n_cuts = n_cuts, .n_features = 1 + random.below(4)}, seed);
                CHECK(split.has_value());
                CHECK(node.score(*split) >= 0.0);
                CHECK(node.score(*split) <= node.best_score() * (1.0 + 1e-12));
                CHECK_EQ(split->nominal, split->feature % 2 == 1);
                if (split->threshold == split->threshold) {
                    CHECK_EQ(split->missing_left, node.is_left_larger(*split));
                }
            }
        }
    });
}

TEST_CASE("sixteen drawn cuts find what one drawn cut may miss") {
    double careful = 0.0;
    double single = 0.0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed, 3);
        Cuts node({0}, Task::classification);
        for (int i = 0; i < 60; ++i) {
            const double value = random.uniform();
            node.add({static_cast<float>(value)}, value > 0.8 ? 1 : 0);
        }
        careful += node.score(*node.find({.n_cuts = careful_cuts, .n_features = 1}, seed));
        single += node.score(*node.find({.n_cuts = 1, .n_features = 1}, seed));
    }
    CHECK(careful > 1.05 * single);
}

TEST_CASE("the threshold lies midway between the neighbouring values") {
    Cuts node({0}, Task::classification);
    for (const float value : {1.0F, 2.0F, 5.0F, 6.0F}) {
        node.add({value}, value > 3.0F ? 1 : 0);
    }
    CHECK_EQ(node.find({.n_cuts = careful_cuts, .n_features = 1}, 0)->threshold, 3.5F);
    for (int i = 0; i < 40; ++i) {  // a large node draws its cuts, and centres the best
        node.add({static_cast<float>(1 + i % 2)}, 0);
    }
    CHECK_EQ(node.find({.n_cuts = careful_cuts, .n_features = 1}, 0)->threshold, 3.5F);
}

TEST_CASE("one cut per feature is drawn anywhere between the extremes") {
    Cuts node({0}, Task::classification);
    node.add({0.0F}, 0);
    node.add({1.0F}, 1);
    std::set<float> thresholds;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const float threshold = node.find({.n_cuts = 1, .n_features = 1}, seed)->threshold;
        CHECK(threshold >= 0.0F && threshold < 1.0F);
        thresholds.insert(threshold);
    }
    CHECK(thresholds.size() > 40);
}

TEST_CASE("constant features give no split") {
    for_both_tasks([](Task task) {
        for (const std::uint8_t nominal : {0, 1}) {
            for (const float constant : {4.0F, missing}) {
                Cuts node({nominal, nominal}, task);
                for (int i = 0; i < 30; ++i) {
                    node.add({constant, constant}, i % 2);
                }
                CHECK(!node.find({.n_cuts = careful_cuts, .n_features = 2}, 0));
                CHECK(!node.find({.n_cuts = 1, .n_features = 2}, 0));
            }
        }
    });
}

TEST_CASE("a constant feature does not count as tried") {
    Cuts node({0, 0, 0, 0, 0}, Task::classification);
    for (int i = 0; i < 20; ++i) {
        node.add({1.0F, 2.0F, static_cast<float>(i), 3.0F, 4.0F}, i < 10 ? 0 : 1);
    }
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        CHECK_EQ(node.find({.n_cuts = 1, .n_features = 1}, seed)->feature, 2U);
    }
}

TEST_CASE("a feature that is only sometimes there can be split by that") {
    for_both_tasks([](Task task) {
        for (const std::uint8_t nominal : {0, 1}) {
            for (const std::uint32_t n : {8U, 50U}) {
                Cuts node({nominal}, task);
                for (std::uint32_t i = 0; i < n; ++i) {
                    node.add({i % 2 == 0 ? missing : 7.0F}, i % 2);
                }
                const auto split = node.find({.n_cuts = careful_cuts, .n_features = 1}, 1);
                CHECK(split.has_value());
                // Missing on one side, present on the other: half of each class is on its own.
                CHECK(std::abs(node.score(*split) - node.best_score()) < 1e-12);
            }
        }
    });
}

TEST_CASE("a category goes left alone") {
    Cuts node({1}, Task::classification);
    for (int i = 0; i < 60; ++i) {
        node.add({static_cast<float>(i % 5)}, i % 5 == 3 ? 1 : 0);
    }
    const auto split = node.find({.n_cuts = careful_cuts, .n_features = 1}, 0);
    CHECK(split->nominal);
    CHECK_EQ(split->threshold, 3.0F);
}

TEST_CASE("the same seed finds the same split") {
    Random random(9, 9);
    Cuts node({0, 1, 0}, Task::regression);
    fill(node, random, 50, 3, Task::regression);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto a = node.find({.n_cuts = 1, .n_features = 2}, seed);
        const auto b = node.find({.n_cuts = 1, .n_features = 2}, seed);
        CHECK_EQ(a->feature, b->feature);
        CHECK_EQ(a->missing_left, b->missing_left);
        CHECK(a->threshold == b->threshold ||
              (a->threshold != a->threshold && b->threshold != b->threshold));
    }
}
