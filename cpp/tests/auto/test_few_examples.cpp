#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "holders.hpp"
#include "shrubs/auto/few_examples.hpp"
#include "shrubs/auto/growing_shrub.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t n_kept = 200;

// A window of features of two values, some of which are nominal.
class TwoValued {
 public:
    explicit TwoValued(Random& random)
        : n_classes_(2 + random.below(11)),
          kinds_(random_kinds(random)),
          holder_(n_kept, kinds_, Task::classification, Splitter::random) {
        const std::uint32_t share = 2 + random.below(8);
        std::vector<float> values(2 * kinds_.size());
        for (float& value : values) {
            value = static_cast<float>(random.below(50));
        }
        std::vector<float> x(kinds_.size());
        for (std::uint32_t i = 0; i < n_kept + 20; ++i) {
            for (std::size_t f = 0; f < x.size(); ++f) {
                x[f] = values[2 * f + (random.below(share) == 0 ? 0 : 1)];
            }
            holder_.add(x, random.below(n_classes_));
        }
    }

    Window& window() { return holder_.window(); }
    std::uint32_t n_classes() const { return n_classes_; }

 private:
    static std::vector<std::uint8_t> random_kinds(Random& random) {
        const std::uint32_t nominal_share = random.below(3);
        std::vector<std::uint8_t> kinds(4 + random.below(FewExamples::max_features - 3));
        for (std::uint8_t& kind : kinds) {
            kind = random.below(2) < nominal_share ? 1 : 0;
        }
        return kinds;
    }

    std::uint32_t n_classes_;
    std::vector<std::uint8_t> kinds_;
    WindowHolder holder_;
};

std::vector<std::uint16_t> some_slots(Random& random, std::uint32_t n) {
    std::vector<std::uint16_t> slots(n_kept);
    std::iota(slots.begin(), slots.end(), std::uint16_t{0});
    for (std::uint32_t i = 0; i < n; ++i) {
        std::swap(slots[i], slots[i + random.below(n_kept - i)]);
    }
    slots.resize(n);
    return slots;
}

// The split of a node is that of a sample of its slots.
void check_split(TwoValued& examples, FewExamples& few, const std::vector<std::uint16_t>& slots,
                 std::uint32_t node, bool recalls, Random& random) {
    const Window& window = examples.window();
    std::vector<std::uint16_t> members(FewExamples::most);
    members.resize(few.copy_slots(node, members).size());
    const auto labels = window.labels();
    const auto is_first = [&](std::uint16_t slot) { return labels[slot] == labels[members[0]]; };
    const auto n_alike = std::ranges::find_if_not(members, is_first) - members.begin();
    CHECK_EQ(few.n_alike(node), static_cast<std::uint32_t>(n_alike));
    if (few.n_alike(node) == members.size()) {
        return;
    }
    const NodeSample sample(members);
    std::vector<std::uint32_t> ids(examples.n_classes());
    const SampledOptions options{.prime = prime_from(window.n_features()),
                                 .max_features = 1 + random.below(window.n_features()),
                                 .recalls = recalls,
                                 .favourites = {}};
    const std::uint64_t seed = random.next();
    Random one(seed, 0);
    Random two(seed, 0);
    const Finalists expected =
        find_sampled_splits(window, sample, options, SampledGini(sample, labels, ids), one);
    const FewExamples::Found found =
        few.find_split(window, node, static_cast<std::uint32_t>(members.size()),
                       options.max_features, options.prime, two);
    CHECK_EQ(one.next(), two.next());
    CHECK_EQ(expected.is_empty(), found.left == 0);
    if (found.left == 0) {
        return;
    }
    CHECK_EQ(expected[0].feature, found.split.feature);
    CHECK_EQ(expected[0].threshold, found.split.threshold);
    CHECK_EQ(expected[0].nominal, found.split.nominal);
    CHECK_EQ(expected[0].missing_left, found.split.missing_left);
    CHECK_EQ(found.n_left, static_cast<std::uint32_t>(std::popcount(found.left)));
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        const std::uint32_t feature = found.split.feature;
        const float value =
            feature < window.n_features()
                ? window.values(feature)[slots[i]]
                : RecalledValues(window, feature - window.n_features(), 1.0, 0)[slots[i]];
        CHECK_EQ(found.left >> i & 1U, (node >> i & 1U) & (found.split.goes_left(value) ? 1U : 0U));
    }
}

struct Told {
    static constexpr bool of_classes = true;
    const Window& window;
    std::vector<std::uint32_t>& ids;
    std::vector<std::vector<std::uint16_t>>& leaves;

