#include <algorithm>
#include <limits>
#include <vector>

#include "shrubs/auto/sampled_rows.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "shrubs/tree/impurity.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// Examples of a few classes, class by class, with values that repeat.
struct Examples {
    Examples(std::uint32_t n_features, Random& random) {
        for (std::uint32_t c = 1 + random.below(5); c > 0 && n < 32; --c) {
            n_in_class.push_back(std::min(1 + random.below(12), 32 - n));
            n += n_in_class.back();
        }
        for (std::uint32_t i = 0; i < n * n_features; ++i) {
            values.push_back(static_cast<float>(random.below(1 + random.below(4))) - 1.0F);
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            rows.push_back(values.data() + std::size_t{i} * n_features);
        }
    }
    SampledRows view() const { return {rows, n_in_class}; }

    std::uint32_t n = 0;
    std::vector<std::uint32_t> n_in_class;
    std::vector<float> values;
    std::vector<const float*> rows;
};

// Counts one example after the other.
void check_cut(const Examples& examples, const RowCuts& cuts, std::uint32_t feature, float floor) {
    std::uint64_t n_left = 0;
    std::uint64_t left_squares = 0;
    std::uint64_t right_squares = 0;
    std::size_t at = 0;
    for (const std::uint32_t total : examples.n_in_class) {
        std::uint64_t left = 0;
        for (const std::size_t end = at + total; at < end; ++at) {
            const float value = examples.rows[at][feature];
            left += value >= floor && value <= cuts.threshold(feature) ? 1 : 0;
        }
        n_left += left;
        left_squares += left * left;
        right_squares += (total - left) * (total - left);
    }
    CHECK_EQ(std::uint64_t{cuts.n_left(feature)}, n_left);
    if (n_left > 0 && n_left < examples.n) {
        const double score = gini_score(left_squares, n_left, right_squares, examples.n - n_left);
        CHECK_EQ(cuts.above(feature) / cuts.below(feature), score);
        CHECK_EQ(cuts.score(feature), static_cast<float>(score));
    }
}

}  // namespace

TEST_CASE("cuts by rows have the ranges and scores of features one by one, with and without AVX2") {
    Random random(5, 0);
    for (int repeat = 0; repeat < 1500; ++repeat) {
        const std::uint32_t n_features = 4 + random.below(RowCuts::max_features - 3);
        const Examples examples(n_features, random);
        allow_avx2(repeat % 2 == 0);
        RowCuts cuts(examples.view(), n_features);
        cuts.measure();
        CHECK(!cuts.has_missing());
        const bool nominal = repeat % 3 == 0;
        const NodeDraw draw(n_features, prime_from(n_features), random);
        cuts.cut_numbers(draw);
        std::vector<float> floors(n_features, -std::numeric_limits<float>::infinity());
        for (std::uint32_t i = 0; i < n_features; ++i) {
            std::vector<float> column;
            for (const float* row : examples.rows) {
                column.push_back(row[i]);
            }
            const auto [low, high] = std::ranges::minmax(column);
            CHECK(cuts.low(i) == low && cuts.high(i) == high);
            CHECK(cuts.is_constant(i) == (low == high));
            CHECK_EQ(cuts.divides(i), cuts.is_constant(i) ? 0U : 1U);
            if (nominal && i % 2 == 0) {
                floors[i] = column[random.below(examples.n)];
                cuts.cut_category(i, floors[i]);
                CHECK(cuts.is_constant(i) == (low == high));
            } else {
                CHECK_EQ(cuts.threshold(i), cut_between(low, high, draw.share(i)));
            }
        }
        cuts.judge();
        for (std::uint32_t i = 0; i < n_features; ++i) {
            check_cut(examples, cuts, i, floors[i]);
        }
        CHECK_EQ(cuts.divides(n_features), 0U);
    }
    allow_avx2(true);
}

TEST_CASE("categories judged without ranges are judged as with them, with and without AVX2") {
    Random random(7, 0);
    for (int repeat = 0; repeat < 600; ++repeat) {
        const std::uint32_t n_features = 4 + random.below(RowCuts::max_features - 3);
        const Examples examples(n_features, random);
        allow_avx2(repeat % 2 == 0);
        RowCuts measured(examples.view(), n_features);
        measured.measure();
        RowCuts cuts(examples.view(), n_features);
        const float* const categories = examples.rows[random.below(examples.n)];
        cuts.judge_categories(categories);
        CHECK(!cuts.has_missing());
        for (std::uint32_t i = 0; i < n_features; ++i) {
            CHECK_EQ(cuts.threshold(i), categories[i]);
            CHECK_EQ(cuts.divides(i), measured.divides(i));
            check_cut(examples, cuts, i, categories[i]);
        }
        CHECK_EQ(cuts.divides(n_features), 0U);
    }
    allow_avx2(true);
}

TEST_CASE("one missing value among many rows is noticed") {
    Random random(6, 0);
    for (int repeat = 0; repeat < 300; ++repeat) {
        const std::uint32_t n_features = 4 + random.below(RowCuts::max_features - 3);
        Examples examples(n_features, random);
        examples.values[random.below(examples.n * n_features)] =
            std::numeric_limits<float>::quiet_NaN();
        allow_avx2(repeat % 2 == 0);
        RowCuts measured(examples.view(), n_features);
        measured.measure();
        CHECK(measured.has_missing());
        RowCuts judged(examples.view(), n_features);
        judged.judge_categories(examples.rows[random.below(examples.n)]);
        CHECK(judged.has_missing());
    }
    allow_avx2(true);
}
