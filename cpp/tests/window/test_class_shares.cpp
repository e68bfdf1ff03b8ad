#include <array>
#include <vector>

#include "holders.hpp"
#include "shrubs/window/class_shares.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("a class has one share more than examples in the window") {
    WindowHolder holder(4, {0});
    for (const int label : {2, 0, 0}) {
        holder.add({1.0F}, label);
    }
    std::array<double, 3> shares{};
    count_classes(holder.window(), shares);
    CHECK_EQ(shares, (std::array<double, 3>{3.0, 1.0, 2.0}));
}

TEST_CASE("shares follow a sliding window as if they were counted again") {
    WindowHolder holder(5, {0});
    std::vector<double> followed(3, 1.0);
    std::vector<double> counted(3);
    for (int i = 0; i < 40; ++i) {
        const int label = i * i % 7 % 3;
        count_next_class(holder.window(), static_cast<std::uint16_t>(label), followed);
        holder.add({1.0F}, label);
        count_classes(holder.window(), counted);
        CHECK_EQ(followed, counted);
    }
}

TEST_CASE("a class that comes rarely counts as much as the others") {
    std::array<double, 2> f = {0.875, 0.125};
    divide_by_shares(std::array<double, 2>{4.0, 1.0}, 4.0, f);
    CHECK_EQ(f, (std::array<double, 2>{0.5, 0.5}));
}

TEST_CASE("a class that no shrub knows of is the likelier, the more it weighs") {
    std::array<double, 2> f = {1.0, 0.0};
    divide_by_shares(std::array<double, 2>{1.0, 1.0 / 64.0}, 8.0, f);
    CHECK(f[1] > f[0]);
}
