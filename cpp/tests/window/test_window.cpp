#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "holders.hpp"
#include "shrubs/window/window.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// The slots of a feature, oldest first, put in order from scratch.
std::vector<std::uint16_t> sorted_from_scratch(const Window& window, std::uint32_t feature) {
    std::vector<std::uint16_t> slots;
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        slots.push_back(static_cast<std::uint16_t>(window.slot(age)));
    }
    // Insertion sort is stable.
    const auto values = window.values(feature);
    const auto goes_before = [&](std::uint16_t a, std::uint16_t b) {
        const bool b_missing = values[b] != values[b];
        return b_missing ? values[a] == values[a] : values[a] < values[b];
    };
    for (auto at = slots.begin(); at != slots.end(); ++at) {
        std::rotate(std::upper_bound(slots.begin(), at, *at, goes_before), at, at + 1);
    }
    return slots;
}

std::vector<std::uint16_t> labels_by_age(const Window& window) {
    std::vector<std::uint16_t> labels;
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        labels.push_back(window.labels()[window.slot(age)]);
    }
    return labels;
}

}  // namespace

TEST_CASE("an empty window holds nothing") {
    WindowHolder holder(3, {0});
    CHECK_EQ(holder.window().size(), 0U);
    CHECK(!holder.window().is_full());
}

TEST_CASE("the window keeps exactly the last examples, oldest first") {
    WindowHolder holder(3, {0});
    for (int i = 0; i < 5; ++i) {
        holder.add({static_cast<float>(i)}, i);
    }
    CHECK(holder.window().is_full());
    CHECK_EQ(labels_by_age(holder.window()), std::vector<std::uint16_t>({2, 3, 4}));
}

TEST_CASE("a window of one holds the newest example") {
    WindowHolder holder(1, {0});
    holder.add({1.0F}, 1);
    holder.add({2.0F}, 2);
    CHECK_EQ(labels_by_age(holder.window()), std::vector<std::uint16_t>({2}));
    CHECK_EQ(holder.window().sorted(0)[0], 0U);
}

TEST_CASE("a new example takes the slot of the one that left") {
    WindowHolder holder(2, {0});
    CHECK_EQ(holder.add({1.0F}, 0), 0U);
    CHECK_EQ(holder.add({1.0F}, 0), 1U);
    CHECK_EQ(holder.add({1.0F}, 0), 0U);
    CHECK_EQ(holder.window().slot(0), 1U);
    CHECK_EQ(holder.window().slot(1), 0U);
}

TEST_CASE("an example can be copied back") {
    WindowHolder holder(2, {0, 1, 0}, Task::regression);
    holder.add({1.0F, 2.0F, 3.0F}, 0.5);
    const std::uint32_t slot = holder.add({4.0F, 5.0F, missing}, 1e300);
    std::vector<float> x(3);
    holder.window().copy_example(slot, x);
    CHECK_EQ(x[0], 4.0F);
    CHECK_EQ(x[1], 5.0F);
    CHECK(x[2] != x[2]);
    CHECK_EQ(holder.window().targets()[slot], 1e300);
    CHECK(holder.window().is_nominal(1));
    CHECK(!holder.window().is_nominal(2));
}

TEST_CASE("equal values are sorted by arrival, missing ones are last") {
    WindowHolder holder(4, {0});
    holder.add({missing}, 0);
    holder.add({2.0F}, 0);
    holder.add({1.0F}, 0);
    holder.add({2.0F}, 0);
    const auto sorted = holder.window().sorted(0);
    CHECK_EQ(std::vector<std::uint16_t>(sorted.begin(), sorted.end()),
             std::vector<std::uint16_t>({2, 1, 3, 0}));
}

TEST_CASE("sorted columns agree with a stable sort after any slide") {
    Random random(11, 0);
    // Columns of more than 256 values are searched, others counted.
    for (const std::uint32_t window_size : {1U, 2U, 7U, 64U, 257U}) {
        WindowHolder holder(window_size, {0, 0, 1});
        for (int i = 0; i < 400; ++i) {
            std::vector<float> x = {static_cast<float>(random.below(5)) - 2.0F,
                                    static_cast<float>(random.uniform()),
                                    static_cast<float>(random.below(3))};
            for (float& value : x) {
                value = random.below(4) == 0 ? missing : value;
            }
            holder.add(x, 0);
            for (std::uint32_t feature = 0; feature < 3; ++feature) {
                const auto sorted = holder.window().sorted(feature);
                CHECK_EQ(std::vector<std::uint16_t>(sorted.begin(), sorted.end()),
                         sorted_from_scratch(holder.window(), feature));
            }
        }
    }
}

TEST_CASE("a window for random splits keeps no sorted columns") {
    WindowHolder holder(3, {0}, Task::classification, Splitter::random);
    holder.add({1.0F}, 0);
    CHECK(!holder.window().is_sorted());
    CHECK_EQ(holder.window().values(0)[0], 1.0F);
}

