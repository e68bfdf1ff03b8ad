#include <algorithm>
#include <vector>

#include "holders.hpp"
#include "shrubs/growth/grow.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

struct Row {
    std::vector<float> x;
    double y;
};

// A shrub grown on some rows.
class Grown {
 public:
    Grown(const std::vector<Row>& rows, Config config, const std::vector<std::uint8_t>& nominal,
          std::uint32_t n_classes, std::uint32_t max_features = 99)
        : window_(static_cast<std::uint32_t>(rows.size()), nominal, config.task, config.splitter),
          holder_(sized(config, rows.size()), shape(nominal, n_classes, max_features)) {
        for (const Row& row : rows) {
            window_.add(row.x, row.y);
        }
        TargetScale scale;
        if (config.task == Task::regression) {
            scale = scale_targets(window_.window(), holder_.centred());
        }
        n_inner_ = holder_.grow_member(window_.window(), 0, scale);
    }

    std::uint32_t n_inner() const { return n_inner_; }
    std::uint32_t leaf_of(const std::vector<float>& x) { return holder_.members().find_leaf(0, x); }
    std::uint32_t stored_leaf(std::uint32_t slot) {
        return holder_.members().leaf_ids(0).get(slot);
    }
    Node node(std::uint32_t i) {
        return read_node(holder_.members().node_bytes(), holder_.members().nodes(0), i);
    }
    std::vector<std::int32_t> distribution(std::uint32_t leaf) {
        std::vector<std::int32_t> q(holder_.members().layout().n_classes());
        holder_.members().layout().get_distribution(holder_.members().leaves(0), leaf, q);
        return q;
    }
    double value(std::uint32_t leaf) {
        return holder_.members().layout().value(holder_.members().leaves(0), leaf);
    }

    // Inner nodes on the longest path.
    std::uint32_t depth() { return depth(0, n_inner_); }

 private:
    static Config sized(Config config, std::size_t window_size) {
        config.window_size = static_cast<std::uint32_t>(window_size);
        return config;
    }
    static Dimensions shape(const std::vector<std::uint8_t>& nominal, std::uint32_t n_classes,
                            std::uint32_t max_features) {
        const auto n_features = static_cast<std::uint32_t>(nominal.size());
        return {n_features, n_classes, std::min(n_features, max_features)};
    }
    std::uint32_t depth(std::uint32_t first, std::uint32_t n) {
        if (n == 0) {
            return 0;
        }
        const std::uint32_t n_left = node(first).n_left;
        return 1 + std::max(depth(first + 1, n_left), depth(first + 1 + n_left, n - 1 - n_left));
    }

    WindowHolder window_;
    MembersHolder holder_;
    std::uint32_t n_inner_ = 0;
};

const std::vector<Row> exclusive_or = {
    {{0.0F, 0.0F}, 0}, {{0.0F, 1.0F}, 1}, {{1.0F, 0.0F}, 1}, {{1.0F, 1.0F}, 0}};

std::vector<Row> random_rows(std::uint32_t n, std::uint32_t n_classes, std::uint64_t seed) {
    ExampleSource source(seed, {4, n_classes, 4}, 6);
    std::vector<Row> rows;
    for (std::uint32_t i = 0; i < n; ++i) {
        const Example example = source.next();
        rows.push_back(
            {{example.x.begin(), example.x.end()}, n_classes > 0 ? example.label : example.target});
    }
    return rows;
}

Config regression() {
    Config config;
    config.task = Task::regression;
    return config;
}

}  // namespace

TEST_CASE("a pure window grows a single leaf") {
    Grown shrub({{{1.0F}, 1}, {{2.0F}, 1}}, Config{}, {0}, 3);
    CHECK_EQ(shrub.n_inner(), 0U);
    CHECK_EQ(shrub.distribution(0), std::vector<std::int32_t>({0, 32768, 0}));
}

TEST_CASE("a mixed window without features grows a single leaf") {
    Grown shrub({{{}, 0}, {{}, 1}, {{}, 1}, {{}, 1}}, Config{}, {}, 2);
    CHECK_EQ(shrub.n_inner(), 0U);
    CHECK_EQ(shrub.distribution(0), std::vector<std::int32_t>({8192, 24576}));
}

TEST_CASE("XOR grows until every leaf is pure") {
    Grown shrub(exclusive_or, Config{}, {0, 0}, 2);
    CHECK_EQ(shrub.n_inner(), 3U);
    for (const Row& row : exclusive_or) {
        const auto y = static_cast<std::size_t>(row.y);
        CHECK_EQ(shrub.distribution(shrub.leaf_of(row.x))[y], fixed_one);
    }
}

TEST_CASE("nodes are in preorder and count their left subtree") {
    // x = 1 2 3 4 of classes 0 1 2 3: all cuts are equally good or better in the middle:
    // 1 | 2 3 4 scores 1 + 3 / 3 = 2, and so do the others; the lowest wins, then again.
    Grown shrub({{{1.0F}, 0}, {{2.0F}, 1}, {{3.0F}, 2}, {{4.0F}, 3}}, Config{}, {0}, 4);
    CHECK_EQ(shrub.n_inner(), 3U);
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK_EQ(shrub.node(i).split.threshold, static_cast<float>(i) + 1.5F);
        CHECK_EQ(shrub.node(i).n_left, 0U);
    }
    for (std::uint32_t leaf = 0; leaf < 4; ++leaf) {
        CHECK_EQ(shrub.distribution(leaf)[leaf], fixed_one);
    }
}

