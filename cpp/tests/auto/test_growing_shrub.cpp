#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "holders.hpp"
#include "shrubs/auto/growing_shrub.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t three_features = 3;
constexpr std::uint32_t three_classes = 3;
constexpr std::uint32_t capacity = 100;

struct Limits {
    std::uint32_t length = 1;
    GrowthLimits growth;
    std::uint32_t max_features = 1;
    std::uint64_t seed = 0;
    std::uint64_t enough = 0;  ///< values after which it is finished; 0: all
};

// A shrub, the examples that each of its leaves was told of, and the window it was grown on.
class Grown {
 public:
    Grown(Task task, std::uint64_t seed)
        : task_(task), random_(seed, 0), holder_(capacity, {0, 0, 1}, task, Splitter::random) {}

    void add(std::uint32_t n) {
        for (std::uint32_t i = 0; i < n; ++i) {
            std::vector<float> x(three_features);
            double score = random_.uniform();
            for (float& value : x) {
                value = random_.below(9) == 0 ? missing : static_cast<float>(random_.below(12));
                score += value == value ? value : 0.0;
            }
            holder_.add(x,
                        task_ == Task::classification
                            ? static_cast<double>(static_cast<std::uint32_t>(score) % three_classes)
                            : score);
        }
    }

    // In steps of so many values.
    void grow(const Limits& limits, std::uint64_t step = 1U << 30U) {
        nodes_.assign((limits.growth.max_leaves - std::size_t{1}) * 8, std::byte{0xEE});
        leaves_.clear();
        n_steps_ = 0;
        std::vector<PendingNode> pending(largest_auto_depth);
        std::vector<std::uint16_t> order(capacity), rest(capacity);
        const GrowthMemory memory{order, pending, rest, {}, {}};
        std::vector<std::uint32_t> ids(three_classes);
        std::vector<std::uint32_t> rights(three_classes);
        GrowingShrub shrub{.group = 0,
                           .length = limits.length,
                           .random = Random(limits.seed, 0),
                           .first_slot = window().slot(window().size() - limits.length),
                           .prime = prime_from(three_features),
                           .max_features = limits.max_features};
        const Told told{*this, ids, rights};
        bool is_grown = false;
        while (!is_grown) {
            ++n_steps_;
            is_grown = task_ == Task::classification
                           ? grow_on(ClassesTold{told}, limits, memory, shrub, step)
                           : grow_on(TargetsTold{told}, limits, memory, shrub, step);
        }
        n_inner_ = shrub.n_inner;
        n_visited_ = shrub.n_visited;
    }

    const Window& window() { return holder_.window(); }
    std::uint32_t n_inner() const { return n_inner_; }
    std::uint64_t n_visited() const { return n_visited_; }
    std::uint32_t n_steps() const { return n_steps_; }
    const std::vector<std::byte>& nodes() const { return nodes_; }
    const std::vector<std::vector<std::uint16_t>>& leaves() const { return leaves_; }

    std::uint32_t depth(std::uint32_t first, std::uint32_t n) const {
        if (n == 0) {
            return 0;
        }
        const ::shrubs::Node node = read_node(NodeBytes::wide, nodes_.data(), first);
        CHECK(node.n_left < n);
        CHECK(node.split.feature < three_features);
        CHECK_EQ(node.split.nominal, node.split.feature == 2);
        return 1 + std::max(depth(first + 1, node.n_left),
                            depth(first + 1 + node.n_left, n - 1 - node.n_left));
    }

    std::uint32_t leaf_of(std::uint16_t slot) {
        std::vector<float> x(three_features);
        window().copy_example(slot, x);
        return find_leaf(NodeBytes::wide, nodes_.data(), n_inner_, x);
    }

 private:
    struct Told {
        Grown& grown;
        std::span<std::uint32_t> ids;
        std::span<std::uint32_t> rights;

        void write_leaf(std::uint32_t leaf, std::span<const std::uint16_t> members) const {
            CHECK_EQ(leaf, grown.leaves_.size());
            grown.leaves_.emplace_back(members.begin(), members.end());
        }
    };
    struct ClassesTold : Told {
        static constexpr bool of_classes = true;
        bool same(std::uint16_t a, std::uint16_t b) const {
            return grown.window().labels()[a] == grown.window().labels()[b];
        }
        SampledGini judge(const NodeSample& sample) const {
            return {sample, grown.window().labels(), ids};
        }
        double explained(const DividedJury& jury) const {
            return jury.explained(grown.window().labels(), ids, rights);
        }
    };
    struct TargetsTold : Told {
        static constexpr bool of_classes = false;
        bool same(std::uint16_t a, std::uint16_t b) const {
            return grown.window().targets()[a] == grown.window().targets()[b];
        }
        SampledVariance judge(const NodeSample& sample) const {
            return {sample, grown.window().targets()};
        }
        double explained(const DividedJury& jury) const {
            return jury.explained(grown.window().targets());
        }
    };

    template <class Outcomes>
    bool grow_on(const Outcomes& outcomes, const Limits& limits, const GrowthMemory& memory,
                 GrowingShrub& shrub, std::uint64_t step) {
        Growth growth(window(), outcomes, limits.growth, memory, shrub, {.nodes = nodes_.data()});
        if (limits.enough > 0) {
            growth.finish(limits.enough);
            return true;
        }
        return growth.advance(step);
    }

