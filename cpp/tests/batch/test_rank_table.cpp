#include <algorithm>
#include <set>
#include <vector>

#include "shrubs/batch/order_key.hpp"
#include "shrubs/batch/rank_table.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("a value exceeds the rank of a threshold if it is larger") {
    constexpr std::size_t n = 64;
    constexpr std::size_t step = 3;
    for (const std::uint32_t n_added : {0U, 1U, 2U, 3U, 7U, 8U, 100U, 254U, 255U}) {
        Random random(n_added, 1);
        RankTable table;
        std::set<std::uint32_t> thresholds;
        for (std::uint32_t i = 0; i < n_added; ++i) {
            const std::uint32_t threshold = random.below(300);
            CHECK(table.add(threshold));
            thresholds.insert(threshold);
        }
        CHECK_EQ(table.size(), thresholds.size());
        std::vector<std::uint32_t> keys(n * step);
        std::ranges::generate(keys, [&] { return random.below(300); });
        keys[5 * step] = missing_key;
        std::vector<Rank> left(n);
        std::vector<Rank> right(n);
        table.rank(keys.data(), step, n, left.data(), right.data());
        for (std::size_t i = 0; i < n; ++i) {
            for (const std::uint32_t threshold : thresholds) {
                const bool missing = keys[i * step] == missing_key;
                const bool larger = threshold < keys[i * step];
                CHECK_EQ(left[i] > table.rank_of(threshold), larger && !missing);
                CHECK_EQ(right[i] > table.rank_of(threshold), larger);
            }
        }
    }
}

TEST_CASE("a full rank table takes in only what it has") {
    RankTable table;
    for (std::uint32_t i = 0; i < RankTable::max_thresholds; ++i) {
        CHECK(table.add(7 * i % 256));
    }
    CHECK(table.add(7));
    CHECK(!table.add(1000));
    CHECK_EQ(table.size(), RankTable::max_thresholds);
}
