#include <limits>

#include "shrubs/paper/config.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

const Dimensions two_by_two{2, 2, 2};

bool valid_with(auto change) {
    Config config;
    change(config);
    return is_valid(config, two_by_two);
}

}  // namespace

TEST_CASE("the default configuration is valid") {
    CHECK(is_valid(Config{}, two_by_two));
}

TEST_CASE("a learner without features and classes is valid") {
    CHECK(is_valid(Config{}, {0, 0, 0}));
}

TEST_CASE("counts are valid from one up to their limit") {
    CHECK(!valid_with([](Config& c) { c.max_shrubs = 0; }));
    CHECK(valid_with([](Config& c) { c.max_shrubs = limits::shrubs; }));
    CHECK(!valid_with([](Config& c) { c.max_shrubs = limits::shrubs + 1; }));
    CHECK(!valid_with([](Config& c) { c.window_size = 0; }));
    CHECK(valid_with([](Config& c) { c.window_size = limits::window_size; }));
    CHECK(!valid_with([](Config& c) { c.window_size = limits::window_size + 1; }));
    CHECK(!valid_with([](Config& c) { c.min_samples_leaf = 0; }));
    CHECK(!valid_with([](Config& c) { c.steps_per_example = 0; }));
    CHECK(!valid_with([](Config& c) { c.steps_per_example = limits::steps_per_example + 1; }));
    CHECK(!valid_with([](Config& c) { c.grow_every = 0; }));
    CHECK(valid_with([](Config& c) { c.grow_every = limits::grow_every; }));
    CHECK(!valid_with([](Config& c) { c.grow_every = limits::grow_every + 1; }));
}

TEST_CASE("the depth is limited to a positive number or not at all") {
    CHECK(!valid_with([](Config& c) { c.max_depth = 0; }));
    CHECK(valid_with([](Config& c) { c.max_depth = 1; }));
    CHECK(valid_with([](Config& c) { c.max_depth = no_limit; }));
    CHECK(!valid_with([](Config& c) { c.max_depth = no_limit - 1; }));
}

TEST_CASE("the step size is positive and finite") {
    CHECK(!valid_with([](Config& c) { c.step_size = 0.0; }));
    CHECK(!valid_with([](Config& c) { c.step_size = -0.1; }));
    CHECK(!valid_with([](Config& c) { c.step_size = std::numeric_limits<double>::infinity(); }));
    CHECK(!valid_with([](Config& c) { c.step_size = std::numeric_limits<double>::quiet_NaN(); }));
}

TEST_CASE("an unknown task, loss or splitter is not valid") {
    CHECK(!valid_with([](Config& c) { c.task = static_cast<Task>(2); }));
    CHECK(!valid_with([](Config& c) { c.loss = static_cast<Loss>(2); }));
    CHECK(!valid_with([](Config& c) { c.splitter = static_cast<Splitter>(2); }));
}

TEST_CASE("regression has no classes and no cross-entropy") {
    Config config;
    config.task = Task::regression;
    CHECK(is_valid(config, {2, 0, 2}));
    CHECK(!is_valid(config, {2, 2, 2}));
    config.loss = Loss::cross_entropy;
    CHECK(!is_valid(config, {2, 0, 2}));
}

TEST_CASE("between one and all features are tried") {
    CHECK(is_valid(Config{}, {2, 2, 1}));
    CHECK(!is_valid(Config{}, {2, 2, 0}));
    CHECK(!is_valid(Config{}, {2, 2, 3}));
    CHECK(is_valid(Config{}, {limits::features, 2, limits::features}));
    CHECK(!is_valid(Config{}, {limits::features + 1, 2, 1}));
    CHECK(!is_valid(Config{}, {2, limits::classes + 1, 1}));
}
