#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "shrubs/numerics/random.hpp"
#include "shrubs/tree/leaf.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

using Distribution = std::vector<std::int32_t>;

Distribution rounded(const std::vector<std::uint32_t>& counts) {
    Distribution q(counts.size());
    round_distribution(counts, q);
    return q;
}

// Leaves of one shrub, written in order.
struct Leaves {
    LeafLayout layout;
    std::vector<std::byte> bytes;

    Leaves(const LeafLayout& of, const std::vector<Distribution>& distributions)
        : layout(of), bytes(of.bytes()) {
        for (std::uint32_t leaf = 0; leaf < distributions.size(); ++leaf) {
            layout.set_distribution(bytes.data(), leaf, distributions[leaf]);
        }
    }
    Distribution get(std::uint32_t leaf) const {
        Distribution q(layout.n_classes(), -1);
        layout.get_distribution(bytes.data(), leaf, q);
        return q;
    }
};

// Random leaves of `n_leaves` leaves that hold `n_examples` examples together.
std::vector<Distribution> random_distributions(Random& random, std::uint32_t n_leaves,
                                               std::uint32_t n_classes, std::uint32_t n_examples) {
    std::vector<std::vector<std::uint32_t>> counts(n_leaves, std::vector<std::uint32_t>(n_classes));
    for (std::uint32_t i = 0; i < n_examples; ++i) {
        ++counts[i < n_leaves ? i : random.below(n_leaves)][random.below(n_classes)];
    }
    std::vector<Distribution> distributions;
    for (const auto& leaf : counts) {
        distributions.push_back(rounded(leaf));
    }
    return distributions;
}

void check_round_trip(std::uint32_t n_leaves, std::uint32_t n_classes, std::uint32_t window_size,
                      LeafKind kind) {
    Random random(n_leaves, n_classes);
    const auto layout = LeafLayout::for_classification(n_leaves, n_classes, window_size);
    CHECK_EQ(layout.kind(), kind);
    const auto written = random_distributions(random, n_leaves, n_classes, window_size);
    const Leaves leaves(layout, written);
    for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
        CHECK_EQ(leaves.get(leaf), written[leaf]);
        for (std::uint32_t c = 0; c < n_classes; ++c) {
            CHECK_EQ(layout.entry(leaves.bytes.data(), leaf, c), written[leaf][c]);
        }
    }
}

}  // namespace

TEST_CASE("a pure leaf has the same bytes as its distribution") {
    constexpr std::uint32_t n_classes = 5;
    for (const std::uint32_t window_size : {n_classes, 4096U}) {
        const auto layout = LeafLayout::for_classification(n_classes, n_classes, window_size);
        std::vector<Distribution> written(n_classes, Distribution(n_classes));
        std::vector<std::byte> pure(layout.bytes());
        for (std::uint32_t c = 0; c < n_classes; ++c) {
            written[c][n_classes - 1 - c] = fixed_one;
            layout.set_pure(pure.data(), c, n_classes - 1 - c);
        }
        const Leaves leaves(layout, written);
        CHECK(std::ranges::equal(pure, leaves.bytes));
    }
}

TEST_CASE("leaves copied in a row are those that were there") {
    for (const std::uint32_t n_classes : {2U, 30U}) {
        Random random(7, n_classes);
        const auto layout = LeafLayout::for_classification(12, n_classes, 60);
        const auto written = random_distributions(random, 12, n_classes, 60);
        const Leaves from(layout, written);
        // Leaves 4 to 8, one of its own, and leaves 0 to 2.
        Leaves to(layout, {});
        layout.copy_distributions(from.bytes.data(), 4, 5, to.bytes.data(), 0);
        layout.set_distribution(to.bytes.data(), 5, written[11]);
        layout.copy_distributions(from.bytes.data(), 0, 3, to.bytes.data(), 6);
        const std::uint32_t expected[] = {4, 5, 6, 7, 8, 11, 0, 1, 2};
        for (std::uint32_t leaf = 0; leaf < 9; ++leaf) {
            CHECK_EQ(to.get(leaf), written[expected[leaf]]);
        }
    }
}

TEST_CASE("thirds are rounded so that they sum to one") {
    // 32768 / 3 = 10922.67 and 65536 / 3 = 21845.33: the cumulative shares are 10923, 21845, 32768.
    CHECK_EQ(rounded({1, 1, 1}), Distribution({10923, 10922, 10923}));
}

TEST_CASE("a pure leaf gives its class everything") {
    CHECK_EQ(rounded({0, 5, 0}), Distribution({0, 32768, 0}));
}

TEST_CASE("halves of a unit are rounded up") {
    // 65536 examples: the cumulative share of one is half a unit.
    CHECK_EQ(rounded({1, 65535}), Distribution({1, 32767}));
}

