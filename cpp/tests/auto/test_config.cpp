#include "shrubs/auto/config.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("the limits of the learner without parameters are those of the core") {
    AutoConfig config;
    CHECK(is_valid(config, {0, 0, 0}));
    CHECK(is_valid(config, {limits::features, limits::classes, 0}));
    CHECK(!is_valid(config, {limits::features + 1, 2, 0}));
    CHECK(!is_valid(config, {1, limits::classes + 1, 0}));
    config.arena_bytes = largest_auto_arena;
    CHECK(is_valid(config, {1, 2, 0}));
    config.arena_bytes = largest_auto_arena + 1;
    CHECK(!is_valid(config, {1, 2, 0}));
}

TEST_CASE("a regression has no classes and there is no third task") {
    AutoConfig config;
    config.task = Task::regression;
    CHECK(is_valid(config, {1, 0, 0}));
    CHECK(!is_valid(config, {1, 1, 0}));
    config.task = static_cast<Task>(2);
    CHECK(!is_valid(config, {1, 0, 0}));
}