TEST_CASE("different values are counted, and features of two values are kept as bytes") {
    constexpr std::uint32_t window_size = 9;
    constexpr std::uint32_t n_features = 3;
    WindowHolder holder({.window_size = window_size,
                         .n_features = n_features,
                         .is_sorted = true,
                         .has_rows = true});
    Window& window = holder.window();
    Random random(4, 0);
    for (int i = 0; i < 500; ++i) {
        // Few values, so that a feature has now one, now two, now more, and some missing.
        std::vector<float> x;
        for (std::uint32_t feature = 0; feature < n_features; ++feature) {
            const std::uint32_t drawn = random.below(40);
            x.push_back(drawn == 0 ? missing : static_cast<float>(drawn < 6 ? drawn % 3 : 7));
        }
        holder.add(x, 0.0);
        for (std::uint32_t feature = 0; feature < n_features; ++feature) {
            std::set<float> different;
            bool some_missing = false;
            for (std::uint32_t age = 0; age < window.size(); ++age) {
                const float value = window.column(feature)[window.slot(age)];
                some_missing = some_missing || value != value;
                if (value == value) {
                    different.insert(value);
                }
            }
            CHECK_EQ(window.n_distinct(feature), different.size());
            CHECK_EQ(window.has_missing(feature), some_missing);
            const auto in_order = window.sorted(feature);
            CHECK_EQ(std::vector<std::uint16_t>(in_order.begin(), in_order.end()),
                     sorted_from_scratch(window, feature));
            if (different.size() == 2) {
                for (std::uint32_t age = 0; age < window.size(); ++age) {
                    const std::uint32_t slot = window.slot(age);
                    const bool upper = window.column(feature)[slot] == *different.rbegin();
                    CHECK_EQ(window.byte_row(slot)[feature], upper ? 1 : 0);
                }
            }
        }
    }
}

TEST_CASE("features of two values are put in order when somebody asks") {
    constexpr std::uint32_t window_size = 20;
    for (const std::uint32_t seldom : {1U, 3U, 50U}) {
        WindowHolder holder(
            {.window_size = window_size, .n_features = 2, .is_sorted = true, .has_rows = true});
        Window& window = holder.window();
        Random random(5, seldom);
        for (int i = 0; i < 2000; ++i) {
            // Mostly one value of two, seldom another one or none, so that features have two values
            // for long, then only one of them, then three.
            const auto draw = [&] {
                const std::uint32_t drawn = random.below(300);
                const float one = i / 400 % 2 == 0 ? -1.0F : 2.0F;
                return drawn == 0 ? missing : drawn == 1 ? 1.0F : (drawn < 40 ? 3.0F : one);
            };
            holder.add({draw(), draw()}, 0.0);
            const bool asks = random.below(seldom) == 0;
            for (std::uint32_t feature = 0; feature < 2; ++feature) {
                const auto in_order = sorted_from_scratch(window, feature);
                const auto values = window.column(feature);
                CHECK_EQ(window.lowest(feature), values[in_order.front()]);
                const float highest = values[in_order.back()];
                CHECK_EQ(window.has_missing(feature), highest != highest);
                if (highest == highest) {
                    CHECK_EQ(window.highest(feature), highest);
                }
                if (asks) {
                    const auto sorted = window.sorted(feature);
                    CHECK_EQ(std::vector<std::uint16_t>(sorted.begin(), sorted.end()), in_order);
                }
            }
        }
    }
}

TEST_CASE("the examples of a class can be taken out") {
    WindowHolder holder({.window_size = 4, .n_features = 1});
    for (int i = 0; i < 6; ++i) {
        holder.add({static_cast<float>(i)}, i % 3);
    }
    holder.window().renumber_classes(std::array<std::uint16_t, 3>{gone_class, 1, 2});
    CHECK_EQ(labels_by_age(holder.window()), std::vector<std::uint16_t>({2, 1, 2}));
    for (std::uint32_t age = 0; age < 3; ++age) {
        CHECK_EQ(holder.window().values(0)[holder.window().slot(age)],
                 std::vector<float>({2.0F, 4.0F, 5.0F})[age]);
        CHECK(holder.window().slot(age) < holder.window().size());
    }
    holder.add({6.0F}, 7);
    holder.add({7.0F}, 8);
    CHECK_EQ(labels_by_age(holder.window()), std::vector<std::uint16_t>({1, 2, 7, 8}));
}

TEST_CASE("the values of a feature can be forgotten") {
    WindowHolder holder({.window_size = 4, .n_features = 2});
    for (int i = 0; i < 6; ++i) {
        holder.add({static_cast<float>(i), static_cast<float>(i)}, i);
    }
    CHECK(holder.window().has_values(0));
    holder.window().forget_feature(0);
    CHECK(!holder.window().has_values(0));
    CHECK(holder.window().has_values(1));
    holder.add({6.0F, 6.0F}, 6);
    CHECK(holder.window().has_values(0));
}
