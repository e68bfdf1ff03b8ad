#include <algorithm>
#include <cmath>
#include <vector>

#include "holders.hpp"
#include "shrubs/auto/counting_leaves.hpp"
#include "shrubs/auto/grow_on_last.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t n_features = 3;
constexpr std::uint32_t n_classes = 3;
constexpr std::uint32_t capacity = 100;

// A shrub, the examples that each of its leaves was told of, and the window it was grown on.
class Grown {
 public:
    Grown(Task task, std::uint64_t seed)
        : task_(task), random_(seed, 0), holder_(capacity, {0, 0, 1}, task, Splitter::random) {}

    void add(std::uint32_t n) {
        for (std::uint32_t i = 0; i < n; ++i) {
            std::vector<float> x(n_features);
            double score = random_.uniform();
            for (float& value : x) {
                value = random_.below(9) == 0 ? missing : static_cast<float>(random_.below(12));
                score += value == value ? value : 0.0;
            }
            holder_.add(x, task_ == Task::classification
                               ? static_cast<double>(static_cast<std::uint32_t>(score) % n_classes)
                               : score);
        }
    }

    void grow(const LastExamples& limits) {
        nodes_.assign((limits.max_leaves - std::size_t{1}) * 8, std::byte{0xEE});
        leaves_.clear();
        std::vector<std::uint16_t> order(capacity), features(n_features);
        std::vector<PendingNode> pending(limits.max_depth);
        const LastExamplesScratch scratch{order, features, pending, {}};
        const auto keep = [&](std::uint32_t leaf, std::span<const std::uint16_t> members) {
            CHECK_EQ(leaf, leaves_.size());
            leaves_.emplace_back(members.begin(), members.end());
            if (task_ == Task::classification) {
                check_totals(members);
            }
        };
        if (task_ == Task::classification) {
            std::vector<std::uint32_t> lefts(n_classes);
            totals_.assign(n_classes, 0);
            Gini gini(window().labels(), totals_, lefts);
            n_inner_ = grow_on_last(limits, scratch, gini, random_, {.nodes = nodes_.data()}, keep);
        } else {
            std::vector<double> centred(window().targets().begin(), window().targets().end());
            Variance variance(window().targets(), centred);
            n_inner_ =
                grow_on_last(limits, scratch, variance, random_, {.nodes = nodes_.data()}, keep);
        }
    }

    const Window& window() { return holder_.window(); }
    std::uint32_t n_inner() const { return n_inner_; }
    const std::vector<std::vector<std::uint16_t>>& leaves() const { return leaves_; }

    std::uint32_t depth(std::uint32_t first, std::uint32_t n) const {
        if (n == 0) {
            return 0;
        }
        const ::shrubs::Node node = read_node(NodeBytes::wide, nodes_.data(), first);
        CHECK(node.n_left < n);
        CHECK(node.split.feature < n_features);
        CHECK_EQ(node.split.nominal, node.split.feature == 2);
        return 1 + std::max(depth(first + 1, node.n_left),
                            depth(first + 1 + node.n_left, n - 1 - node.n_left));
    }

    std::uint32_t leaf_of(std::uint16_t slot) {
        std::vector<float> x(n_features);
        window().copy_example(slot, x);
        return find_leaf(NodeBytes::wide, nodes_.data(), n_inner_, x);
    }

 private:
    void check_totals(std::span<const std::uint16_t> members) {
        std::vector<std::uint32_t> counts(n_classes);
        for (const std::uint16_t slot : members) {
            ++counts[window().labels()[slot]];
        }
        CHECK_EQ(counts, totals_);
    }

    Task task_;
    Random random_;
    WindowHolder holder_;
    std::vector<std::uint32_t> totals_;
    std::vector<std::byte> nodes_;
    std::vector<std::vector<std::uint16_t>> leaves_;
    std::uint32_t n_inner_ = 0;
};

void check_tree(Grown& grown, const LastExamples& limits) {
    CHECK(grown.n_inner() + 1 <= limits.max_leaves);
    CHECK_EQ(grown.leaves().size(), grown.n_inner() + std::size_t{1});
    CHECK(grown.depth(0, grown.n_inner()) <= limits.max_depth);
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
                    for (const std::uint32_t max_features : {1U, 2U, n_features}) {
                        const LastExamples limits{.window = grown.window(),
                                                  .length = std::max(length, 1U),
                                                  .max_leaves = max_leaves,
                                                  .max_features = max_features};
                        grown.grow(limits);
                        check_tree(grown, limits);
                    }
                }
            }
        }
    }
}

TEST_CASE("a shrub on the last examples is no deeper than it may be") {
    for (const std::uint32_t max_depth : {1U, 2U, 4U, largest_auto_depth}) {
        Grown grown(Task::regression, 5);
        grown.add(capacity);
        const LastExamples limits{.window = grown.window(),
                                  .length = capacity,
                                  .max_leaves = capacity,
                                  .max_depth = max_depth};
        grown.grow(limits);
        check_tree(grown, limits);
        CHECK(grown.n_inner() > 0);
    }
}

TEST_CASE("a node with too few examples is a leaf") {
    Grown grown(Task::regression, 6);
    grown.add(capacity);
    grown.grow({.window = grown.window(),
                .length = capacity,
                .max_leaves = capacity,
                .min_samples_split = 20});
    CHECK(grown.n_inner() > 0);
    // Every parent has twenty examples at least: its two children are siblings in the order.
    for (std::size_t leaf = 0; leaf < grown.leaves().size(); ++leaf) {
        CHECK(grown.leaves()[leaf].size() < capacity);
    }
    grown.grow(
        {.window = grown.window(), .length = 19, .max_leaves = capacity, .min_samples_split = 20});
    CHECK_EQ(grown.n_inner(), 0U);
}

TEST_CASE("a shrub with enough room tells apart all classes that can be told apart") {
    Grown grown(Task::classification, 7);
    grown.add(60);
    grown.grow({.window = grown.window(), .length = 60, .max_leaves = capacity});
    for (const auto& leaf : grown.leaves()) {
        for (const std::uint16_t slot : leaf) {
            std::vector<float> a(n_features), b(n_features);
            grown.window().copy_example(slot, a);
            grown.window().copy_example(leaf[0], b);
            const bool same_x = std::ranges::equal(
                a, b, [](float x, float y) { return x == y || (x != x && y != y); });
            CHECK(same_x || grown.window().labels()[slot] == grown.window().labels()[leaf[0]]);
        }
    }
}
