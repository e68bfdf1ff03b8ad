#include <algorithm>

#include "shrubs/auto/rise.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

double uniform(Random& random) {
    return random.below(1U << 20U) * 0x1p-20;
}

}  // namespace

TEST_CASE("a mean that stays gives little evidence, one that rises gives much") {
    Random random(1, 0);
    Rise rise;
    double most = 0.0;
    for (int i = 0; i < 20000; ++i) {
        most = std::max(most, rise.update(uniform(random)));
    }
    CHECK(most < 1e5);
    int n = 0;
    while (rise.update(uniform(random) + 0.4) < 1e6) {
        ++n;
    }
    CHECK(n < 60);
    CHECK(rise.length() <= static_cast<std::uint32_t>(n) + 10);
}

TEST_CASE("a falling mean is no evidence") {
    Random random(2, 0);
    Rise rise;
    double most = 0.0;
    for (int i = 0; i < 5000; ++i) {
        most = std::max(most, rise.update(uniform(random) + 5000.0 / (i + 100)));
    }
    CHECK(most < 1e4);
}

TEST_CASE("numbers that depend on those before them are not taken for many") {
    Random random(3, 0);
    Rise rise;
    double level = 0.0;
    double most = 0.0;
    for (int i = 0; i < 50000; ++i) {
        level = 0.95 * level + uniform(random) - 0.5;
        most = std::max(most, rise.update(level + uniform(random)));
    }
    CHECK(most < 1e6);
}
