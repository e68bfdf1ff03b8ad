#include <algorithm>
#include <numeric>
#include <vector>

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
