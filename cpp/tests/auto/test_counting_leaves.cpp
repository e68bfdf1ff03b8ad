#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "shrubs/auto/counting_leaves.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

std::uint32_t total(const CountingLeaves& leaves, std::uint32_t leaf, std::size_t n_classes) {
    std::uint32_t n = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        n += leaves.count(leaf, c);
    }
    return n;
}

}  // namespace

TEST_CASE("a leaf says the shares of its classes, with half an example spread over them") {
    std::vector<std::byte> memory(2 * 2 * 3);
    const CountingLeaves leaves(memory.data(), 3);
    std::vector<float> shares(3);
    leaves.predict(1, shares);
    for (const float share : shares) {
        CHECK_EQ(share, 1.0F / 3.0F);
    }
    leaves.learn(1, 2);
    leaves.learn(1, 2);
    leaves.learn(1, 0);
    leaves.predict(1, shares);
    for (std::size_t c = 0; c < 3; ++c) {
        CHECK(std::abs(shares[c] - (leaves.count(1, c) + 0.5 / 3.0) / 3.5) < 1e-7);
    }
    CHECK_EQ(total(leaves, 0, 3), 0U);
}

TEST_CASE("a leaf that counts its thousandth example and one more halves its counts") {
    std::vector<std::byte> memory(2 * 2);
    const CountingLeaves leaves(memory.data(), 2);
    for (std::uint32_t i = 0; i < max_in_leaf; ++i) {
        leaves.learn(0, static_cast<std::uint16_t>(i % 4 == 0 ? 1 : 0));
    }
    CHECK_EQ(leaves.count(0, 0), 750);
    CHECK_EQ(leaves.count(0, 1), 250);
    leaves.learn(0, 0);
    CHECK_EQ(leaves.count(0, 0), 375);
    CHECK_EQ(leaves.count(0, 1), 125);
}

TEST_CASE("counts stay bounded, whatever a leaf was grown with") {
    std::vector<std::byte> memory(2 * 3);
    const CountingLeaves leaves(memory.data(), 3);
    leaves.set(0, 0, 16384);
    Random random(1, 0);
    for (int i = 0; i < 5000; ++i) {
        const std::uint32_t before = total(leaves, 0, 3);
        leaves.learn(0, static_cast<std::uint16_t>(random.below(3)));
        CHECK(total(leaves, 0, 3) <= std::max(max_in_leaf, (before + 1) / 2));
    }
    CHECK(total(leaves, 0, 3) > max_in_leaf / 3);
}

TEST_CASE("a regression leaf is the mean of its targets") {
    std::vector<std::byte> memory(20);
    const AveragingLeaves leaves(memory.data());
    std::vector<double> targets = {3.0, -1.0, 10.0, 0.5};
    for (const double target : targets) {
        leaves.learn(1, target);
    }
    CHECK(std::abs(leaves.mean(1) - 3.125) < 1e-12);
    CHECK_EQ(leaves.count(1), 4);
    CHECK_EQ(leaves.mean(0), 0.0);
    CHECK_EQ(leaves.count(0), 0);
}

TEST_CASE("a regression leaf with a thousand targets forgets the oldest slowly") {
    std::vector<std::byte> memory(10);
    const AveragingLeaves leaves(memory.data());
    for (int i = 0; i < 3000; ++i) {
        leaves.learn(0, 1.0);
    }
    CHECK_EQ(leaves.count(0), max_in_leaf);
    leaves.learn(0, 1001.0);
    CHECK(std::abs(leaves.mean(0) - 2.0) < 1e-9);
    CHECK_EQ(leaves.count(0), max_in_leaf);
}

TEST_CASE("the mean of the largest targets is finite and among them") {
    constexpr double most = std::numeric_limits<double>::max();
    for (const double sign : {1.0, -1.0}) {
        std::vector<std::byte> memory(10);
        const AveragingLeaves leaves(memory.data());
        for (int i = 0; i < 3000; ++i) {
            leaves.learn(0, sign * most);
            CHECK(std::isfinite(leaves.mean(0)));
        }
        for (int i = 0; i < 3000; ++i) {
            leaves.learn(0, -sign * most);
            CHECK(std::isfinite(leaves.mean(0)));
        }
    }
}
