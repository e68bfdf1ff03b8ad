#include <vector>

#include "holders.hpp"
#include "shrubs/paper/plan.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

std::vector<Region> regions(const Plan& p) {
    return {p.values,        p.labels,       p.targets,      p.nominal,     p.nodes,
            p.leaves,        p.n_inner,      p.born,         p.places,      p.weights,
            p.sorted,        p.leaf_ids,     p.products,     p.rights,      p.n_distinct,
            p.pivots,        p.n_lower,      p.rows,         p.last_nodes,  p.last_leaves,
            p.last_middles,  p.last_leaf_of, p.last_ends,    p.last_facts,  p.lanes,
            p.lane_features, p.n_lanes,      p.inverse,      p.bounds,      p.descended,
            p.order,         p.found,        p.by_class,     p.row,         p.members,
            p.grow_sorted,   p.right,        p.goes_left,    p.permutation, p.pending,
            p.totals,        p.lefts,        p.distribution, p.centred,     p.probabilities,
            p.counts,        p.lane_scores,  p.group_scores, p.scores,      p.kinds,
            p.classes,       p.moves,        p.bytes,        p.counts_two,  p.growing,
            p.middles,       p.new_leaf,     p.new_sizes,    p.left_counts};
}

std::vector<Config> some_configs() {
    std::vector<Config> configs;
    for (const std::uint32_t size : {1U, 2U, 17U, 256U, 257U, 5000U}) {
        for (const std::uint32_t max_depth : {1U, 3U, no_limit}) {
            for (const std::uint32_t least : {1U, 7U}) {
                Config config;
                config.window_size = size;
                config.max_shrubs = size;
                config.max_depth = max_depth;
                config.min_samples_leaf = least;
                configs.push_back(config);
                config.cache = Cache::all;
                configs.push_back(config);
                config.splitter = Splitter::random;
                configs.push_back(config);
                config.loss = Loss::cross_entropy;
                configs.push_back(config);
                config.loss = Loss::mse;
                config.task = Task::regression;
                configs.push_back(config);
            }
        }
    }
    return configs;
}

void for_some_plans(auto check) {
    for (const Config& config : some_configs()) {
        for (const std::uint32_t n_features : {0U, 1U, 7U, 64U, 65U}) {
            for (const std::uint32_t n_classes : {0U, 1U, 2U, 11U, 300U}) {
                const Dimensions dimensions{n_features,
                                            config.task == Task::regression ? 0 : n_classes,
                                            (n_features + 1) / 2};
                check(config, dimensions, make_plan(config, dimensions));
            }
        }
    }
}

}  // namespace

TEST_CASE("regions follow each other without overlap, aligned to eight bytes") {
    for_some_plans([](const Config&, const Dimensions&, const Plan& plan) {
        std::uint64_t next = 0;
        for (const Region& region : regions(plan)) {
            CHECK_EQ(region.offset, next);
            next += (region.bytes + 7) / 8 * 8;
        }
        CHECK_EQ(plan.total_bytes, next);
    });
}

TEST_CASE("the report adds up to the whole arena") {
    for_some_plans([](const Config&, const Dimensions&, const Plan& plan) {
        const MemoryReport bytes = report(plan);
        CHECK_EQ(bytes.window + bytes.shrubs + bytes.weights + bytes.caches + bytes.scratch,
                 plan.total_bytes);
    });
}

TEST_CASE("a plan counts every byte of a small learner") {
    Config config;
    config.window_size = 4;
    config.max_shrubs = 2;
    const Plan plan = make_plan(config, {2, 2, 2});
    const MemoryReport bytes = report(plan);
    // 4 * 2 values of 4 bytes, 4 labels of 2, no targets, 2 kinds padded to 8
    CHECK_EQ(bytes.window, 32U + 8 + 8);
    // 3 shrubs: 3 nodes of 6 (54, padded to 56), 4 leaves of 2 (24), sizes, births, places
    CHECK_EQ(bytes.shrubs, 56U + 24 + 8 + 24 + 8);
    CHECK_EQ(bytes.weights, 24U);
    // sorted slots, leaf ids (12, padded to 16), the lower triangle of 3, r
    CHECK_EQ(bytes.caches, 16U + 16 + 48 + 24);
}

TEST_CASE("caches for growing are kept by default where the window is not small") {
    const auto bytes = [](std::uint32_t window_size, Cache cache) {
        Config config;
        config.window_size = window_size;
        config.cache = cache;
        return make_plan(config, {3, 2, 3}).total_bytes;
    };
    CHECK_EQ(bytes(small_window, Cache::automatic), bytes(small_window, Cache::none));
    for (const std::uint32_t size : {small_window, small_window + 1, 128U}) {
        CHECK(bytes(size, Cache::none) < bytes(size, Cache::all));
    }
    // In between, without the orders of the first levels.
    for (const std::uint32_t size : {small_window + 1, 127U}) {
        CHECK(bytes(size, Cache::none) < bytes(size, Cache::automatic));
        CHECK(bytes(size, Cache::automatic) < bytes(size, Cache::all));
    }
    CHECK_EQ(bytes(128, Cache::automatic), bytes(128, Cache::all));
}

TEST_CASE("more features, classes, shrubs or examples never take fewer bytes") {
    for_some_plans([](const Config& config, const Dimensions& dimensions, const Plan& plan) {
        Config larger = config;
        ++larger.max_shrubs;
        CHECK(make_plan(larger, dimensions).total_bytes >= plan.total_bytes);
        larger = config;
        ++larger.window_size;
        CHECK(make_plan(larger, dimensions).total_bytes >= plan.total_bytes);
        Dimensions wider = dimensions;
        ++wider.n_features;
        ++wider.max_features;
        CHECK(make_plan(config, wider).total_bytes >= plan.total_bytes);
        wider = dimensions;
        wider.n_classes += config.task == Task::classification ? 1 : 0;
        CHECK(make_plan(config, wider).total_bytes >= plan.total_bytes);
    });
}

TEST_CASE("a shrub has room for one leaf per min_samples_leaf examples or two to the depth") {
    Config config;
    config.window_size = 100;
    CHECK_EQ(make_plan(config, {1, 2, 1}).max_leaves, 100U);
    config.min_samples_leaf = 7;
    CHECK_EQ(make_plan(config, {1, 2, 1}).max_leaves, 14U);
    config.max_depth = 3;
    CHECK_EQ(make_plan(config, {1, 2, 1}).max_leaves, 8U);
    config.min_samples_leaf = 200;
    CHECK_EQ(make_plan(config, {1, 2, 1}).max_leaves, 1U);
}

TEST_CASE("the largest learner can be planned") {
    Config config;
    config.window_size = largest_window;
    config.max_shrubs = most_shrubs;
    CHECK(make_plan(config, {most_features, most_classes, most_features}).total_bytes >
          std::uint64_t{largest_window} * most_features * sizeof(float));
    // The Gram matrix alone has 65535 * 65536 / 2 entries of 8 bytes.
    CHECK(make_plan(config, {1, 2, 1}).total_bytes > std::uint64_t{1} << 34U);
}
