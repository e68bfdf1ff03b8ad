#include <vector>

#include "shrubs/numerics/random.hpp"
#include "shrubs/tree/impurity.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

struct GiniHolder {
    std::vector<std::uint16_t> labels;
    std::vector<std::uint32_t> totals;
    std::vector<std::uint32_t> lefts;
    Gini gini;

    GiniHolder(std::vector<std::uint16_t> of, std::uint32_t n_classes)
        : labels(std::move(of)),
          totals(n_classes, 99),
          lefts(n_classes, 99),
          gini(labels, totals, lefts) {}
};

}  // namespace

TEST_CASE("the Gini score counts squares on both sides") {
    GiniHolder holder({0, 0, 1, 1, 1}, 2);
    const std::vector<std::uint16_t> members = {0, 1, 2, 3, 4};
    holder.gini.begin_node(members);
    CHECK_EQ(holder.totals, std::vector<std::uint32_t>({2, 3}));
    holder.gini.begin_cut();
    holder.gini.add_left(0);
    // L = (1, 0), R = (1, 3): 1 / 1 + (1 + 9) / 4 = 3.5
    CHECK_EQ(holder.gini.score(1, 4), 3.5);
    holder.gini.add_left(1);
    // L = (2, 0), R = (0, 3): 4 / 2 + 9 / 3 = 5
    CHECK_EQ(holder.gini.score(2, 3), 5.0);
}

TEST_CASE("a cut starts with an empty left side") {
    GiniHolder holder({0, 1}, 2);
    holder.gini.begin_node(std::vector<std::uint16_t>({0, 1}));
    for (int repeat = 0; repeat < 2; ++repeat) {
        holder.gini.begin_cut();
        holder.gini.add_left(1);
        CHECK_EQ(holder.gini.score(1, 1), 2.0);
    }
}

TEST_CASE("a node is pure when all labels are equal") {
    const GiniHolder holder({0, 1, 1}, 2);
    CHECK(holder.gini.is_pure(std::vector<std::uint16_t>({1, 2})));
    CHECK(holder.gini.is_pure(std::vector<std::uint16_t>({0})));
    CHECK(!holder.gini.is_pure(std::vector<std::uint16_t>({0, 1, 2})));
}

TEST_CASE("the Gini score of the largest window is exact") {
    // 65535 examples of one class, split in half: 32767 + 32768 = 65535.
    GiniHolder holder(std::vector<std::uint16_t>(65535, 0), 1);
    std::vector<std::uint16_t> members(65535);
    for (std::size_t i = 0; i < members.size(); ++i) {
        members[i] = static_cast<std::uint16_t>(i);
    }
    holder.gini.begin_node(members);
    holder.gini.begin_cut();
    for (std::uint32_t i = 0; i < 32767; ++i) {
        holder.gini.add_left(i);
    }
    CHECK_EQ(holder.gini.score(32767, 32768), 65535.0);
}

TEST_CASE("the Gini score agrees with counting from scratch") {
    Random random(2, 0);
    std::vector<std::uint16_t> labels(50);
    std::vector<std::uint16_t> members;
    for (std::uint16_t i = 0; i < 50; ++i) {
        labels[i] = static_cast<std::uint16_t>(random.below(5));
        members.push_back(i);
    }
    GiniHolder holder(labels, 5);
    holder.gini.begin_node(members);
    holder.gini.begin_cut();
    for (std::uint32_t n_left = 1; n_left < 50; ++n_left) {
        holder.gini.add_left(n_left - 1);
        std::vector<double> left(5);
        std::vector<double> right(5);
        for (std::uint32_t i = 0; i < 50; ++i) {
            ++(i < n_left ? left : right)[labels[i]];
        }
        double squares_left = 0.0;
        double squares_right = 0.0;
        for (std::size_t c = 0; c < 5; ++c) {
            squares_left += left[c] * left[c];
            squares_right += right[c] * right[c];
        }
        const double n_right = 50.0 - n_left;
        CHECK_EQ(holder.gini.score(n_left, 50 - n_left),
                 (squares_left * n_right + squares_right * n_left) / (n_left * n_right));
    }
}

TEST_CASE("members moved by a rule count like those moved one by one") {
    GiniHolder holder({0, 0, 1, 1, 1}, 2);
    const std::vector<std::uint16_t> members = {0, 1, 2, 3, 4};
    holder.gini.begin_node(members);
    holder.gini.begin_cut();
    holder.gini.add_left(4);
    CHECK_EQ(holder.gini.add_left_where(members, [](auto slot) { return slot < 2; }), 2U);
    // L = (2, 1), R = (0, 2): (4 + 1) / 3 + 4 / 2
    CHECK_EQ(holder.gini.score(3, 2), (5.0 * 2 + 4.0 * 3) / 6.0);
    const std::vector<double> z = {-1.0, -2.0, 3.0};
    Variance variance(z, z);
    variance.begin_node(std::vector<std::uint16_t>({0, 1, 2}));
    variance.begin_cut();
    CHECK_EQ(variance.add_left_where(std::vector<std::uint16_t>({0, 1, 2}),
                                     [](auto slot) { return slot != 2; }),
             2U);
    CHECK_EQ(variance.score(2, 1), 13.5);
}

TEST_CASE("the variance score adds the squared sums of both sides") {
    const std::vector<double> z = {-1.0, -2.0, 3.0};
    Variance variance(z, z);
    variance.begin_node(std::vector<std::uint16_t>({0, 1, 2}));
    CHECK_EQ(variance.total(), 0.0);
    variance.begin_cut();
    variance.add_left(0);
    variance.add_left(1);
    // (-3)^2 / 2 + 3^2 / 1 = 13.5
    CHECK_EQ(variance.score(2, 1), 13.5);
}

TEST_CASE("a node is pure when all targets are equal, whatever their scale") {
    const std::vector<double> targets = {1e-300, 1e-300, 2e-300};
    const std::vector<double> centred = {0.0, 0.0, 0.0};
    const Variance variance(targets, centred);
    CHECK(variance.is_pure(std::vector<std::uint16_t>({0, 1})));
    CHECK(!variance.is_pure(std::vector<std::uint16_t>({0, 1, 2})));
}
