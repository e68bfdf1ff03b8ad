#include <cmath>

#include "shrubs/generators/normal.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("normal numbers have the moments of a normal distribution") {
    // 200,000 draws: mean, variance and kurtosis are off by 1 / sqrt(n) times 1, sqrt(2), sqrt(96)
    // in one of three cases; six times that never happens.
    const Normal normal;
    Random random(5, 0);
    constexpr int n = 200000;
    double mean = 0.0;
    double square = 0.0;
    double fourth = 0.0;
    int n_tail = 0;
    for (int i = 0; i < n; ++i) {
        const double x = normal.draw(random);
        mean += x / n;
        square += x * x / n;
        fourth += x * x * x * x / n;
        n_tail += std::fabs(x) > 3.6541528853610088 ? 1 : 0;
    }
    CHECK(std::fabs(mean) < 6.0 / std::sqrt(n));
    CHECK(std::fabs(square - 1.0) < 6.0 * std::sqrt(2.0 / n));
    CHECK(std::fabs(fourth - 3.0) < 6.0 * std::sqrt(96.0 / n));
    // P(|x| > 3.654) = 2.58e-4: about 52 of 200,000, with a deviation of 7.
    CHECK(n_tail > 20 && n_tail < 90);
}

TEST_CASE("the same seed draws the same normal numbers") {
    const Normal one;
    const Normal other;
    Random first(6, 0);
    Random second(6, 0);
    for (int i = 0; i < 1000; ++i) {
        CHECK_EQ(one.draw(first), other.draw(second));
    }
}
