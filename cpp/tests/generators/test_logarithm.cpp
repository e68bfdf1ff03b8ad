#include <cmath>
#include <limits>

#include "shrubs/generators/logarithm.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("the logarithm of a power of two is that multiple of ln 2") {
    CHECK_EQ(logarithm(1.0), 0.0);
    CHECK_EQ(logarithm(2.0), 0.6931471805599453);
    CHECK_EQ(logarithm(0.5), -0.6931471805599453);
}

TEST_CASE("the logarithm is accurate to about two units in the last place") {
    Random random(1, 0);
    double worst = 0.0;
    for (int i = 0; i < 20000; ++i) {
        const double x =
            std::ldexp(0.5 + random.uniform(), static_cast<int>(random.below(200)) - 100);
        const long double exact = std::log(static_cast<long double>(x));
        const auto rounded = std::fabs(static_cast<double>(exact));
        const double ulp = std::nextafter(rounded, 1e300) - rounded;
        const auto error = std::fabs(static_cast<long double>(logarithm(x)) - exact);
        worst = std::fmax(worst, static_cast<double>(error / static_cast<long double>(ulp)));
    }
    CHECK(worst < 2.5);
}

TEST_CASE("the logarithm covers all normal numbers") {
    CHECK(std::isfinite(logarithm(std::numeric_limits<double>::max())));
    CHECK(std::isfinite(logarithm(std::numeric_limits<double>::min())));
}
