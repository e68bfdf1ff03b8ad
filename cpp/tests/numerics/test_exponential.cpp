#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "shrubs/numerics/exponential.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// Distance to the exact value in units of the last place.
double error_in_ulp(double x) {
    const long double exact = std::exp(static_cast<long double>(x));
    const auto rounded = static_cast<double>(exact);
    const double ulp = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
    return static_cast<double>(std::fabs(static_cast<long double>(exponential(x)) - exact) /
                               static_cast<long double>(ulp));
}

}  // namespace

TEST_CASE("the exponential of zero is one") {
    CHECK_EQ(exponential(0.0), 1.0);
}

TEST_CASE("the exponential is zero below -700") {
    CHECK_EQ(exponential(-700.1), 0.0);
    CHECK_EQ(exponential(-std::numeric_limits<double>::infinity()), 0.0);
    CHECK(exponential(-700.0) > 0.0);
}

TEST_CASE("the exponential is accurate to about one unit in the last place") {
    Random random(1, 0);
    double worst = 0.0;
    for (int i = 0; i < 20000; ++i) {
        worst = std::fmax(worst, error_in_ulp(-1.0 + 2.0 * random.uniform()));
        worst = std::fmax(worst, error_in_ulp(-700.0 + 1400.0 * random.uniform()));
    }
    CHECK(worst < 1.25);
}

TEST_CASE("the exponential grows with its argument") {
    double before = exponential(-2.0);
    for (int i = -1999; i <= 2000; ++i) {
        const double now = exponential(i * 0.001);
        CHECK(now > before);
        before = now;
    }
}

TEST_CASE("softmax gives probabilities in the order of the scores") {
    std::vector<double> scores = {1e6, -1e6, 1e6 - 1.0, 0.0};
    softmax(scores);
    CHECK(std::abs(std::accumulate(scores.begin(), scores.end(), 0.0) - 1.0) < 1e-12);
    CHECK(std::abs(scores[0] / scores[2] - std::exp(1.0)) < 1e-9);
    CHECK_EQ(scores[1], 0.0);
    std::vector<double> one = {-1e300};
    softmax(one);
    CHECK_EQ(one[0], 1.0);
}
