#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "holders.hpp"
#include "shrubs/growth/drawn_split.hpp"
#include "shrubs/growth/random_split.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t n_classes = 5;

struct Shape {
    std::uint32_t n_features;
    std::uint32_t size;
    std::uint32_t min_samples_leaf;
    std::uint32_t n_values;       ///< few: constant features, equal values
    std::uint32_t missing_every;  ///< 0: none
    bool some_nominal;
};

struct Found {
    std::optional<Split> split;
    std::uint64_t next_draw;  ///< tells how many random numbers were drawn

    bool operator==(const Found& other) const {
        if (next_draw != other.next_draw || split.has_value() != other.split.has_value()) {
            return false;
        }
        return !split ||
               (std::bit_cast<std::uint32_t>(split->threshold) ==
                    std::bit_cast<std::uint32_t>(other.split->threshold) &&
                split->feature == other.split->feature && split->nominal == other.split->nominal &&
                split->missing_left == other.split->missing_left);
    }
};

void fill(WindowHolder& holder, const Shape& shape, Random& random) {
    std::vector<float> x(shape.n_features);
    for (std::uint32_t i = 0; i < shape.size; ++i) {
        for (std::uint32_t k = 0; k < x.size(); ++k) {
            x[k] = static_cast<float>(random.below(k % 3 == 0 ? 1 + k / 3 : shape.n_values));
            if (shape.missing_every != 0 && random.below(shape.missing_every) == 0) {
                x[k] = missing;
            }
        }
        holder.add(x, random.below(2 + i % (n_classes - 1)));
    }
}

bool blocks_agree(const Shape& shape, std::uint64_t seed) {
    Random random(seed, 0);
    std::vector<std::uint8_t> nominal(shape.n_features, 0);
    for (std::uint32_t k = 0; k < shape.n_features && shape.some_nominal; k += 7) {
        nominal[k] = 1;
    }
    WindowHolder holder(shape.size, nominal, Task::classification, Splitter::random);
    fill(holder, shape, random);
    std::vector<std::uint16_t> members(shape.size);
    std::iota(members.begin(), members.end(), std::uint16_t{0});
    const bool by_class = !shape.some_nominal && seed % 4 != 0;
    if (by_class) {
        const auto labels = holder.window().labels();
        std::ranges::stable_sort(members, [&](auto a, auto b) { return labels[a] < labels[b]; });
    }
    const NodeExamples examples{members, nullptr, shape.size, by_class};
    const SplitOptions options{Splitter::random, shape.min_samples_leaf, shape.n_features};
    std::vector<std::uint32_t> counts(2 * n_classes);
    std::vector<float> left_counts(24 * n_classes, -1.0F);
    Gini gini(holder.window().labels(), std::span(counts).first(n_classes),
              std::span(counts).last(n_classes));
    gini.begin_node(members);
    Random one(seed, 1);
    const auto by_feature = find_split(holder.window(), examples, options, {}, gini, one);
    const Found expected{by_feature, one.next()};
    bool agree = true;
    for (const bool wide : {false, true}) {
        allow_avx2(wide);
        for (const std::size_t room : {16U, 24U}) {
            Random many(seed, 1);
            const auto by_block =
                find_random_split(holder.window(), examples, options,
                                  std::span(left_counts).first(room * n_classes), gini, many);
            agree = agree && expected == Found{by_block, many.next()};
        }
    }
    allow_avx2(true);
    return agree;
}

