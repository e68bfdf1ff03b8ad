// All generators at once; tests/unit/streams compares each with its plain version.

#include <algorithm>
#include <limits>
#include <vector>

#include "shrubs/generators/any_generator.hpp"
#include "shrubs/generators/join.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

std::vector<AnyGenerator> all_generators(std::uint64_t seed) {
    std::vector<AnyGenerator> all;
    for (std::uint32_t function = 1; function <= 10; ++function) {
        all.emplace_back(Agrawal({.seed = seed,
                                  .function = function,
                                  .balance = function == 2,
                                  .one_hot = function == 3}));
    }
    for (std::uint32_t function = 1; function <= 4; ++function) {
        all.emplace_back(Sea({.seed = seed, .function = function, .balance = function == 2}));
        all.emplace_back(Sine({.seed = seed, .function = function, .balance = function == 2}));
    }
    all.emplace_back(Hyperplane({.seed = seed, .magnitude = 0.01}));
    all.emplace_back(Hyperplane({.seed = seed, .n_features = 1, .n_drift_features = 0}));
    all.emplace_back(Led({.seed = seed, .n_drift_features = 7}));
    all.emplace_back(Led({.seed = seed, .noise = 1.0, .one_hot = true}));
    all.emplace_back(RandomRbf({.seed = seed, .n_classes = 5, .speed = 1.0}));
    all.emplace_back(RandomRbf(
        {.seed = seed, .n_features = 1, .n_classes = 1, .n_centroids = 1, .n_drift_centroids = 0}));
    return all;
}

struct Block {
    std::vector<float> X;
    std::vector<std::int64_t> y;

    bool operator==(const Block&) const = default;
};

Block drawn(AnyGenerator& generator, std::size_t n_examples) {
    Block block{std::vector<float>(n_examples * n_features(generator)),
                std::vector<std::int64_t>(n_examples, -1)};
    fill(generator, block.X, block.y);
    return block;
}

}  // namespace

TEST_CASE("the same seed draws the same examples, another seed others") {
    auto first = all_generators(1);
    auto again = all_generators(1);
    auto other = all_generators(2);
    for (std::size_t i = 0; i < first.size(); ++i) {
        const Block block = drawn(first[i], 200);
        CHECK(block == drawn(again[i], 200));
        CHECK(block != drawn(other[i], 200));
    }
}

TEST_CASE("examples do not depend on the size of the blocks") {
    auto whole = all_generators(3);
    auto parts = all_generators(3);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        const Block block = drawn(whole[i], 100);
        Block joined;
        for (const std::size_t size : {1U, 0U, 59U, 40U}) {
            const Block part = drawn(parts[i], size);
            joined.X.insert(joined.X.end(), part.X.begin(), part.X.end());
            joined.y.insert(joined.y.end(), part.y.begin(), part.y.end());
        }
        CHECK(block == joined);
    }
}

TEST_CASE("features are finite and labels are not negative") {
    for (AnyGenerator& generator : all_generators(4)) {
        const Block block = drawn(generator, 2000);
        CHECK(std::ranges::all_of(block.X, [](float value) { return value - value == 0.0F; }));
        CHECK(std::ranges::min(block.y) >= 0);
        CHECK(std::ranges::max(block.y) < 10);
        CHECK(memory_bytes(generator) >= sizeof(AnyGenerator));
    }
}

TEST_CASE("an abrupt join gives exactly its position from the first stream") {
    Turns turns;
    const std::size_t first = turns.add_stream(1000);
    const std::size_t second = turns.add_stream(1000);
    turns.add_join(first, second, {.position = 37, .width = 0}, 100);
    std::vector<std::size_t> counts(2);
    while (true) {
        const Turn turn = turns.next(10);
        if (turn.n_examples == 0) {
            break;
        }
        CHECK(turn.n_examples <= 10);
        counts[turn.stream] += turn.n_examples;
    }
    CHECK_EQ(counts, std::vector<std::size_t>({37, 63}));
}

TEST_CASE("a gradual join ends when the stream drawn has no more") {
    Turns turns;
    const std::size_t first = turns.add_stream(50);
    const std::size_t second = turns.add_stream(5);
    turns.add_join(first, second, {.position = 40, .width = 10}, 1000);
    std::vector<std::size_t> counts(2);
    for (Turn turn = turns.next(7); turn.n_examples > 0; turn = turns.next(7)) {
        counts[turn.stream] += turn.n_examples;
    }
    CHECK(counts[0] <= 50);
    CHECK(counts[1] <= 5);
    CHECK(counts[0] == 50 || counts[1] == 5);
}

TEST_CASE("a nested join draws from every stream") {
    std::vector<AnyGenerator> generators;
    Turns turns;
    std::vector<std::size_t> nodes;
    for (std::uint32_t function = 1; function <= 3; ++function) {
        generators.emplace_back(Sea({.function = function}));
        nodes.push_back(turns.add_stream(std::numeric_limits<std::uint64_t>::max()));
    }
    const std::size_t inner =
        turns.add_join(nodes[1], nodes[2], {.position = 50, .width = 20}, 500);
    turns.add_join(nodes[0], inner, {.position = 50, .width = 5}, 300);
    std::vector<float> X(3 * std::size_t{400});
    std::vector<std::int64_t> y(400, -1);
    CHECK_EQ(fill(turns, generators, X, y), 300U);
    CHECK_EQ(std::ranges::count(y, -1), 100);
    CHECK_EQ(turns.n_streams(), 3U);
}
