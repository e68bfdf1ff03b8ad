#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "holders.hpp"
#include "shrubs/growth/split.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

struct SplitRow {
    std::vector<float> x;
    double y;
};

// The split of a window that is one node.
std::optional<Split> split_of(const std::vector<SplitRow>& rows, std::vector<std::uint8_t> nominal,
                              SplitOptions options, Task task = Task::classification,
                              std::uint64_t example_index = 2) {
    const auto n = static_cast<std::uint32_t>(rows.size());
    const auto n_features = static_cast<std::uint32_t>(nominal.size());
    WindowHolder holder(n, std::move(nominal), task, options.splitter);
    std::vector<std::uint16_t> members;
    for (const SplitRow& row : rows) {
        members.push_back(static_cast<std::uint16_t>(holder.add(row.x, row.y)));
    }
    const Window& window = holder.window();
    const NodeExamples examples{members, window.is_sorted() ? window.sorted(0).data() : nullptr, n};
    std::vector<std::uint16_t> permutation(n_features);
    std::iota(permutation.begin(), permutation.end(), std::uint16_t{0});
    Random random(1, example_index);
    if (task == Task::regression) {
        Variance variance(window.targets(), window.targets());
        variance.begin_node(members);
        return find_split(window, examples, options, permutation, variance, random);
    }
    std::vector<std::uint32_t> totals(10);
    std::vector<std::uint32_t> lefts(10);
    Gini gini(window.labels(), totals, lefts);
    gini.begin_node(members);
    return find_split(window, examples, options, permutation, gini, random);
}

SplitOptions best(std::uint32_t max_features, std::uint32_t min_samples_leaf = 1) {
    return {Splitter::best, min_samples_leaf, max_features};
}

SplitOptions at_random(std::uint32_t max_features, std::uint32_t min_samples_leaf = 1) {
    return {Splitter::random, min_samples_leaf, max_features};
}

constexpr float most = std::numeric_limits<float>::max();

}  // namespace

TEST_CASE("the best cut lies half-way between two neighbouring values") {
    const auto split = split_of({{{1.0F}, 0}, {{2.0F}, 0}, {{4.0F}, 1}}, {0}, best(1));
    CHECK(split.has_value());
    CHECK_EQ(split->threshold, 3.0F);
    CHECK_EQ(split->feature, 0U);
    CHECK(!split->nominal);
    // Nothing is missing: missing values go to the larger side.
    CHECK(split->missing_left);
}

TEST_CASE("a missing value goes left on equal sides if the node has none") {
    CHECK(split_of({{{1.0F}, 0}, {{2.0F}, 1}}, {0}, best(1))->missing_left);
    CHECK(!split_of({{{1.0F}, 0}, {{2.0F}, 1}, {{3.0F}, 1}}, {0}, best(1))->missing_left);
}

TEST_CASE("of equal scores the first feature and the lowest cut win") {
    // x = 1 2 3 4 with y = 0 1 1 0: the outer cuts score 1 + (1 + 4) / 3 = 8/3, the middle one 2.
    const auto split =
        split_of({{{1.0F, 1.0F}, 0}, {{2.0F, 2.0F}, 1}, {{3.0F, 3.0F}, 1}, {{4.0F, 4.0F}, 0}},
                 {0, 0}, best(2));
    CHECK_EQ(split->feature, 0U);
    CHECK_EQ(split->threshold, 1.5F);
}

TEST_CASE("a threshold never reaches the larger value") {
    // No float lies between these neighbours, and their middle may round up.
    const float a = 1.0F + std::numeric_limits<float>::epsilon();
    const float b = a + std::numeric_limits<float>::epsilon();
    CHECK_EQ(split_of({{{a}, 0}, {{b}, 1}}, {0}, best(1))->threshold, a);
    CHECK_EQ(split_of({{{-most}, 0}, {{most}, 1}}, {0}, best(1))->threshold, 0.0F);
    const float tiny = std::numeric_limits<float>::denorm_min();
    CHECK_EQ(split_of({{{0.0F}, 0}, {{tiny}, 1}}, {0}, best(1))->threshold, 0.0F);
}

TEST_CASE("there is no split when all features are constant") {
    CHECK(!split_of({{{1.0F}, 0}, {{1.0F}, 1}}, {0}, best(1)).has_value());
    CHECK(!split_of({{{1.0F}, 0}, {{1.0F}, 1}}, {1}, best(1)).has_value());
    CHECK(!split_of({{{missing}, 0}, {{missing}, 1}}, {0}, best(1)).has_value());
    CHECK(!split_of({{{missing}, 0}, {{missing}, 1}}, {0}, at_random(1)).has_value());
    CHECK(!split_of({{{}, 0}, {{}, 1}}, {}, best(0)).has_value());
}

