#include <cmath>
#include <limits>

#include "shrubs/numerics/quick_math.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// Normal numbers of all sizes, and the edges.
void for_normal_numbers(auto check) {
    Random random(1, 0);
    for (int i = 0; i < 20000; ++i) {
        const int exponent = static_cast<int>(random.below(2046)) - 1022;
        check(std::ldexp(1.0 + random.uniform(), exponent));
    }
    for (const double x : {1.0, 0.5, 2.0, std::numeric_limits<double>::min(),
                           std::numeric_limits<double>::max(), 1.0 - 0x1p-53, 1.0 + 0x1p-52}) {
        check(x);
    }
}

}  // namespace

TEST_CASE("the quick logarithm is right to about seven digits") {
    for_normal_numbers([](double x) {
        CHECK(std::abs(quick_logarithm(x) - std::log(x)) < 1e-7 * (1.0 + std::abs(std::log(x))));
    });
}

TEST_CASE("the inverse root is right to about fifteen digits") {
    for_normal_numbers([](double x) {
        const double exact = 1.0 / std::sqrt(x);
        CHECK(std::abs(inverse_root(x) - exact) < 1e-15 * exact);
    });
}

TEST_CASE("a larger number never has a smaller quick logarithm in the next binade") {
    for (int exponent = -1021; exponent < 1023; ++exponent) {
        const double x = std::ldexp(1.0, exponent);
        CHECK(std::abs(quick_logarithm(x) - quick_logarithm(std::nextafter(x, 0.0))) < 1e-6);
        CHECK(quick_logarithm(2.0 * x) > quick_logarithm(x));
    }
}
