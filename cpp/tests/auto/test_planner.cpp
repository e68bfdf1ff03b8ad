#include <algorithm>
#include <array>
#include <vector>

#include "shrubs/auto/ensemble.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

struct Shape {
    Task task;
    Dimensions dimensions;
    std::uint32_t n_nominal;
};

std::vector<Shape> some_shapes() {
    std::vector<Shape> shapes;
    for (const std::uint32_t n_features : {0U, 1U, 7U, 100U, 1000U, 16384U}) {
        for (const std::uint32_t n_nominal : {0U, n_features / 2, n_features}) {
            for (const std::uint32_t n_classes : {0U, 1U, 2U, 7U, 26U, 100U, 1000U, 65535U}) {
                shapes.push_back({Task::classification, {n_features, n_classes, 0}, n_nominal});
            }
            shapes.push_back({Task::regression, {n_features, 0, 0}, n_nominal});
        }
    }
    return shapes;
}

AutoPlan plan_of(const Shape& shape, std::uint64_t arena_bytes) {
    return make_auto_plan({.task = shape.task, .arena_bytes = arena_bytes}, shape.dimensions,
                          shape.n_nominal);
}

// Plans of all shapes in memory of all sizes, those without room among them.
void for_some_plans(auto check) {
    for (const Shape& shape : some_shapes()) {
        for (const std::uint64_t bytes :
             {0ULL, 1000ULL, 10'000ULL, 1ULL << 16U, 100'001ULL, 1ULL << 20U, 3'000'003ULL,
              1ULL << 26U, 1ULL << 32U, 1ULL << 40U}) {
            check(shape, bytes, plan_of(shape, bytes));
        }
    }
}

}  // namespace

TEST_CASE("a plan never takes more than it may") {
    for_some_plans([](const Shape&, std::uint64_t bytes, const AutoPlan& plan) {
        CHECK(plan.total_bytes <= bytes);
        CHECK_EQ(plan.window_size == 0, plan.total_bytes == 0);
    });
}

TEST_CASE("the shrubs of an auto plan fill their region without overlap") {
    for_some_plans([](const Shape& shape, std::uint64_t, const AutoPlan& plan) {
        std::uint64_t next = 0;
        std::uint32_t place = 0;
        const std::uint64_t leaf = auto_leaf_bytes(shape.task, shape.dimensions.n_classes);
        for (const ShrubGroup& group : plan.all_groups()) {
            CHECK_EQ(group.offset, next);
            CHECK_EQ(group.first_place, place);
            const auto node = static_cast<std::uint64_t>(group.node_bytes);
            CHECK_EQ(group.stride, (group.max_leaves - 1) * node + group.max_leaves * leaf);
            CHECK(group.node_bytes == NodeBytes::wide ||
                  (group.max_leaves <= small_max_leaves &&
                   shape.dimensions.n_features + recalled_features <= small_max_features));
            CHECK(group.max_leaves >= 2 && group.max_leaves <= group.length);
            next += group.n_places * group.stride;
            place += group.n_places;
        }
        CHECK_EQ(plan.shrub_bytes, next);
        CHECK_EQ(plan.n_places, place);
        CHECK(plan.n_experts <= max_experts && plan.n_groups <= max_groups);
        CHECK_EQ(plan.n_experts, plan.n_places + std::ranges::count(plan.companions, true));
    });
}