TEST_CASE("a split is made even if it gains nothing") {
    // XOR: both sides of every cut are as mixed as before.
    const std::vector<SplitRow> exclusive_or = {
        {{0.0F, 0.0F}, 0}, {{0.0F, 1.0F}, 1}, {{1.0F, 0.0F}, 1}, {{1.0F, 1.0F}, 0}};
    CHECK_EQ(split_of(exclusive_or, {0, 0}, best(2))->threshold, 0.5F);
}

TEST_CASE("both sides keep min_samples_leaf examples") {
    const std::vector<SplitRow> rows = {{{1.0F}, 0}, {{2.0F}, 1}, {{3.0F}, 1}, {{4.0F}, 1}};
    CHECK_EQ(split_of(rows, {0}, best(1, 1))->threshold, 1.5F);
    CHECK_EQ(split_of(rows, {0}, best(1, 2))->threshold, 2.5F);
    CHECK(!split_of(rows, {0}, best(1, 3)).has_value());
}

TEST_CASE("a nominal feature is split one category against the rest") {
    const auto split =
        split_of({{{0.0F}, 0}, {{5.0F}, 1}, {{9.0F}, 0}, {{5.0F}, 1}, {{0.0F}, 0}}, {1}, best(1));
    CHECK_EQ(split->threshold, 5.0F);
    CHECK(split->nominal);
    // Two go left, three right.
    CHECK(!split->missing_left);
}

TEST_CASE("missing values go to the side that serves the split best") {
    // Classes 0 | 1, and the missing ones look like class 0.
    CHECK(split_of({{{1.0F}, 0}, {{missing}, 0}, {{2.0F}, 1}}, {0}, best(1))->missing_left);
    CHECK(!split_of({{{1.0F}, 0}, {{missing}, 1}, {{2.0F}, 1}}, {0}, best(1))->missing_left);
    CHECK(split_of({{{1.0F}, 0}, {{missing}, 0}, {{2.0F}, 1}, {{3.0F}, 1}}, {1}, best(1))
              ->missing_left);
}

TEST_CASE("missing values can be split from all present ones") {
    for (const std::uint8_t kind : {0, 1}) {
        const auto split =
            split_of({{{1.0F}, 0}, {{missing}, 1}, {{2.0F}, 0}, {{missing}, 1}}, {kind}, best(1));
        CHECK(split->threshold != split->threshold);
        CHECK(split->missing_left);
    }
    // Also with one present value only, best and random.
    for (const SplitOptions& options : {best(1), at_random(1)}) {
        const auto split = split_of({{{3.0F}, 0}, {{missing}, 1}}, {0}, options);
        CHECK(split->threshold != split->threshold);
    }
}

TEST_CASE("a random threshold lies between the smallest and the largest value") {
    // The first number of the generator decides: low + u * (high - low).
    Random random(1, 2);
    const auto expected = static_cast<float>(10.0 + random.uniform() * 10.0);
    const std::vector<SplitRow> rows = {{{10.0F}, 0}, {{12.0F}, 0}, {{20.0F}, 1}};
    CHECK_EQ(split_of(rows, {0}, at_random(1))->threshold, expected);
}

TEST_CASE("a random threshold between neighbours separates them") {
    const float next = 1.0F + std::numeric_limits<float>::epsilon();
    // About half of the draws round up to the larger value.
    for (std::uint64_t i = 0; i < 20; ++i) {
        const auto split =
            split_of({{{1.0F}, 0}, {{next}, 1}}, {0}, at_random(1), Task::classification, i);
        CHECK(split.has_value() && split->threshold == 1.0F);
    }
    const auto split = split_of({{{-most}, 0}, {{most}, 1}}, {0}, at_random(1));
    CHECK(split->threshold >= -most && split->threshold < most);
}

TEST_CASE("a random category is that of a random present example") {
    // 0, 0, 0, 7 with one missing in between: the draw counts present examples only.
    Random random(1, 2);
    const std::vector<float> present = {3.0F, 4.0F, 5.0F};
    const float expected = present[random.below(3)];
    const auto split =
        split_of({{{3.0F}, 0}, {{missing}, 1}, {{4.0F}, 0}, {{5.0F}, 1}}, {1}, at_random(1));
    CHECK_EQ(split->threshold, expected);
    CHECK(split->nominal);
}

