#include <cmath>
#include <limits>
#include <vector>

#include "holders.hpp"
#include "shrubs/tree/targets.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

struct Scaled {
    std::vector<double> centred;
    TargetScale scale;

    explicit Scaled(const std::vector<double>& targets) {
        const auto size = static_cast<std::uint32_t>(targets.size());
        WindowHolder holder(size, {}, Task::regression);
        for (const double target : targets) {
            holder.add({}, target);
        }
        centred.resize(size);
        scale = scale_targets(holder.window(), centred);
    }
};

}  // namespace

TEST_CASE("targets are scaled by a power of two and centred") {
    // The largest is 6, so the exponent is 2: 0.5, 1.5, 1, whose mean is 1.
    const Scaled scaled({2.0, -6.0, 4.0});
    CHECK_EQ(scaled.scale.down, 0.25);
    CHECK_EQ(scaled.scale.up, 4.0);
    // 0.5 - 1.5 + 1 = 0
    CHECK_EQ(scaled.scale.centre, 0.0);
    CHECK_EQ(scaled.centred, std::vector<double>({0.5, -1.5, 1.0}));
    // (0.25 + 2.25 + 1) / 3
    CHECK_EQ(scaled.scale.variance, 3.5 / 3.0);
    CHECK_EQ(scaled.scale.squared(), 16.0);
}

TEST_CASE("equal targets have variance one, so that the step stays finite") {
    const Scaled scaled({3.0, 3.0});
    CHECK_EQ(scaled.centred, std::vector<double>({0.0, 0.0}));
    CHECK_EQ(scaled.scale.variance, 1.0);
}

TEST_CASE("zeros are not scaled") {
    const Scaled scaled({0.0, -0.0});
    CHECK_EQ(scaled.scale.down, 1.0);
    CHECK_EQ(scaled.scale.up, 1.0);
}

TEST_CASE("the largest and smallest targets stay finite") {
    for (const std::vector<double>& targets : {std::vector<double>{largest, -largest, largest},
                                               {smallest, -smallest},
                                               {largest, smallest},
                                               {0x1p1023},
                                               {0x1p-1022, 0x1p-1023}}) {
        const Scaled scaled(targets);
        CHECK(std::isnormal(scaled.scale.down) && std::isnormal(scaled.scale.up));
        CHECK(std::isfinite(scaled.scale.centre) && std::isfinite(scaled.scale.squared()));
        CHECK(scaled.scale.variance > 0.0 && std::isfinite(scaled.scale.variance));
        for (const double z : scaled.centred) {
            CHECK(std::abs(z) <= 8.0);
        }
    }
}

TEST_CASE("predictions from far larger targets are cut to a finite size") {
    const Scaled scaled({1e-300, 2e-300});
    CHECK(std::abs(scaled.scale.scaled_prediction(largest)) <= 1.0001e100);
    CHECK(std::abs(scaled.scale.scaled_prediction(-largest)) <= 1.0001e100);
}

TEST_CASE("a target that is scaled and unscaled stays finite and close") {
    for (const double target : {1.0, -3.7, 1e200, -1e-200, largest, -largest}) {
        const Scaled scaled({target, 0.0});
        const double back = scaled.scale.unscaled(scaled.scale.scaled_prediction(target));
        CHECK(std::isfinite(back));
        CHECK(std::abs(back / target - 1.0) < 1e-15);
    }
}

TEST_CASE("the scale of a window that has slid counts its own examples only") {
    WindowHolder holder(2, {}, Task::regression);
    for (const double target : {1000.0, 1.0, 3.0}) {
        holder.add({}, target);
    }
    std::vector<double> centred(2);
    const TargetScale scale = scale_targets(holder.window(), centred);
    // Slots 1 and 0 hold 1 and 3: scaled by 1/2, with mean 1.
    CHECK_EQ(scale.centre, 1.0);
    CHECK_EQ(centred, std::vector<double>({0.5, -0.5}));
}
