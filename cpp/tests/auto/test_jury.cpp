#include <algorithm>
#include <numeric>
#include <vector>

#include "shrubs/auto/jury.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

std::vector<std::uint16_t> slots(std::size_t n) {
    std::vector<std::uint16_t> members(n);
    std::iota(members.begin(), members.end(), std::uint16_t{0});
    return members;
}

}  // namespace

TEST_CASE("a jury has examples that the sample has not, up to eight times as many") {
    for (std::size_t n = 2 * most_sampled; n < 400; ++n) {
        const std::vector<std::uint16_t> members = slots(n);
        const NodeSample sample(members);
        const Jury jury(members);
        CHECK_EQ(jury.slots().size(), most_sampled * std::min<std::size_t>(n / 32 - 1, 8));
        std::vector<std::uint16_t> both(jury.slots().begin(), jury.slots().end());
        for (std::uint32_t i = 0; i < most_sampled; ++i) {
            both.push_back(sample[i]);
        }
        std::ranges::sort(both);
        CHECK(std::ranges::adjacent_find(both) == both.end());
        CHECK(both.back() < n);
    }
    CHECK_EQ(Jury::n_samples(2 * most_sampled - 1), 0U);
}

TEST_CASE("a jury tells which share of the impurity a split takes away") {
    const std::vector<std::uint16_t> members = slots(64);
    const Jury jury(members);  // every second one, from 1 on
    std::vector<std::uint16_t> labels(64);
    std::vector<double> targets(64);
    std::vector<float> all(64);
    std::vector<float> half(64);
    std::vector<float> nothing(64);
    for (std::uint16_t i = 0; i < 64; ++i) {
        const bool late = i >= 32;
        labels[i] = late ? 7 : 2;
        targets[i] = late ? 3.0 : -1.0;
        all[i] = late ? 1.0F : 0.0F;
        half[i] = late != (i % 32 >= 24) ? 1.0F : 0.0F;  // a fourth of either is wrong
        nothing[i] = i % 4 < 2 ? 1.0F : 0.0F;
    }
    std::vector<std::uint32_t> lefts(8);
    std::vector<std::uint32_t> rights(8);
    const auto explained = [&](const std::vector<float>& values, float threshold) {
        const DividedJury divided(jury, values, {.threshold = threshold});
        CHECK_EQ(divided.explained(labels, lefts, rights), divided.explained(targets));
        return divided.explained(targets);
    };
    CHECK_EQ(explained(all, 0.5F), 1.0);
    CHECK_EQ(explained(half, 0.5F), 0.25);
    CHECK_EQ(explained(nothing, 0.5F), 0.0);
    CHECK_EQ(explained(all, 2.0F), 0.0);  // all of them go left
}

TEST_CASE("a split earns its feature what it explains, less the toll") {
    float merit = 0.5F;
    earn(merit, 1.0, 1);
    CHECK_EQ(merit, 1.4375F);
    earn(merit, 0.0, 2);
    CHECK_EQ(merit, 1.40625F);
    merit = 3.9F;
    earn(merit, 0.25, 8);
    CHECK_EQ(merit, most_merit);
    merit = 0.03125F;
    earn(merit, 0.0, 1);
    CHECK_EQ(merit, 0.0F);
}
