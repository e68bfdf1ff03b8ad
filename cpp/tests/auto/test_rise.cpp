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
    RunningMean mean;
    double most = 0.0;
    for (int i = 0; i < 20000; ++i) {
        most = std::max(most, rise.update(uniform(random), mean));
    }
    CHECK(most < 1e5);
    int n = 0;
    while (rise.update(uniform(random) + 0.4, mean) < 1e6) {
        ++n;
    }
    CHECK(n < 60);
    CHECK(rise.length() <= static_cast<std::uint32_t>(n) + 10);
}

TEST_CASE("a falling mean is no evidence") {
    Random random(2, 0);
    Rise rise;
    RunningMean mean;
    double most = 0.0;
    for (int i = 0; i < 5000; ++i) {
        most = std::max(most, rise.update(uniform(random) + 5000.0 / (i + 100), mean));
    }
    CHECK(most < 1e4);
}

TEST_CASE("numbers that depend on those before them are not taken for many") {
    Random random(3, 0);
    Rise rise;
    RunningMean mean;
    double level = 0.0;
    double most = 0.0;
    for (int i = 0; i < 50000; ++i) {
        level = 0.95 * level + uniform(random) - 0.5;
        most = std::max(most, rise.update(level + uniform(random), mean));
    }
    CHECK(most < 1e6);
}

TEST_CASE("what comes more often than before is no evidence where each kind keeps its mean") {
    Random random(4, 0);
    Rise rise;
    std::array<RunningMean, 2> means;
    double most = 0.0;
    for (int i = 0; i < 20000; ++i) {
        const std::size_t kind = i / 500 % 2;
        most =
            std::max(most, rise.update(uniform(random) + static_cast<double>(kind), means[kind]));
    }
    CHECK(most < 1e5);
}
