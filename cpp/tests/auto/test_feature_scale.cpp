#include <cmath>
#include <limits>
#include <vector>

#include "auto_holders.hpp"
#include "shrubs/auto/feature_scale.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("numbers are measured in deviations from their mean, at most three") {
    ScaleHolder holder({0, 0});
    Random random(1, 0);
    for (int i = 0; i < 900; ++i) {
        holder.scale().learn(std::vector<float>{static_cast<float>(10.0 + random.uniform()),
                                                static_cast<float>(1000.0 * random.uniform())});
    }
    const auto z = holder.scale().standardise(std::vector<float>{11.0F, 1e9F});
    CHECK(std::abs(z[0] - std::sqrt(3.0)) < 0.2);
    CHECK_EQ(z[1], 3.0F);
    CHECK_EQ(holder.scale().standardise(std::vector<float>{missing, -1e9F})[0], 0.0F);
    CHECK_EQ(holder.scale().standardise(std::vector<float>{missing, -1e9F})[1], -3.0F);
}

TEST_CASE("the mean of the first values is exact and later ones are forgotten") {
    ScaleHolder holder({0});
    holder.scale().learn(std::vector<float>{4.0F});
    CHECK_EQ(holder.scale().mean(0), 4.0);
    CHECK_EQ(holder.scale().variance(0), 0.0);
    holder.scale().learn(std::vector<float>{missing});
    CHECK_EQ(holder.scale().seen(0), 1U);
    holder.scale().learn(std::vector<float>{8.0F});
    CHECK_EQ(holder.scale().mean(0), 6.0);
    for (int i = 0; i < 20000; ++i) {
        holder.scale().learn(std::vector<float>{-2.0F});
    }
    CHECK(std::abs(holder.scale().mean(0) + 2.0) < 1e-6);
    CHECK(holder.scale().seen(0) < 20000);
}

TEST_CASE("a feature is binary until another value than 0 and 1 comes") {
    ScaleHolder holder({0, 1, 0});
    CHECK(holder.scale().is_binary(0));
    holder.scale().learn(std::vector<float>{0.0F, 1.0F, missing});
    holder.scale().learn(std::vector<float>{1.0F, 0.0F, missing});
    CHECK(holder.scale().is_binary(0) && holder.scale().is_binary(1));
    CHECK(!holder.scale().is_category(0) && !holder.scale().is_category(1));
    holder.scale().learn(std::vector<float>{0.5F, 2.0F, missing});
    CHECK(!holder.scale().is_binary(0) && !holder.scale().is_binary(1));
    CHECK(!holder.scale().is_category(0) && holder.scale().is_category(1));
    CHECK(holder.scale().is_binary(2));
}

TEST_CASE("categories have no scale") {
    ScaleHolder holder({1});
    holder.scale().learn(std::vector<float>{7.0F});
    holder.scale().learn(std::vector<float>{9.0F});
    CHECK_EQ(holder.scale().seen(0), 0U);
    CHECK_EQ(holder.scale().standardise(std::vector<float>{9.0F})[0], 0.0F);
}

TEST_CASE("a constant feature and the largest values stay finite") {
    constexpr float most = std::numeric_limits<float>::max();
    ScaleHolder holder({0, 0});
    for (int i = 0; i < 3000; ++i) {
        holder.scale().learn(std::vector<float>{5.0F, i % 2 == 0 ? most : -most});
        CHECK(std::isfinite(holder.scale().variance(1)));
        const auto z = holder.scale().standardise(std::vector<float>{5.0F, most});
        CHECK_EQ(z[0], 0.0F);
        CHECK(std::abs(z[1]) <= 3.0F);
    }
}
