#include <algorithm>
#include <numeric>
#include <vector>

#include "holders.hpp"
#include "shrubs/auto/sampled_split.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("a second sample of a node has examples that the first one has not") {
    for (std::size_t n = 2 * most_sampled; n < 200; ++n) {
        std::vector<std::uint16_t> members(n);
        std::iota(members.begin(), members.end(), std::uint16_t{7});
        const NodeSample first(members);
        const NodeSample second(members, n / 2);
        std::vector<std::uint16_t> both;
        for (std::uint32_t i = 0; i < most_sampled; ++i) {
            both.push_back(first[i]);
            both.push_back(second[i]);
        }
        CHECK(std::ranges::is_sorted(both));
        CHECK(std::ranges::adjacent_find(both) == both.end());
        CHECK(both.back() < 7 + n);
    }
}

TEST_CASE("finalists are the best splits, the earlier one of equals first") {
    Finalists finalists(3);
    CHECK(finalists.is_empty());
    const double scores[] = {2.0, 5.0, 2.0, 1.0, 5.0, 3.0, 3.0};
    for (std::uint32_t i = 0; i < std::size(scores); ++i) {
        if (scores[i] > finalists.bar()) {
            finalists.add({scores[i], {.feature = i}, true});
        }
    }
    // 5 (the second), 5 (the fifth), 3 (the sixth)
    CHECK_EQ(finalists.size(), 3U);
    CHECK_EQ(finalists[0].feature, 1U);
    CHECK_EQ(finalists[1].feature, 4U);
    CHECK_EQ(finalists[2].feature, 5U);
    CHECK_EQ(finalists.best_score(), 5.0);
}

TEST_CASE("a split earns its feature what it explains of other examples, less the toll") {
    constexpr std::uint32_t n = 8;
    WindowHolder holder(n, {0, 0, 0}, Task::classification, Splitter::random);
    // The first feature is the class, the second half of it, the third nothing of it.
    for (std::uint32_t i = 0; i < n; ++i) {
        const auto label = static_cast<float>(i / 4);
        holder.add({label, i == 0 || i == 4 ? 1.0F - label : label, static_cast<float>(i % 2)},
                   label);
    }
    std::vector<std::uint16_t> members(n);
    std::iota(members.begin(), members.end(), std::uint16_t{0});
    const NodeSample sample(members);
    std::vector<std::uint32_t> ids(2);
    const SampledGini impurity(sample, holder.window().labels(), ids);
    Finalists finalists(3);
    for (std::uint32_t feature = 0; feature < 3; ++feature) {
        finalists.add({3.0 - feature, {.threshold = 0.5F, .feature = feature}, true});
    }
    std::vector<float> merits = {0.5F, 3.9F, 0.03125F};
    const SampledOptions options{.favourites = {}, .merits = merits};
    CHECK_EQ(judge_again(finalists, holder.window(), sample, options, impurity).feature, 0U);
    // Scores of 8, (9 + 1) / 4 + (1 + 9) / 4 = 5 and 4, where no split has 4 and the best one 8:
    // all, a quarter and nothing.
    CHECK_EQ(merits[0], 1.4375F);
    CHECK_EQ(merits[1], most_merit);
    CHECK_EQ(merits[2], 0.0F);
}
