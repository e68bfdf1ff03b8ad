#include <cmath>
#include <numeric>
#include <vector>

#include "shrubs/auto/tally.hpp"
#include "shrubs/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t n_examples = 40;

std::vector<std::uint16_t> all_slots() {
    std::vector<std::uint16_t> slots(n_examples);
    std::iota(slots.begin(), slots.end(), std::uint16_t{0});
    return slots;
}

// Where each example is: in a cell, or missing.
std::vector<std::uint32_t> random_cells(Random& random) {
    std::vector<std::uint32_t> cells(n_examples);
    for (std::uint32_t& cell : cells) {
        cell = random.below(6) == 0 ? missing_cell : random.below(careful_cuts + 1);
    }
    return cells;
}

bool is_left(std::uint32_t cell, std::uint32_t cut, bool missing_left) {
    return cell == missing_cell ? missing_left : cell <= cut;
}

// How often each cell up to `cut` is taken, the missing ones, and the rest.
struct Sides {
    std::uint32_t n_left = 0, n_right = 0, n_missing = 0;
    Sides(const std::vector<std::uint32_t>& cells, std::uint32_t cut) {
        for (const std::uint32_t cell : cells) {
            ++(cell == missing_cell ? n_missing : cell <= cut ? n_left : n_right);
        }
    }
};

// Sum over both sides of sum(y)^2 / n, written down as it is.
double score_of(const std::vector<double>& y, const std::vector<std::uint32_t>& cells,
                std::uint32_t cut, bool missing_left) {
    double sums[2] = {0.0, 0.0};
    double n[2] = {0.0, 0.0};
    for (std::uint32_t i = 0; i < n_examples; ++i) {
        const int side = is_left(cells[i], cut, missing_left) ? 0 : 1;
        sums[side] += y[i];
        n[side] += 1.0;
    }
    return n[0] == 0.0 || n[1] == 0.0 ? -std::numeric_limits<double>::infinity()
                                      : sums[0] * sums[0] / n[0] + sums[1] * sums[1] / n[1];
}

bool are_close(double a, double b) {
    return a == b || std::abs(a - b) < 1e-9 * (1.0 + std::abs(b));
}

}  // namespace

TEST_CASE("the cells of classes score like the plain Gini, missing values on the larger side") {
    Random random(1, 0);
    for (int repeat = 0; repeat < 200; ++repeat) {
        constexpr std::uint32_t n_classes = 4;
        std::vector<std::uint16_t> labels(n_examples);
        for (std::uint16_t& label : labels) {
            label = static_cast<std::uint16_t>(random.below(n_classes));
        }
        std::vector<std::uint32_t> totals(n_classes), lefts(n_classes);
        std::vector<std::uint16_t> memory(n_cells * n_classes, 77);
        ClassTally tally(labels, totals, lefts, memory);
        CHECK(tally.begin_node(all_slots()));
        const auto cells = random_cells(random);
        tally.clear_cells();
        for (std::uint32_t i = 0; i < n_examples; ++i) {
            tally.add(cells[i], i);
        }
        tally.begin_left();
        for (std::uint32_t cut = 0; cut < careful_cuts; ++cut) {
            tally.add_cell_left(cut);
            const Sides sides(cells, cut);
            const CutScore score = tally.score(sides.n_missing);
            const bool missing_left = sides.n_left >= sides.n_right;
            double expected = 0.0;
            for (std::uint32_t c = 0; c < n_classes; ++c) {
                std::vector<double> is_class;
                for (const std::uint16_t label : labels) {
                    is_class.push_back(label == c ? 1.0 : 0.0);
                }
                expected += score_of(is_class, cells, cut, missing_left);
            }
            CHECK(are_close(score.score, expected));
            CHECK(std::isinf(expected) || score.missing_left == missing_left);
        }
    }
}

TEST_CASE("the cells of targets score like the plain variance, missing values on the larger side") {
    Random random(2, 0);
    for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<double> targets(n_examples);
        for (double& target : targets) {
            target = 8.0 * random.uniform();
        }
        constexpr double down = 0.25;
        constexpr double centre = 0.9;
        std::vector<double> y;
        for (const double target : targets) {
            y.push_back(target * down - centre);
        }
        std::vector<double> memory(n_cells, 1e9);
        TargetTally tally(targets, down, centre, memory);
        CHECK(tally.begin_node(all_slots()));
        const auto cells = random_cells(random);
        tally.clear_cells();
        for (std::uint32_t i = 0; i < n_examples; ++i) {
            tally.add(cells[i], i);
        }
        tally.begin_left();
        for (std::uint32_t cut = 0; cut < careful_cuts; ++cut) {
            tally.add_cell_left(cut);
            const Sides sides(cells, cut);
            const CutScore score = tally.score(sides.n_missing);
            const bool missing_left = sides.n_left >= sides.n_right;
            CHECK(are_close(score.score, score_of(y, cells, cut, missing_left)));
        }
    }
}

TEST_CASE("examples moved one by one or all at once score the same") {
    Random random(3, 0);
    std::vector<std::uint16_t> labels(n_examples);
    std::vector<double> targets(n_examples);
    for (std::uint32_t i = 0; i < n_examples; ++i) {
        labels[i] = static_cast<std::uint16_t>(random.below(3));
        targets[i] = random.uniform();
    }
    std::vector<std::uint32_t> totals(3), lefts(3);
    std::vector<std::uint16_t> counts(n_cells * 3);
    std::vector<double> sums(n_cells);
    ClassTally classes(labels, totals, lefts, counts);
    TargetTally values(targets, 1.0, 0.5, sums);
    const auto check_both = [&](auto& tally) {
        tally.begin_node(all_slots());
        tally.begin_left();
        for (std::uint16_t slot = 0; slot < 17; ++slot) {
            tally.add_left(slot);
        }
        const CutScore one_by_one = tally.score(0);
        tally.begin_left();
        tally.add_left_where(all_slots(), [](std::uint16_t slot) { return slot < 17; });
        CHECK_EQ(tally.score(0).score, one_by_one.score);
        CHECK_EQ(tally.score(0).missing_left, one_by_one.missing_left);
    };
    check_both(classes);
    check_both(values);
}

TEST_CASE("a node of one class or one target has nothing to gain") {
    const std::vector<std::uint16_t> labels = {1, 1, 0};
    const std::vector<double> targets = {2.5, 2.5, 3.0};
    const std::vector<std::uint16_t> same = {0, 1};
    const std::vector<std::uint16_t> different = {0, 1, 2};
    std::vector<std::uint32_t> totals(2), lefts(2);
    std::vector<std::uint16_t> counts(n_cells * 2);
    std::vector<double> sums(n_cells);
    ClassTally classes(labels, totals, lefts, counts);
    TargetTally values(targets, 1.0, 0.0, sums);
    CHECK(!classes.begin_node(same) && classes.begin_node(different));
    CHECK(!values.begin_node(same) && values.begin_node(different));
}
