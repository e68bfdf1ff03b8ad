#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "shrubs/auto/counting_leaves.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

std::uint32_t total(const CountingLeaves& leaves, std::uint32_t leaf, std::uint16_t n_classes) {
    std::uint32_t n = 0;
    for (std::uint16_t c = 0; c < n_classes; ++c) {
        n += leaves.count(leaf, c);
    }
    return n;
}

}  // namespace

TEST_CASE("a leaf says the shares of its classes, with half an example spread over them") {
    std::vector<std::byte> memory(2 * CountingLeaves::bytes(3));
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
    for (std::uint16_t c = 0; c < 3; ++c) {
        CHECK(std::abs(shares[c] - (leaves.count(1, c) + 0.5 / 3.0) / 3.5) < 1e-7);
    }
    CHECK_EQ(total(leaves, 0, 3), 0U);
}

TEST_CASE("a leaf with too many examples halves its counts") {
    std::vector<std::byte> memory(CountingLeaves::bytes(2));
    const CountingLeaves leaves(memory.data(), 2);
    for (std::uint32_t i = 0; i < max_in_leaf; ++i) {
        leaves.learn(0, static_cast<std::uint16_t>(i % 5 == 0 ? 1 : 0));
    }
    CHECK_EQ(leaves.count(0, 0), 200U);
    CHECK_EQ(leaves.count(0, 1), 50U);
    leaves.learn(0, 0);
    CHECK_EQ(leaves.count(0, 0), 100U);
    CHECK_EQ(leaves.count(0, 1), 25U);
}

TEST_CASE("counts stay bounded, whatever a leaf was grown with") {
    for (const std::uint16_t n_classes : {3, 9, 300}) {
        std::vector<std::byte> memory(CountingLeaves::bytes(n_classes));
        const CountingLeaves leaves(memory.data(), n_classes);
        std::vector<std::uint32_t> counts(n_classes, 1);
        counts[1] = 16384;
        leaves.begin(0, counts);
        CHECK(leaves.count(0, 1) > max_in_leaf / 3);
        Random random(1, 0);
        for (int i = 0; i < 5000; ++i) {
            leaves.learn(0, static_cast<std::uint16_t>(random.below(n_classes)));
            CHECK(total(leaves, 0, n_classes) <= max_in_leaf);
            CHECK(leaves.is_valid(0));
        }
        CHECK(total(leaves, 0, n_classes) > (n_classes == 3 ? max_in_leaf / 3 : 0));
    }
}

TEST_CASE("of many classes a leaf counts those that come most") {
    constexpr std::uint16_t n_classes = 1000;
    std::vector<std::byte> memory(CountingLeaves::bytes(n_classes));
    CHECK_EQ(memory.size(), 9U);
    const CountingLeaves leaves(memory.data(), n_classes);
    for (std::uint16_t i = 0; i < 200; ++i) {
        leaves.learn(0, i % 2 == 0 ? 999 : i);
    }
    CHECK_EQ(leaves.count(0, 999), 100U);
    std::vector<float> shares(n_classes);
    leaves.predict(0, shares);
    CHECK(shares[999] > 0.9F);
    CHECK(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1.0) < 1e-3);
    std::vector<std::uint16_t> now(n_classes);
    std::iota(now.begin(), now.end(), std::uint16_t{0});
    now[999] = gone_class;
    leaves.renumber_classes(0, now);
    CHECK_EQ(leaves.count(0, 999), 0U);
}

TEST_CASE("leaves of few classes go on as leaves of many") {
    std::vector<std::byte> few(CountingLeaves::bytes(6));
    std::vector<std::byte> many(CountingLeaves::bytes(7));
    const CountingLeaves old(few.data(), 6);
    const CountingLeaves leaves(many.data(), 7);
    old.begin(0, std::vector<std::uint32_t>{5, 1, 0, 7, 2, 9});
    leaves.copy_from(0, old, 0);
    CHECK_EQ(leaves.count(0, 5), 9U);
    CHECK_EQ(leaves.count(0, 3), 7U);
    CHECK_EQ(leaves.count(0, 0), 5U);
    CHECK_EQ(leaves.total(0), 21U);
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
    CHECK_EQ(leaves.count(0), longest_mean);
    leaves.learn(0, 1001.0);
    CHECK(std::abs(leaves.mean(0) - 2.0) < 1e-9);
    CHECK_EQ(leaves.count(0), longest_mean);
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

TEST_CASE("a leaf of one class is one of counts that are zero but for one") {
    for (const std::size_t n_classes : {1U, 2U, 6U, 7U, 300U}) {
        for (const std::uint32_t n : {1U, 250U, 251U, 999U, 16384U}) {
            std::vector<std::byte> bytes(2 * CountingLeaves::bytes(n_classes), std::byte{99});
            const CountingLeaves leaves(bytes.data(), n_classes);
            std::vector<std::uint32_t> counts(n_classes);
            counts[n_classes / 2] = n;
            leaves.begin(0, counts);
            leaves.begin(1, static_cast<std::uint16_t>(n_classes / 2), n);
            CHECK(std::equal(bytes.begin(), bytes.begin() + bytes.size() / 2,
                             bytes.begin() + bytes.size() / 2));
        }
    }
}
