#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "auto_holders.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// Errors of the trend on a series, the second half of it.
template <class Next>
double error_on(Next next) {
    ScaleHolder scale({});
    Trend trend;
    LastOutcomes last;
    std::vector<float> said(1);
    std::vector<double> scratch(1);
    double error = 0.0;
    for (int t = 0; t < 2000; ++t) {
        const std::vector<double> target = {next(t)};
        trend.predict({{}, scale.scale(), last}, scratch, said);
        error += t < 1000 ? 0.0 : std::abs(said[0] - target[0]);
        trend.learn({{}, scale.scale(), last}, {0, target, {}, {}});
        last.targets = {target[0], last.targets[0], last.targets[1]};
        last.n = std::min(last.n + 1, LastOutcomes::most);
    }
    return error / 1000;
}

}  // namespace

TEST_CASE("a line goes on, and a wave") {
    CHECK(error_on([](int t) { return 0.004 * t; }) < 1e-5);
    CHECK(error_on([](int t) { return std::sin(0.1 * t); }) < 0.02);
}

TEST_CASE("a random walk has no trend") {
    Random random(1, 0);
    double y = 0.0;
    double change = 0.0;
    const double error = error_on([&](int t) {
        const double step = 0.2 * (random.uniform() - 0.5);
        change += t < 1000 ? 0.0 : std::abs(step);
        return y += step;
    });
    CHECK(error < 1.01 * change / 1000);
}