    bool same(std::uint16_t a, std::uint16_t b) const {
        return window.labels()[a] == window.labels()[b];
    }
    SampledGini judge(const NodeSample& sample) const { return {sample, window.labels(), ids}; }
    static double explained(const DividedJury& /*jury*/) { return 0.0; }  // no features are many
    void write_leaf(std::uint32_t, std::span<const std::uint16_t> members) const {
        leaves.emplace_back(members.begin(), members.end());
    }
};

struct GrownOnce {
    std::vector<std::byte> nodes;
    std::vector<std::vector<std::uint16_t>> leaves;
    std::vector<std::uint64_t> visited;  // after each step
};

GrownOnce grow(TwoValued& examples, bool has_two_values, std::uint64_t step, std::uint64_t seed,
               bool recalls) {
    GrownOnce grown;
    const std::uint32_t length = n_kept - 10;
    grown.nodes.assign(length * std::size_t{8}, std::byte{0});
    std::vector<std::uint32_t> ids(examples.n_classes());
    std::vector<PendingNode> pending(largest_auto_depth);
    std::vector<std::uint16_t> order(n_kept), rest(n_kept);
    const GrowthMemory memory{order, pending, rest, {}, {}};
    const Window& window = examples.window();
    GrowingShrub shrub{.group = 0,
                       .length = length,
                       .has_two_values = has_two_values,
                       .random = Random(seed, 0),
                       .first_slot = window.slot(window.size() - length),
                       .prime = prime_from(window.n_features()),
                       .max_features = window.n_features()};
    const Told told{window, ids, grown.leaves};
    bool is_grown = false;
    while (!is_grown) {
        Growth growth(window, told,
                      {.max_leaves = length, .min_samples_split = 2, .recalls = recalls}, memory,
                      shrub, {.nodes = grown.nodes.data()});
        is_grown = growth.advance(step);
        grown.visited.push_back(shrub.n_visited);
    }
    return grown;
}

}  // namespace

TEST_CASE("few examples of two values are split as others are") {
    Random random(3, 0);
    for (const bool wide : {true, false}) {
        allow_avx2(wide);
        for (int repeat = 0; repeat < 300; ++repeat) {
            TwoValued examples(random);
            const bool recalls = random.below(2) == 0;
            const auto slots = some_slots(random, 1 + random.below(FewExamples::most));
            FewExamples few;
            CHECK(few.take(examples.window(), slots));
            if (recalls) {
                few.take_recalled(examples.window(), 0);
            }
            check_split(examples, few, slots, few.all(), recalls, random);
            for (int i = 0; i < 10; ++i) {
                auto node = static_cast<std::uint32_t>(random.next()) & few.all();
                node &= i % 2 == 0 ? ~0U : static_cast<std::uint32_t>(random.next());
                if (node != 0) {
                    check_split(examples, few, slots, node, recalls, random);
                }
            }
        }
    }
    allow_avx2(true);
}

TEST_CASE("a third value is one too many, and so is a missing one") {
    for (const float third : {7.0F, missing}) {
        for (std::uint32_t at = 0; at < 5; ++at) {
            WindowHolder holder(5, {1, 1, 1, 0, 0}, Task::classification, Splitter::random);
            for (std::uint32_t i = 0; i < 5; ++i) {
                const float value = i == at ? third : i % 2 == 0 ? 1.0F : 2.0F;
                holder.add({0.0F, 0.0F, value, 1.0F, 1.0F}, i % 2);
            }
            std::vector<std::uint16_t> slots = {0, 1, 2, 3, 4};
            FewExamples few;
            CHECK(!few.take(holder.window(), slots));
            std::erase(slots, static_cast<std::uint16_t>(at));
            CHECK(few.take(holder.window(), slots));
        }
    }
}

TEST_CASE("a shrub of two-valued features is the same, however it is grown") {
    Random random(4, 0);
    for (int repeat = 0; repeat < 20; ++repeat) {
        TwoValued examples(random);
        const bool recalls = repeat % 2 == 0;
        for (const std::uint64_t step : {1U, 7U, 300U, 5000U, 1U << 30U}) {
            const auto seed = static_cast<std::uint64_t>(repeat);
            const GrownOnce slow = grow(examples, false, step, seed, recalls);
            const GrownOnce fast = grow(examples, true, step, seed, recalls);
            CHECK(slow.nodes == fast.nodes);
            CHECK(slow.leaves == fast.leaves);
            CHECK(slow.visited == fast.visited);
        }
    }
}
