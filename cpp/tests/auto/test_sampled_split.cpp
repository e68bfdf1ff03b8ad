#include <iterator>

#include "shrubs/auto/sampled_split.hpp"
#include "testing.hpp"

using namespace shrubs;

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