// As many random cuts as asked for, one feature after the other and in blocks.
bool sampled_agree(const Shape& shape, std::uint64_t seed) {
    Random random(seed, 0);
    std::vector<std::uint8_t> nominal(shape.n_features, 0);
    nominal[shape.n_features / 2] = shape.some_nominal ? 1 : 0;
    WindowHolder holder(shape.size, nominal, Task::classification, Splitter::random);
    fill(holder, shape, random);
    std::vector<std::uint16_t> members(shape.size);
    std::iota(members.begin(), members.end(), std::uint16_t{0});
    const bool by_class = !shape.some_nominal && seed % 4 != 0;
    if (by_class) {
        const auto labels = holder.window().labels();
        std::ranges::stable_sort(members, [&](auto a, auto b) { return labels[a] < labels[b]; });
    }
    const NodeExamples examples{members, nullptr, shape.size, by_class};
    const std::uint32_t max_features = 1 + random.below(shape.n_features - 1);
    const SplitOptions options{Splitter::random, shape.min_samples_leaf, max_features};
    const Dimensions dimensions{shape.n_features, n_classes, max_features};
    const auto reserve = [&](Arena& arena) {
        return DrawnScratch::reserve(arena, Task::classification, Splitter::random, dimensions);
    };
    Memory memory(counted(reserve));
    Arena arena(memory.bytes());
    const DrawnScratch scratch = reserve(arena);
    std::vector<std::uint32_t> counts(2 * n_classes);
    Gini gini(holder.window().labels(), std::span(counts).first(n_classes),
              std::span(counts).last(n_classes));
    gini.begin_node(members);
    std::vector<std::uint16_t> features(shape.n_features);
    std::iota(features.begin(), features.end(), std::uint16_t{0});
    bool agree = true;
    for (const bool wide : {false, true}) {
        allow_avx2(wide);
        auto one_order = features;
        auto block_order = features;
        Random one(seed, 1);
        Random many(seed, 1);
        const auto by_feature =
            find_split(holder.window(), examples, options, one_order, gini, one);
        const auto by_block = find_drawn_split({holder.window(), examples, options}, block_order,
                                               scratch, gini, many);
        agree = agree && Found{by_feature, one.next()} == Found{by_block, many.next()} &&
                one_order == block_order;
    }
    allow_avx2(true);
    return agree;
}

}  // namespace

TEST_CASE("features that are drawn give the split of one after the other, to the bit") {
    for (const std::uint32_t n_features : {4U, 5U, 8U, 11U, 16U, 24U, 29U, 41U, 50U}) {
        for (const std::uint32_t size : {2U, 3U, 25U, 100U}) {
            for (const std::uint32_t min_samples_leaf : {1U, 3U}) {
                for (const std::uint32_t n_values : {2U, 1000U}) {
                    for (const std::uint32_t missing_every : {0U, 30U}) {
                        for (std::uint64_t seed = 0; seed < 6; ++seed) {
                            CHECK(sampled_agree({n_features, size, min_samples_leaf, n_values,
                                                 missing_every, seed % 2 == 1},
                                                seed));
                        }
                    }
                }
            }
        }
    }
    CHECK(sampled_agree({9, 5000, 1, 1000000, 0, false}, 1));
}

TEST_CASE("features in blocks give the split of one feature after the other, to the bit") {
    for (const std::uint32_t n_features : {4U, 5U, 8U, 11U, 16U, 17U, 24U, 29U, 40U, 41U}) {
        for (const std::uint32_t size : {2U, 3U, 9U, 24U, 25U, 100U}) {
            for (const std::uint32_t min_samples_leaf : {1U, 3U}) {
                for (const std::uint32_t n_values : {2U, 1000U}) {
                    for (const std::uint32_t missing_every : {0U, 30U}) {
                        for (std::uint64_t seed = 0; seed < 12; ++seed) {
                            CHECK(blocks_agree({n_features, size, min_samples_leaf, n_values,
                                                missing_every, seed % 2 == 1},
                                               seed));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("there is room for 24 features side by side where there are as many") {
    const auto width_for = [](const Dimensions& dimensions) {
        return widest_random_split(Task::classification, Splitter::random, dimensions);
    };
    for (const auto& [n_features, width] :
         {std::pair{3U, 0U}, {4U, 4U}, {8U, 8U}, {16U, 16U}, {23U, 16U}, {24U, 24U}, {99U, 24U}}) {
        CHECK_EQ(width_for({n_features, 2, n_features}), width);
    }
    CHECK_EQ(width_for({40, 2, 5}), 0U);
}

TEST_CASE("nodes with sums of squares beyond single precision are split exactly") {
    CHECK(blocks_agree({4, 4096, 1, 1000000, 0, false}, 1));
    CHECK(blocks_agree({4, 5000, 1, 1000000, 0, false}, 2));
}

TEST_CASE("skipping random numbers is drawing them") {
    Random drawn(3, 4);
    Random skipped(3, 4);
    for (int i = 0; i < 5; ++i) {
        drawn.next();
    }
    skipped.skip(5);
    CHECK_EQ(drawn.next(), skipped.next());
}
