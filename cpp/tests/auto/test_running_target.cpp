#include <cmath>
#include <limits>
#include <vector>

#include "shrubs/auto/running_target.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr double most = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();

// The state of a target, as it stands in a file.
struct State {
    std::int32_t exponent = 0;
    std::uint32_t seen = 0;
    double mean = 0.0;
    double variance = 0.0;
    double low = 0.0;
    double high = 0.0;
    std::uint8_t is_record = 1;
};

// Without the padding behind its last number.
constexpr std::size_t kept_bytes = 41;

bool is_valid(State state, std::uint64_t examples_seen) {
    Archive archive = Archive::reading(std::as_bytes(std::span(&state, 1)).first(kept_bytes));
    RunningTarget().archive(archive, examples_seen);
    return archive.at_end();
}

// Whether a target is saved in a way that can be read.
bool is_valid(RunningTarget target, std::uint64_t examples_seen) {
    State state;
    Archive archive = Archive::writing(std::as_writable_bytes(std::span(&state, 1)));
    target.archive(archive, examples_seen);
    return is_valid(state, examples_seen);
}

RunningTarget after(const std::vector<double>& targets) {
    RunningTarget target;
    std::uint64_t n = 0;
    for (const double y : targets) {
        target.learn(y);
        CHECK(is_valid(target, ++n));
    }
    return target;
}

}  // namespace

TEST_CASE("targets are measured in deviations from their mean") {
    Random random(1, 0);
    std::vector<double> targets;
    for (int i = 0; i < 900; ++i) {
        targets.push_back(50.0 + 4.0 * (random.uniform() - 0.5));
    }
    const RunningTarget target = after(targets);
    // A uniform of width 4 has the deviation 4 / sqrt(12).
    CHECK(std::abs(target.standardise(50.0)) < 0.2);
    CHECK(std::abs(target.standardise(52.0) - std::sqrt(3.0)) < 0.2);
}

TEST_CASE("what is restored is what was standardised") {
    const RunningTarget target = after({3.0, 8.0, -2.0, 5.5, 1e-3});
    for (const double y : {0.0, 3.0, -17.0, 1e-9, 100.0}) {
        CHECK(std::abs(target.restore(target.standardise(y)) - y) < 1e-12 * (1.0 + std::abs(y)));
    }
}

TEST_CASE("the unit of the targets does not matter") {
    Random random(2, 0);
    std::vector<double> targets(50);
    for (double& y : targets) {
        y = random.uniform() - 0.3;
    }
    const double expected = after(targets).standardise(0.25);
    for (const int exponent : {-900, -30, 1, 40, 1000}) {
        std::vector<double> scaled;
        for (const double y : targets) {
            scaled.push_back(std::ldexp(y, exponent));
        }
        CHECK_EQ(after(scaled).standardise(std::ldexp(0.25, exponent)), expected);
    }
}

TEST_CASE("a constant target is its own prediction, whatever its size") {
    for (const double y : {0.0, 1.0, -7.25, 1e308, -1e308, most, -most, 1e-300}) {
        const RunningTarget target = after(std::vector<double>(30, y));
        CHECK_EQ(target.standardise(y), 0.0);
        CHECK(std::abs(target.restore(0.0) - y) <= 1e-15 * std::abs(y));
    }
}

TEST_CASE("what lies beyond the targets so far is moved to the nearest of them") {
    const RunningTarget target = after({3.0, -2.0, 1.0});
    CHECK_EQ(target.bounded(0.5), 0.5);
    CHECK_EQ(target.bounded(7.0), 3.0);
    CHECK_EQ(target.bounded(-7.0), -2.0);
    CHECK(target.contains(3.0));
    CHECK(!target.contains(3.5));
}

TEST_CASE("after a target beyond all before it, nothing is too far") {
    CHECK_EQ(after({3.0, -2.0, 3.5}).bounded(7.0), 7.0);
    CHECK_EQ(after({3.0}).bounded(7.0), 7.0);
    CHECK_EQ(after({3.0, -2.0, 3.0}).bounded(7.0), 3.0);
}

TEST_CASE("targets of all sizes and signs keep everything finite") {
    const std::vector<double> extremes = {0.0,    1e308,  -1e308,   most,      -most, least,
                                          -least, 1e-200, 0x1p1022, -0x1p1023, 1.0,   -3.0};
    Random random(3, 0);
    for (int repeat = 0; repeat < 200; ++repeat) {
        RunningTarget target;
        for (int i = 0; i < 60; ++i) {
            target.learn(extremes[random.below(static_cast<std::uint32_t>(extremes.size()))]);
            CHECK(is_valid(target, static_cast<std::uint64_t>(i) + 1));
            for (const double y : extremes) {
                CHECK(std::abs(target.standardise(y)) <= 100.0);
            }
            for (const double z : {-10.0, 0.0, 10.0}) {
                CHECK(std::isfinite(target.restore(z)));
            }
        }
    }
}

TEST_CASE("the smallest targets are told apart from zero by their scale") {
    const RunningTarget target = after({least, -least, least, -least});
    CHECK(target.down() >= 0x1p1022);
    CHECK(std::isfinite(target.restore(1.0)));
}

TEST_CASE("a state that no stream leads to is not valid") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(is_valid(State{}, 0));
    CHECK(is_valid(State{.exponent = 1022, .seen = 1000, .mean = 1.0, .variance = 1.0}, 5000));
    CHECK(!is_valid(State{.seen = 999}, 5000));
    CHECK(!is_valid(State{.seen = 1}, 0));
    CHECK(!is_valid(State{.exponent = 1023}, 0));
    CHECK(!is_valid(State{.exponent = -1023}, 0));
    CHECK(!is_valid(State{.mean = nan}, 0));
    CHECK(!is_valid(State{.mean = 5.0}, 0));
    CHECK(!is_valid(State{.variance = -1.0}, 0));
    CHECK(!is_valid(State{.variance = nan}, 0));
    CHECK(!is_valid(State{.variance = 65.0}, 0));
    CHECK(!is_valid(State{.low = 1.0}, 0));
    CHECK(!is_valid(State{.is_record = 2}, 0));
    CHECK(!is_valid(State{.high = nan}, 0));
    CHECK(!is_valid(State{.high = std::numeric_limits<double>::infinity()}, 0));
}
