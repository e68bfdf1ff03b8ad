#include <algorithm>
#include <cfloat>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "shrubs/auto/node_draw.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

std::vector<std::uint32_t> order_of(std::uint32_t n_features, std::uint64_t seed) {
    Random random(seed, 0);
    NodeDraw draw(n_features, prime_from(n_features), random);
    std::vector<std::uint32_t> order;
    while (draw.has_next()) {
        order.push_back(draw.next());
    }
    return order;
}

}  // namespace

TEST_CASE("prime numbers are found from any number on") {
    const std::pair<std::uint32_t, std::uint32_t> known[] = {
        {0, 2}, {2, 2}, {3, 3}, {4, 5}, {8, 11}, {24, 29}, {54, 59}, {65535, 65537}};
    for (const auto& [n, prime] : known) {
        CHECK_EQ(prime_from(n), prime);
    }
}

TEST_CASE("every feature comes once, in an order that is drawn") {
    for (std::uint32_t n = 0; n < 130; ++n) {
        std::vector<std::uint32_t> all(n);
        std::iota(all.begin(), all.end(), 0U);
        std::vector<std::uint32_t> order = order_of(n, n);
        std::ranges::sort(order);
        CHECK(order == all);
    }
}

TEST_CASE("any two features come first") {
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const auto order = order_of(7, seed);
        found.insert({order[0], order[1]});
    }
    CHECK_EQ(found.size(), std::size_t{7 * 6});
}

TEST_CASE("cuts lie between two values, however near or far from each other") {
    constexpr float tiny = FLT_TRUE_MIN;
    const std::pair<float, float> pairs[] = {
        {0.0F, 1.0F},     {-FLT_MAX, FLT_MAX}, {1.0F, 1.0F + 0x1p-23F}, {0.0F, tiny},
        {tiny, 2 * tiny}, {-tiny, 0.0F},       {-3.0F, -2.0F},          {FLT_MAX / 2, FLT_MAX}};
    Random random(3, 0);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const NodeDraw draw(50, 53, random);
        for (std::uint32_t feature = 0; feature < 50; ++feature) {
            CHECK(draw.share(feature) >= 0.0F && draw.share(feature) < 1.0F);
            for (const auto& [low, high] : pairs) {
                const float cut = cut_between(low, high, draw.share(feature));
                CHECK(cut >= low && cut < high);
            }
        }
        CHECK(draw.example(32) < 32);
        CHECK_EQ(draw.example(1), 0U);
    }
}

TEST_CASE("cuts of a feature are spread evenly over the shrubs") {
    Random random(4, 0);
    std::vector<std::uint32_t> tenths(10);
    for (int repeat = 0; repeat < 10000; ++repeat) {
        ++tenths[static_cast<std::size_t>(NodeDraw(20, 23, random).share(13) * 10.0F)];
    }
    for (const std::uint32_t n : tenths) {  // 1000 expected, deviation 30
        CHECK(n > 850 && n < 1150);
    }
}
