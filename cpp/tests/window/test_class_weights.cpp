#include <array>

#include "holders.hpp"
#include "shrubs/window/class_weights.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("classes are counted in the window") {
    WindowHolder holder(4, {0});
    for (const int label : {1, 2, 0, 0, 2}) {
        holder.add({1.0F}, label);
    }
    std::array<std::uint32_t, 3> counts{};
    count_classes(holder.window(), counts);
    CHECK_EQ(counts, (std::array<std::uint32_t, 3>{2, 0, 2}));
}

TEST_CASE("a class weighs less, the more often it comes") {
    CHECK(balancing_weight(0) > 0.999999 && balancing_weight(0) < 1.000001);
    CHECK(balancing_weight(15) > 0.124999 && balancing_weight(15) < 0.125001);
}

TEST_CASE("probabilities are multiplied by weights and sum to one") {
    std::array<double, 2> f = {0.875, 0.125};
    weigh(std::array<double, 2>{1.0, 4.0}, 4, f);
    CHECK_EQ(f, (std::array<double, 2>{0.5, 0.5}));
}

TEST_CASE("a class that no shrub knows of is the likelier, the more it weighs") {
    std::array<double, 2> f = {1.0, 0.0};
    weigh(std::array<double, 2>{1.0, 64.0}, 8, f);
    CHECK(f[1] > f[0]);
}
