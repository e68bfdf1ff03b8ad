#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "shrubs/numerics/random.hpp"
#include "shrubs/paper/prox.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

std::vector<double> projected(std::vector<double> weights, std::size_t max_shrubs) {
    std::vector<std::uint16_t> order(weights.size());
    project_sparse_simplex(weights, max_shrubs, order);
    return weights;
}

// The same by a stable sort and the formula.
std::vector<double> projected_plainly(const std::vector<double>& weights, std::size_t max_shrubs) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](auto a, auto b) { return weights[a] > weights[b]; });
    order.resize(std::min(max_shrubs, order.size()));
    const double largest = weights[order[0]];
    double above = 0.0;
    double tau = 0.0;
    for (std::size_t j = 0; j < order.size(); ++j) {
        above += weights[order[j]] - largest;
        const double candidate = (above - 1.0) / static_cast<double>(j + 1);
        tau = weights[order[j]] - largest > candidate ? candidate : tau;
    }
    std::vector<double> result(weights.size(), 0.0);
    for (const std::size_t i : order) {
        result[i] = std::max((weights[i] - largest) - tau, 0.0);
    }
    return result;
}

bool are_close(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b, [](double x, double y) { return std::abs(x - y) < 1e-15; });
}

double sum(const std::vector<double>& weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

TEST_CASE("the example that the printed prox gets wrong is projected onto the simplex") {
    // Kept: 0.5, 0.6, 0.4, which sum to 1.5; tau = 0.5 / 3 = 1/6 is less than each of them.
    CHECK(are_close(projected({-0.3, 0.5, 0.6, 0.4}, 3), {0.0, 1.0 / 3, 13.0 / 30, 7.0 / 30}));
}

TEST_CASE("weights on the simplex stay where they are") {
    CHECK_EQ(projected({0.5, 0.25, 0.25}, 3), std::vector<double>({0.5, 0.25, 0.25}));
}

TEST_CASE("a single shrub gets all the weight, however small it was") {
    CHECK_EQ(projected({-1e300}, 1)[0], 1.0);
    CHECK_EQ(projected({0.0}, 5)[0], 1.0);
    CHECK_EQ(projected({1e300}, 5)[0], 1.0);
}

TEST_CASE("of equal weights the earlier ones survive") {
    CHECK_EQ(projected({0.2, 0.2, 0.2, 0.2}, 2), std::vector<double>({0.5, 0.5, 0.0, 0.0}));
}

TEST_CASE("the newcomer replaces the lightest when it is heavier") {
    const auto weights = projected({0.3, 0.1, 0.6, 0.2}, 3);
    CHECK_EQ(weights[1], 0.0);
    CHECK(weights[3] > 0.0);
}

TEST_CASE("a gap of one or more leaves only the largest") {
    // (2 - 1) / 1 = 1 = tau at j = 1; at j = 2: 1 > (3 - 1) / 2 = 1 does not hold.
    CHECK_EQ(projected({1.0, 2.0}, 2), std::vector<double>({0.0, 1.0}));
}

TEST_CASE("huge weights are projected without overflow") {
    const auto weights = projected({1e300, -1e300, 1e300, 1e299}, 3);
    CHECK_EQ(weights, std::vector<double>({0.5, 0.0, 0.5, 0.0}));
}

TEST_CASE("the projection lies in the sparse simplex and keeps the order of the weights") {
    Random random(3, 0);
    for (int repeat = 0; repeat < 2000; ++repeat) {
        std::vector<double> weights(1 + random.below(40));
        const double spread = repeat % 3 == 0 ? 0.1 : 3.0;
        for (double& weight : weights) {
            // Every fourth weight is one of few values, so that there are ties.
            weight =
                random.below(4) == 0 ? 0.25 * random.below(4) : spread * (random.uniform() - 0.3);
        }
        const std::size_t max_shrubs = 1 + random.below(40);
        const auto result = projected(weights, max_shrubs);
        CHECK(std::abs(sum(result) - 1.0) < 1e-12);
        CHECK(std::ranges::count_if(result, [](double w) { return w > 0.0; }) <=
              static_cast<std::ptrdiff_t>(max_shrubs));
        for (std::size_t i = 0; i < weights.size(); ++i) {
            CHECK(result[i] >= 0.0 && result[i] <= 1.0);
            for (std::size_t k = 0; k < weights.size(); ++k) {
                CHECK(!(weights[i] > weights[k]) || result[i] >= result[k]);
            }
        }
    }
}

TEST_CASE("ranking gives the bits of a stable sort, with and without AVX2") {
    Random random(5, 0);
    for (int repeat = 0; repeat < 600; ++repeat) {
        std::vector<double> weights(1 + random.below(repeat % 5 == 0 ? 300 : 40));
        for (double& weight : weights) {
            weight = random.below(3) == 0 ? 0.125 * random.below(4) : random.uniform() - 0.3;
        }
        const std::size_t max_shrubs = 1 + random.below(40);
        for (const bool wide : {false, true}) {
            allow_avx2(wide);
            CHECK_EQ(projected(weights, max_shrubs), projected_plainly(weights, max_shrubs));
        }
    }
    allow_avx2(true);
}

TEST_CASE("sorting from the last order gives the bits of a stable sort") {
    Random random(6, 0);
    for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<double> weights(1 + random.below(repeat % 5 == 0 ? 300 : 40));
        std::vector<std::uint16_t> order(weights.size() + 1);
        // From hardly any change to one that leaves nothing of the order.
        const double change = repeat % 4 == 0 ? 1.0 : 1e-3;
        const std::size_t max_shrubs = 1 + random.below(40);
        std::size_t n_ordered = 0;
        for (int step = 0; step < 6; ++step) {
            if (step == 3) {
                weights.push_back(0.0);  // a newcomer
            }
            for (double& weight : weights) {
                weight += random.below(3) == 0 ? 0.0 : change * (random.uniform() - 0.5);
            }
            const auto expected = projected_plainly(weights, max_shrubs);
            project_sparse_simplex(weights, max_shrubs, order, n_ordered);
            CHECK_EQ(weights, expected);
            n_ordered = weights.size();
        }
    }
}

TEST_CASE("no vector on the simplex is closer than the projection") {
    // With every weight kept, the projection p of w has <w - p, q - p> <= 0 for every q on the
    // simplex; it is enough to look at its corners.
    Random random(4, 0);
    for (int repeat = 0; repeat < 500; ++repeat) {
        std::vector<double> w(2 + random.below(10));
        for (double& weight : w) {
            weight = 2.0 * random.uniform() - 0.5;
        }
        const auto p = projected(w, w.size());
        double inner = 0.0;
        for (std::size_t i = 0; i < w.size(); ++i) {
            inner += (w[i] - p[i]) * p[i];
        }
        for (std::size_t corner = 0; corner < w.size(); ++corner) {
            CHECK((w[corner] - p[corner]) - inner < 1e-12);
        }
    }
}