TEST_CASE("rounded distributions sum to exactly one and are off by less than one unit") {
    Random random(5, 0);
    for (int repeat = 0; repeat < 2000; ++repeat) {
        std::vector<std::uint32_t> counts(1 + random.below(300));
        for (std::uint32_t& count : counts) {
            count = random.below(3) == 0 ? 0 : random.below(repeat % 2 == 0 ? 4 : 200);
        }
        ++counts[random.below(static_cast<std::uint32_t>(counts.size()))];
        const auto n = std::accumulate(counts.begin(), counts.end(), 0.0);
        const auto q = rounded(counts);
        CHECK_EQ(std::accumulate(q.begin(), q.end(), 0), fixed_one);
        for (std::size_t c = 0; c < q.size(); ++c) {
            const double off = q[c] - fixed_one * (counts[c] / n);
            CHECK(q[c] >= 0 && off < 1.0 && off > -1.0);
        }
    }
}

TEST_CASE("dense leaves give back what was written") {
    check_round_trip(8, 2, 16, LeafKind::dense);
    check_round_trip(1, 1, 1, LeafKind::dense);
    check_round_trip(256, 3, 256, LeafKind::dense);
}

TEST_CASE("sparse leaves give back what was written") {
    check_round_trip(8, 10, 16, LeafKind::sparse);
    check_round_trip(256, 300, 256, LeafKind::sparse);
    check_round_trip(2, 300, 64, LeafKind::sparse);
}

TEST_CASE("a pure class zero survives in dense leaves") {
    const Leaves leaves(LeafLayout::for_classification(2, 2, 2), {{32768, 0}, {0, 32768}});
    CHECK_EQ(leaves.layout.bytes(), 4U);  // two leaves, one entry of two bytes each
    CHECK_EQ(leaves.get(0), Distribution({32768, 0}));
    CHECK_EQ(leaves.get(1), Distribution({0, 32768}));
}

TEST_CASE("the smaller of dense and sparse is taken") {
    // dense: 16 * 9 * 2 = 288 bytes; sparse: 17 * 2 + 16 * 4 = 98 bytes.
    CHECK_EQ(LeafLayout::for_classification(16, 10, 16).bytes(), 98U);
    // dense: 16 * 1 * 2 = 32 bytes; sparse: 98 bytes.
    CHECK_EQ(LeafLayout::for_classification(16, 2, 16).bytes(), 32U);
    // No leaf can have more entries than classes: sparse would take 3 * 2 + 2 * 2 * 4 = 22 bytes.
    CHECK_EQ(LeafLayout::for_classification(2, 2, 1000).bytes(), 4U);
}

TEST_CASE("a layout without classes takes no bytes") {
    CHECK_EQ(LeafLayout::for_classification(16, 0, 16).bytes(), 0U);
}

TEST_CASE("the values of regression leaves come back to the bit") {
    const auto layout = LeafLayout::for_regression(3);
    CHECK_EQ(layout.bytes(), 24U);
    std::vector<std::byte> bytes(layout.bytes());
    const std::vector<double> values = {0.1, std::numeric_limits<double>::max(),
                                        -std::numeric_limits<double>::denorm_min()};
    for (std::uint32_t leaf = 0; leaf < 3; ++leaf) {
        layout.set_value(bytes.data(), leaf, values[leaf]);
    }
    for (std::uint32_t leaf = 0; leaf < 3; ++leaf) {
        CHECK_EQ(layout.value(bytes.data(), leaf), values[leaf]);
    }
}

TEST_CASE("add_distribution and add_product agree for dense and sparse leaves") {
    // Leaf 1 is (1/4, 0, 3/4, 0, ...) = (8192, 0, 24576, 0, ...) of 20 classes.
    std::vector<Distribution> written = {{32768, 0, 0}, {8192, 0, 24576}};
    for (Distribution& q : written) {
        q.resize(20);
    }
    const Leaves dense(LeafLayout::for_classification(2, 20, 100), written);
    const Leaves sparse(LeafLayout::for_classification(2, 20, 3), written);
    CHECK_EQ(dense.layout.kind(), LeafKind::dense);
    CHECK_EQ(sparse.layout.kind(), LeafKind::sparse);
    for (const Leaves* leaves : {&dense, &sparse}) {
        const std::byte* bytes = leaves->bytes.data();
        std::vector<double> sums(20, 1.0);
        leaves->layout.add_distribution(bytes, 1, 2.0, sums);
        CHECK_EQ(sums[0], 1.5);
        CHECK_EQ(sums[1], 1.0);
        CHECK_EQ(sums[2], 2.5);
        // 10 + 4 / 4 + 8 * 3 / 4 = 17
        std::vector<double> factors = {4.0, 5.0, 8.0};
        factors.resize(20, 7.0);
        CHECK_EQ(leaves->layout.add_product(bytes, 1, factors, 10.0), 17.0);
    }
}