TEST_CASE("a left subtree is counted by its parent") {
    // 0 1 0 | 2 2 2: the root cuts at 3.5 and only its left side goes on, with two more nodes.
    Grown shrub({{{1.0F}, 0}, {{2.0F}, 1}, {{3.0F}, 0}, {{4.0F}, 2}, {{5.0F}, 2}, {{6.0F}, 2}},
                Config{}, {0}, 3);
    CHECK_EQ(shrub.n_inner(), 3U);
    CHECK_EQ(shrub.node(0).split.threshold, 3.5F);
    CHECK_EQ(shrub.node(0).n_left, 2U);
}

TEST_CASE("the depth stays within max_depth") {
    for (const std::uint32_t max_depth : {1U, 2U, 3U, 20U}) {
        Config config;
        config.max_depth = max_depth;
        Grown shrub(random_rows(100, 5, max_depth), config, {0, 0, 0, 1}, 5);
        CHECK(shrub.depth() <= max_depth);
        CHECK(max_depth > 3 || shrub.depth() == max_depth);
    }
}

TEST_CASE("an impure leaf holds the shares of its classes") {
    Config config;
    config.max_depth = 1;
    Grown shrub(exclusive_or, config, {0, 0}, 2);
    CHECK_EQ(shrub.distribution(0), std::vector<std::int32_t>({16384, 16384}));
}

TEST_CASE("every leaf holds at least min_samples_leaf examples") {
    for (const Splitter splitter : {Splitter::best, Splitter::random}) {
        for (const std::uint32_t least : {1U, 2U, 7U, 30U, 51U}) {
            Config config;
            config.splitter = splitter;
            config.min_samples_leaf = least;
            Grown shrub(random_rows(100, 3, least), config, {0, 1, 0, 0}, 3);
            std::vector<std::uint32_t> sizes(shrub.n_inner() + 1);
            for (std::uint32_t slot = 0; slot < 100; ++slot) {
                ++sizes[shrub.stored_leaf(slot)];
            }
            CHECK(std::ranges::min(sizes) >= std::min(least, 100U));
            CHECK(least < 51 || shrub.n_inner() == 0);
        }
    }
}

TEST_CASE("the leaf noted for an example is the one it falls into") {
    for (const Splitter splitter : {Splitter::best, Splitter::random}) {
        for (const std::uint32_t max_features : {1U, 2U, 4U}) {
            Config config;
            config.splitter = splitter;
            const auto rows = random_rows(300, 4, 7 + max_features);
            Grown shrub(rows, config, {0, 0, 1, 0}, 4, max_features);
            for (std::uint32_t slot = 0; slot < rows.size(); ++slot) {
                CHECK_EQ(shrub.stored_leaf(slot), shrub.leaf_of(rows[slot].x));
            }
        }
    }
}

TEST_CASE("a shrub never has more than twice the window's nodes") {
    Grown shrub(random_rows(200, 7, 3), Config{}, {0, 0, 0, 0}, 7);
    CHECK(2 * shrub.n_inner() + 1 <= 2 * 200 - 1);
}

TEST_CASE("a leaf of equal targets predicts exactly that target") {
    Grown shrub({{{1.0F}, 0.1}, {{2.0F}, 0.3}, {{2.0F}, 0.3}}, regression(), {0}, 0);
    CHECK_EQ(shrub.value(shrub.leaf_of({1.0F})), 0.1);
    CHECK_EQ(shrub.value(shrub.leaf_of({2.0F})), 0.3);
}

TEST_CASE("a leaf of several targets predicts their mean") {
    Config config = regression();
    config.min_samples_leaf = 2;
    Grown shrub({{{1.0F}, 1.0}, {{1.0F}, 3.0}, {{9.0F}, 8.0}, {{9.0F}, 16.0}}, config, {0}, 0);
    CHECK_EQ(shrub.value(shrub.leaf_of({1.0F})), 2.0);
    CHECK_EQ(shrub.value(shrub.leaf_of({9.0F})), 12.0);
}

TEST_CASE("a leaf of the largest targets stays finite") {
    constexpr double largest = std::numeric_limits<double>::max();
    Grown shrub({{{1.0F}, largest}, {{1.0F}, largest}, {{1.0F}, 0.5 * largest}}, regression(), {0},
                0);
    CHECK(shrub.value(0) <= largest && shrub.value(0) > 0.8 * largest);
}

TEST_CASE("a shrub of the largest window has one leaf per example") {
    std::vector<Row> rows;
    for (std::uint32_t i = 0; i < limits::window_size; ++i) {
        rows.push_back({{static_cast<float>(i)}, static_cast<double>(i)});
    }
    Grown shrub(rows, regression(), {0}, 0);
    CHECK_EQ(shrub.n_inner(), limits::window_size - 1);
    for (std::uint32_t i = 0; i < limits::window_size; ++i) {
        CHECK_EQ(shrub.value(shrub.leaf_of(rows[i].x)), static_cast<double>(i));
        CHECK_EQ(shrub.stored_leaf(i), i);
    }
}

TEST_CASE("the same seed grows the same shrub, another seed another one") {
    Config config;
    config.splitter = Splitter::random;
    const auto rows = random_rows(60, 2, 9);
    const auto thresholds = [&](std::uint64_t seed) {
        config.seed = seed;
        Grown shrub(rows, config, {0, 0, 0, 0}, 2, 2);
        std::vector<float> all;
        for (std::uint32_t i = 0; i < shrub.n_inner(); ++i) {
            all.push_back(shrub.node(i).split.threshold);
        }
        return all;
    };
    CHECK(thresholds(1) == thresholds(1));
    CHECK(thresholds(1) != thresholds(2));
}
