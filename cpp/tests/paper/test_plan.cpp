#include <vector>

#include "holders.hpp"
#include "shrubs/paper/plan.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

std::uint64_t bytes_of(const Config& config, const Dimensions& dimensions) {
    return PaperEnsemble::report(config, dimensions).total();
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
                check(config, dimensions, bytes_of(config, dimensions));
            }
        }
    }
}

}  // namespace

TEST_CASE("a plan counts every byte of a small learner") {
    Config config;
    config.window_size = 4;
    config.max_shrubs = 2;
    const MemoryReport bytes = PaperEnsemble::report(config, {2, 2, 2});
    // 4 * 2 values of 4 bytes, 4 labels of 2, no targets, 2 kinds padded to 8
    CHECK_EQ(bytes[Purpose::window], 32U + 8 + 8);
    // 3 shrubs: 3 nodes of 6 (54, padded to 56), 4 leaves of 2 (24), sizes, births, places
    CHECK_EQ(bytes[Purpose::shrubs], 56U + 24 + 8 + 24 + 8);
    CHECK_EQ(bytes[Purpose::weights], 24U);
    // sorted slots, leaf ids (12, padded to 16), the lower triangle of 3, r
    CHECK_EQ(bytes[Purpose::cache], 16U + 16 + 48 + 24);
}

TEST_CASE("caches for growing are kept by default where the window is not small") {
    const auto bytes = [](std::uint32_t window_size, Cache cache) {
        Config config;
        config.window_size = window_size;
        config.cache = cache;
        return bytes_of(config, {3, 2, 3});
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
    for_some_plans([](const Config& config, const Dimensions& dimensions, std::uint64_t bytes) {
        Config larger = config;
        ++larger.max_shrubs;
        CHECK(bytes_of(larger, dimensions) >= bytes);
        larger = config;
        ++larger.window_size;
        CHECK(bytes_of(larger, dimensions) >= bytes);
        Dimensions wider = dimensions;
        ++wider.n_features;
        ++wider.max_features;
        CHECK(bytes_of(config, wider) >= bytes);
        wider = dimensions;
        wider.n_classes += config.task == Task::classification ? 1 : 0;
        CHECK(bytes_of(config, wider) >= bytes);
    });
}

TEST_CASE("a shrub has room for one leaf per min_samples_leaf examples or two to the depth") {
    Config config;
    config.window_size = 100;
    CHECK_EQ(make_plan(config, {1, 2, 1}).growth.max_leaves, 100U);
    config.min_samples_leaf = 7;
    CHECK_EQ(make_plan(config, {1, 2, 1}).growth.max_leaves, 14U);
    config.max_depth = 3;
    CHECK_EQ(make_plan(config, {1, 2, 1}).growth.max_leaves, 8U);
    config.min_samples_leaf = 200;
    CHECK_EQ(make_plan(config, {1, 2, 1}).growth.max_leaves, 1U);
}

TEST_CASE("the largest learner can be planned") {
    Config config;
    config.window_size = limits::window_size;
    config.max_shrubs = limits::shrubs;
    CHECK(bytes_of(config, {limits::features, limits::classes, limits::features}) >
          std::uint64_t{limits::window_size} * limits::features * sizeof(float));
    // The Gram matrix alone has 65535 * 65536 / 2 entries of 8 bytes.
    CHECK(bytes_of(config, {1, 2, 1}) > std::uint64_t{1} << 34U);
}