TEST_CASE("constant features do not count among those tried") {
    // Only feature 2 can be split; whichever is drawn first, the search goes on to it.
    const std::vector<SplitRow> rows = {{{1.0F, missing, 1.0F}, 0}, {{1.0F, missing, 2.0F}, 1}};
    for (const SplitOptions& options : {best(1), at_random(1)}) {
        CHECK_EQ(split_of(rows, {0, 0, 0}, options)->feature, 2U);
    }
}

TEST_CASE("more features are tried when the first ones have no allowed cut") {
    // Feature 0 separates one example from three, feature 1 two from two.
    const std::vector<SplitRow> rows = {
        {{1.0F, 1.0F}, 0}, {{0.0F, 1.0F}, 1}, {{0.0F, 0.0F}, 0}, {{0.0F, 0.0F}, 1}};
    CHECK_EQ(split_of(rows, {0, 0}, best(1, 2))->feature, 1U);
}

TEST_CASE("the features tried are drawn without replacement") {
    // below(3) of the first number, then below(2) of the second, pick the two that are tried.
    Random random(1, 2);
    std::vector<std::uint32_t> order = {0, 1, 2};
    std::swap(order[0], order[random.below(3)]);
    std::swap(order[1], order[1 + random.below(2)]);
    // All features are equally good, so the first one drawn wins.
    const std::vector<SplitRow> rows = {{{1.0F, 1.0F, 1.0F}, 0}, {{2.0F, 2.0F, 2.0F}, 1}};
    CHECK_EQ(split_of(rows, {0, 0, 0}, best(2))->feature, order[0]);
    // Only the feature that is not drawn is good: one of the others is taken.
    std::vector<SplitRow> good_last = {
        {{1.0F, 1.0F, 1.0F}, 0}, {{2.0F, 2.0F, 2.0F}, 1}, {{1.0F, 1.0F, 1.0F}, 1}};
    good_last[2].x[order[2]] = 2.0F;
    CHECK_EQ(split_of(good_last, {0, 0, 0}, best(2))->feature, order[0]);
    CHECK_EQ(split_of(good_last, {0, 0, 0}, best(3))->feature, order[2]);
}

TEST_CASE("a regression split separates low from high targets") {
    // Targets -2 -2 4: the cut before 4 scores 16 / 2 + 16 / 1 = 24, the other 4 + 4 / 2 = 6.
    const std::vector<SplitRow> rows = {{{1.0F}, -2.0}, {{2.0F}, -2.0}, {{3.0F}, 4.0}};
    CHECK_EQ(split_of(rows, {0}, best(1), Task::regression)->threshold, 2.5F);
    CHECK_EQ(split_of(rows, {1}, best(1), Task::regression)->threshold, 3.0F);
}

TEST_CASE("the best of all cuts is found") {
    // Every cut of every feature, missing on either side, scored from scratch.
    Random random(21, 0);
    for (int repeat = 0; repeat < 300; ++repeat) {
        std::vector<SplitRow> rows(2 + random.below(12));
        for (SplitRow& row : rows) {
            row.y = random.below(3);
            for (int feature = 0; feature < 3; ++feature) {
                row.x.push_back(random.below(5) == 0 ? missing
                                                     : static_cast<float>(random.below(4)));
            }
        }
        const std::vector<std::uint8_t> nominal = {0, 1, 0};
        const auto score = [&](const Split& split) {
            double squares[2][3] = {};
            double n[2] = {};
            for (const SplitRow& row : rows) {
                const int side = split.goes_left(row.x[split.feature]) ? 0 : 1;
                ++squares[side][static_cast<int>(row.y)];
                ++n[side];
            }
            if (n[0] == 0.0 || n[1] == 0.0) {
                return -1.0;
            }
            double sums[2] = {};
            for (const int side : {0, 1}) {
                for (const double count : squares[side]) {
                    sums[side] += count * count;
                }
            }
            return (sums[0] * n[1] + sums[1] * n[0]) / (n[0] * n[1]);
        };
        double best_score = -1.0;
        for (std::uint32_t feature = 0; feature < 3; ++feature) {
            for (const float threshold : {0.0F, 1.0F, 2.0F, 3.0F, missing}) {
                for (const bool missing_left : {false, true}) {
                    best_score =
                        std::max(best_score,
                                 score({threshold, feature, nominal[feature] != 0, missing_left}));
                }
            }
        }
        const auto found = split_of(rows, nominal, best(3));
        CHECK_EQ(found ? score(*found) : -1.0, best_score);
    }
}