    Task task_;
    Random random_;
    WindowHolder holder_;
    std::vector<std::byte> nodes_;
    std::vector<std::vector<std::uint16_t>> leaves_;
    std::uint32_t n_inner_ = 0;
    std::uint64_t n_visited_ = 0;
    std::uint32_t n_steps_ = 0;
};

void check_tree(Grown& grown, const Limits& limits) {
    CHECK(grown.n_inner() + 1 <= limits.growth.max_leaves);
    CHECK_EQ(grown.leaves().size(), grown.n_inner() + std::size_t{1});
    CHECK(grown.depth(0, grown.n_inner()) <= largest_auto_depth);
    // Each of the last examples is in the leaf that counted it, and nowhere else.
    std::vector<std::uint32_t> times(capacity);
    for (std::uint32_t leaf = 0; leaf < grown.leaves().size(); ++leaf) {
        CHECK(!grown.leaves()[leaf].empty());
        for (const std::uint16_t slot : grown.leaves()[leaf]) {
            CHECK_EQ(grown.leaf_of(slot), leaf);
            ++times[slot];
        }
    }
    const std::uint32_t size = grown.window().size();
    for (std::uint32_t age = 0; age < size; ++age) {
        CHECK_EQ(times[grown.window().slot(age)], age + limits.length >= size ? 1U : 0U);
    }
}

}  // namespace

TEST_CASE(
    "a shrub on the last examples is a tree, and each example is in the leaf that counted it") {
    for (const Task task : {Task::classification, Task::regression}) {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            Grown grown(task, seed);
            grown.add(1 + static_cast<std::uint32_t>(seed) * 7);  // the ring turns over
            const std::uint32_t size = grown.window().size();
            for (const std::uint32_t length : {1U, size / 2, size}) {
                for (const std::uint32_t max_leaves : {2U, 5U, capacity}) {
                    for (const std::uint32_t max_features : {1U, 2U, three_features}) {
                        const Limits limits{.length = std::max(length, 1U),
                                            .growth = {.max_leaves = max_leaves},
                                            .max_features = max_features,
                                            .seed = seed};
                        grown.grow(limits);
                        check_tree(grown, limits);
                    }
                }
            }
        }
    }
}

TEST_CASE("a shrub that is grown bit by bit is the one that is grown at once") {
    for (const Task task : {Task::classification, Task::regression}) {
        Grown grown(task, 5);
        grown.add(2 * capacity);
        const Limits limits{
            .length = capacity, .growth = {.max_leaves = capacity}, .max_features = 2, .seed = 9};
        grown.grow(limits);
        const auto nodes = grown.nodes();
        const auto leaves = grown.leaves();
        const std::uint64_t n_visited = grown.n_visited();
        CHECK(grown.n_inner() > 10);
        for (const std::uint64_t step : {1U, 2U, 3U, 7U, 50U, 1000U}) {
            grown.grow(limits, step);
            CHECK(grown.nodes() == nodes && grown.leaves() == leaves);
            CHECK_EQ(grown.n_visited(), n_visited);
            // No step does much more than it was told to: a search, and a leaf or two.
            CHECK(grown.n_steps() >= n_visited / (step + 2 * 64 * 2 + 2 * capacity));
        }
    }
}

TEST_CASE("a node with too few examples is a leaf") {
    Grown grown(Task::regression, 6);
    grown.add(capacity);
    grown.grow({.length = capacity, .growth = {.max_leaves = capacity, .min_samples_split = 20}});
    CHECK(grown.n_inner() > 0);
    // Every parent has twenty examples at least: its two children are siblings in the order.
    for (std::size_t leaf = 0; leaf < grown.leaves().size(); ++leaf) {
        CHECK(grown.leaves()[leaf].size() < capacity);
    }
    grown.grow({.length = 19, .growth = {.max_leaves = capacity, .min_samples_split = 20}});
    CHECK_EQ(grown.n_inner(), 0U);
}

TEST_CASE("nodes that are left when a shrub is finished are leaves") {
    Grown grown(Task::classification, 8);
    grown.add(capacity);
    std::uint32_t before = 0;
    for (const std::uint64_t enough : {1U, 100U, 101U, 2000U, 5000U}) {
        const Limits limits{
            .length = capacity, .growth = {.max_leaves = capacity}, .enough = enough};
        grown.grow(limits);
        check_tree(grown, limits);
        // All examples are gathered, the last search may go beyond, and all leaves are counted.
        CHECK(grown.n_visited() <= std::max<std::uint64_t>(enough, capacity) +
                                       2 * 32 * three_features + 1 + 2 * capacity);
        CHECK(grown.n_inner() >= before);
        CHECK_EQ(grown.n_inner() > 0, enough > capacity);
        before = grown.n_inner();
    }
}

TEST_CASE("a shrub with enough room tells apart all classes that can be told apart") {
    Grown grown(Task::classification, 7);
    grown.add(60);
    grown.grow({.length = 60, .growth = {.max_leaves = capacity}});
    for (const auto& leaf : grown.leaves()) {
        for (const std::uint16_t slot : leaf) {
            std::vector<float> a(three_features), b(three_features);
            grown.window().copy_example(slot, a);
            grown.window().copy_example(leaf[0], b);
            const bool same_x = std::ranges::equal(
                a, b, [](float x, float y) { return x == y || (x != x && y != y); });
            CHECK(same_x || grown.window().labels()[slot] == grown.window().labels()[leaf[0]]);
        }
    }
}