TEST_CASE("windows are two or four times as long as the last, up to all that is kept") {
    for_some_plans([](const Shape&, std::uint64_t, const AutoPlan& plan) {
        if (plan.window_size == 0 || plan.is_small) {
            return;
        }
        CHECK(plan.window_size >= shortest_window && plan.window_size <= longest_window);
        std::vector<std::uint32_t> lengths;
        std::vector<std::uint32_t> recalling;
        std::vector<std::uint32_t> reactive;
        for (const ShrubGroup& group : plan.all_groups()) {
            auto& own = group.recalls ? recalling : group.reactive ? reactive : lengths;
            own.push_back(group.length);
            CHECK_EQ(group.n_places, group.recalls        ? 2U
                                     : group.reactive     ? 1U
                                     : group.length <= 32 ? 4U
                                                          : 8U);
        }
        CHECK_EQ(lengths.back(), plan.window_size);
        const std::uint32_t factor = lengths.size() > 2 ? lengths[1] / lengths[0] : 2;
        CHECK(factor == 2 || factor == 4);
        for (std::size_t i = 0; i + 1 < lengths.size(); ++i) {
            CHECK_EQ(lengths[i], i == 0 ? shortest_window : lengths[i - 1] * factor);
        }
        CHECK(recalling.size() <= lengths.size());
        CHECK(std::ranges::all_of(recalling, [&](std::uint32_t length) {
            return length >= shortest_recalling && std::ranges::count(lengths, length) == 1;
        }));
        CHECK_EQ(reactive.size(), reactive_lengths.size());
        for (std::size_t i = 0; i < reactive.size(); ++i) {
            CHECK_EQ(reactive[i], std::min(reactive_lengths[i], plan.window_size));
        }
    });
}

TEST_CASE("a small plan has few shrubs in one bed and one range of experts") {
    std::size_t n = 0;
    for (const Shape& shape : some_shapes()) {
        const std::uint64_t least =
            smallest_auto_arena({.task = shape.task}, shape.dimensions, shape.n_nominal);
        const AutoPlan plan = plan_of(shape, least);
        n += plan.is_small ? 1 : 0;
        if (!plan.is_small) {
            continue;
        }
        CHECK(plan.window_size >= shortest_small_window);
        CHECK_EQ(plan.n_groups, 2U);
        CHECK(plan.groups[0].length == plan.window_size && !plan.groups[0].reactive);
        CHECK(plan.groups[0].n_places >= 1 && plan.groups[0].n_places <= most_small_shrubs);
        CHECK(plan.groups[1].reactive && plan.groups[1].n_places == 1);
        CHECK(plan.groups[0].max_leaves <= most_small_leaves);
        CHECK(plan.n_beds == 1 && plan.ranges.n == 1 && plan.n_drifts == 0);
    }
    CHECK(n > 0);
}

TEST_CASE("companions take at most a fourth of the memory, and buckets come with categories") {
    for_some_plans([](const Shape& shape, std::uint64_t bytes, const AutoPlan& plan) {
        CHECK(companion_bytes(plan) <= bytes / 4);
        CHECK(plan.window_size == 0 || (plan.n_buckets > 0) == (shape.n_nominal > 0));
        CHECK((plan.n_buckets & (plan.n_buckets - 1)) == 0);
    });
}

TEST_CASE("the smallest memory has a plan, one byte less has none") {
    for (const Shape& shape : some_shapes()) {
        const std::uint64_t least =
            smallest_auto_arena({.task = shape.task}, shape.dimensions, shape.n_nominal);
        CHECK(plan_of(shape, least).window_size > 0);
        CHECK_EQ(plan_of(shape, least - 1).window_size, 0U);
    }
}

TEST_CASE("all memory beyond the smallest has a plan") {
    std::vector<Shape> shapes = some_shapes();
    for (const std::uint32_t n_classes : {6U, 7U, 30U, 95U, 110U, 120U}) {
        for (const std::uint32_t n_features : {0U, 5U, 60U, 2000U}) {
            shapes.push_back({Task::classification, {n_features, n_classes, 0}, n_features / 3});
        }
    }
    for (const Shape& shape : shapes) {
        const std::uint64_t least =
            smallest_auto_arena({.task = shape.task}, shape.dimensions, shape.n_nominal);
        for (std::uint64_t bytes = least; bytes < 3 * least; bytes += 1 + least / 97) {
            CHECK(plan_of(shape, bytes).window_size > 0);
        }
    }
}

TEST_CASE("the report of an auto plan adds up to the whole arena") {
    for_some_plans([](const Shape&, std::uint64_t, const AutoPlan& plan) {
        if (plan.window_size > 0) {
            CHECK_EQ(AutoEnsemble::report(plan).total(), plan.total_bytes);
        }
    });
}
