#include "shrubs/growth/grow.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "shrubs/growth/random_split.hpp"
#include "shrubs/growth/split.hpp"
#include "shrubs/tree/impurity.hpp"

namespace shrubs {

namespace {

// In smaller nodes features that are drawn are looked at one by one.
constexpr std::uint32_t min_size_for_blocks = 16;

// Everything that stays the same while one shrub is grown.
template <class Impurity>
struct Growing {
    const Window& window;
    const GrowthPlan& plan;
    const ScaledTargets& targets;
    const GrowScratch& scratch;
    Impurity impurity;
    Random random;
    bool by_class;  ///< members stand class by class instead of in arrival order

    std::span<const std::uint16_t> members(const PendingNode& node) const {
        return scratch.members.subspan(node.begin, node.size());
    }

    bool is_finished(const PendingNode& node) const {
        return node.depth >= plan.max_depth || node.size() < 2 * plan.split.min_samples_leaf ||
               impurity.is_pure(members(node));
    }

    std::optional<Split> split(const PendingNode& node) {
        impurity.begin_node(members(node));
        const std::uint16_t* sorted =
            window.is_sorted() ? scratch.sorted.data() + node.begin : nullptr;
        const NodeExamples examples{members(node), sorted, window.size(), by_class};
        if constexpr (std::is_same_v<Impurity, Gini>) {
            if (!scratch.left_counts.empty()) {
                return find_random_split(window, examples, plan.split, scratch.left_counts,
                                         impurity, random);
            }
            if (!scratch.drawn.empty() && node.size() >= min_size_for_blocks) {
                return find_drawn_split({window, examples, plan.split}, scratch.permutation,
                                        scratch.drawn, impurity, random);
            }
        }
        return find_split(window, examples, plan.split, scratch.permutation, impurity, random);
    }
};

void copy_window(const Window& window, const GrowScratch& scratch) {
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        scratch.members[age] = static_cast<std::uint16_t>(window.slot(age));
    }
    if (window.is_sorted()) {
        for (std::uint32_t feature = 0; feature < window.n_features(); ++feature) {
            std::ranges::copy(window.sorted(feature),
                              scratch.sorted.begin() + static_cast<std::ptrdiff_t>(
                                                           std::size_t{feature} * window.size()));
        }
    }
    std::iota(scratch.permutation.begin(), scratch.permutation.end(), std::uint16_t{0});
}

// Whether growing needs no arrival order, but gains from one by class: no class is looked up when
// the left sides of random cuts are counted. Categories are drawn from the examples as they came.
bool wants_classes(const Window& window, const GrowScratch& scratch) {
    bool some_nominal = false;
    for (std::uint32_t feature = 0; feature < window.n_features(); ++feature) {
        some_nominal = some_nominal || window.is_nominal(feature);
    }
    return !(scratch.left_counts.empty() && scratch.drawn.empty()) && !some_nominal;
}

// Puts the members of the whole window in the order of their classes, then of arrival.
void order_by_class(const Window& window, const GrowScratch& scratch) {
    const auto labels = window.labels();
    std::ranges::fill(scratch.totals, 0U);
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        ++scratch.totals[labels[window.slot(age)]];
    }
    std::exclusive_scan(scratch.totals.begin(), scratch.totals.end(), scratch.totals.begin(), 0U);
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        scratch.members[scratch.totals[labels[slot]]++] = static_cast<std::uint16_t>(slot);
    }
}

// Moves the slots that go left to the front; both sides keep their order.
std::uint32_t partition(std::span<std::uint16_t> slots, const GrowScratch& scratch) {
    std::uint32_t n_left = 0;
    std::uint32_t n_right = 0;
    for (const std::uint16_t slot : slots) {
        const std::uint32_t left = scratch.goes_left[slot];
        slots[n_left] = slot;
        scratch.right[n_right] = slot;
        n_left += left;
        n_right += 1 - left;
    }
    std::copy_n(scratch.right.begin(), n_right, slots.begin() + n_left);
    return n_left;
}

// Partitions the members of a node; returns where the right side begins.
std::uint32_t partition_members(const Window& window, const GrowScratch& scratch,
                                const PendingNode& node, const Split& split) {
    const auto values = window.values(split.feature);
    const auto slots = scratch.members.subspan(node.begin, node.size());
    std::uint8_t* goes_left = window.is_sorted() ? scratch.goes_left.data() : nullptr;
    const auto divide = [slots, values, goes_left, to = scratch.right.data()](auto is_left) {
        std::uint16_t* left = slots.data();
        std::uint16_t* right = to;
        for (const std::uint16_t slot : slots) {
            const std::uint32_t moves = is_left(values[slot]) ? 1 : 0;
            if (goes_left != nullptr) {
                goes_left[slot] = static_cast<std::uint8_t>(moves);
            }
            *left = slot;
            *right = slot;
            left += moves;
            right += 1 - moves;
        }
        std::copy(to, right, left);
        return static_cast<std::uint32_t>(left - slots.data());
    };
    // Most splits ask but one question, whose answer for a missing value is the right one.
    const float threshold = split.threshold;
    std::uint32_t n_left = 0;
    if (split.nominal || threshold != threshold) {
        n_left = divide([split](float value) { return split.goes_left(value); });
    } else if (split.missing_left) {
        n_left = divide([threshold](float value) { return !(value > threshold); });
    } else {
        n_left = divide([threshold](float value) { return value <= threshold; });
    }
    return node.begin + n_left;
}

void partition_sorted(const Window& window, const GrowScratch& scratch, const PendingNode& node) {
    for (std::uint32_t feature = 0; feature < window.n_features(); ++feature) {
        partition(
            scratch.sorted.subspan(std::size_t{feature} * window.size() + node.begin, node.size()),
            scratch);
    }
}

void write_leaf(const Growing<Gini>& growing, const PendingNode& node, std::byte* leaves,
                std::uint32_t leaf) {
    const GrowScratch& scratch = growing.scratch;
    growing.impurity.count_classes(growing.members(node));
    round_distribution(scratch.totals, scratch.distribution);
    growing.plan.leaves.set_distribution(leaves, leaf, scratch.distribution);
}

// A leaf with one target predicts exactly that target.
void write_leaf(const Growing<Variance>& growing, const PendingNode& node, std::byte* leaves,
                std::uint32_t leaf) {
    const auto members = growing.members(node);
    double value = growing.window.targets()[members.front()];
    if (!growing.impurity.is_pure(members)) {
        double sum = 0.0;
        for (const std::uint16_t slot : members) {
            sum += growing.targets.centred[slot];
        }
        value = growing.targets.scale.unscaled(sum / static_cast<double>(members.size()));
    }
    growing.plan.leaves.set_value(leaves, leaf, value);
}

template <class Impurity>
void grow_with(Growing<Impurity> growing, NewShrub& shrub) {
    const Window& window = growing.window;
    const GrowScratch& scratch = growing.scratch;
    copy_window(window, scratch);
    if (growing.by_class) {
        order_by_class(window, scratch);
    }
    std::uint32_t n_leaves = 0;
    shrub.n_inner = 0;
    const PendingNode root{0, 0, static_cast<std::uint16_t>(window.size()), 0};
    grow_depth_first(shrub, root, scratch.pending, [&](PendingNode& node) {
        std::optional<Split> split;
        if (!growing.is_finished(node)) {
            split = growing.split(node);
        }
        if (!split) {
            write_leaf(growing, node, shrub.leaves, n_leaves);
            shrub.finish_leaf(n_leaves++, growing.members(node));
            return std::optional<PendingNode>();
        }
        const auto middle =
            static_cast<std::uint16_t>(partition_members(window, scratch, node, *split));
        const auto depth = static_cast<std::uint16_t>(node.depth + 1);
        const PendingNode left{0, node.begin, middle, depth};
        const PendingNode right{shrub.add_node(*split), middle, node.end, depth};
        // Two leaves need no sorted slots: the last level is free.
        if (window.is_sorted() && !(growing.is_finished(left) && growing.is_finished(right))) {
            partition_sorted(window, scratch, node);
        }
        node = left;
        return std::optional(right);
    });
}

}  // namespace

GrowScratch GrowScratch::reserve(Arena& arena, const GrowthPlan& plan) {
    constexpr Purpose kind = Purpose::scratch;
    const std::uint64_t window = plan.window_size;
    const std::uint64_t features = plan.dimensions.n_features;
    const std::uint64_t classes = plan.dimensions.n_classes;
    const bool is_plain = !plan.is_incremental;
    const bool sorts = is_plain && plan.split.splitter == Splitter::best;
    const std::uint64_t width =
        widest_random_split(plan.task, plan.split.splitter, plan.dimensions);
    GrowScratch scratch{
        .members = arena.array<std::uint16_t>(kind, window),
        .sorted = arena.array<std::uint16_t>(kind, sorts ? window * features : 0),
        .right = arena.array<std::uint16_t>(kind, window),
        .goes_left = arena.array<std::uint8_t>(kind, is_plain ? window : 0),
        .permutation = arena.array<std::uint16_t>(kind, plan.samples_features() ? features : 0),
        .pending = arena.array<PendingNode>(kind, plan.reachable_depth()),
        .totals = arena.array<std::uint32_t>(kind, classes),
        .lefts = arena.array<std::uint32_t>(kind, classes),
        .distribution = arena.array<std::int32_t>(kind, classes),
        .left_counts = arena.array<float>(kind, classes * width),
        .drawn = DrawnScratch::reserve(arena, plan.task, plan.split.splitter, plan.dimensions),
        .bits = BitRows::reserve(arena, plan)};
    if (!is_small_code && plan.is_incremental) {
        scratch.incremental =
            IncrementalGrowth::reserve(arena, plan,
                                       {scratch.totals, scratch.lefts, scratch.right,
                                        scratch.distribution, scratch.permutation});
    }
    return scratch;
}

void grow(const Window& window, const GrowthPlan& plan, const ScaledTargets& targets, Random random,
          const GrowScratch& scratch, NewShrub& shrub) {
    if (!is_small_code && !scratch.bits.empty() && scratch.bits.update(window)) {
        const BitScratch shared{scratch.members, scratch.right,  scratch.permutation,
                                scratch.pending, scratch.totals, scratch.distribution};
        grow_on_bits(scratch.bits, window, plan, random, shared, shrub);
    } else if (!is_small_code && plan.is_incremental) {
        scratch.incremental.grow(window, plan, random, shrub);
    } else if (plan.task == Task::classification) {
        const bool by_class = wants_classes(window, scratch);
        const Gini gini(window.labels(), scratch.totals, scratch.lefts, by_class);
        grow_with(Growing<Gini>{window, plan, targets, scratch, gini, random, by_class}, shrub);
    } else {
        const Variance variance(window.targets(), targets.centred);
        grow_with(Growing<Variance>{window, plan, targets, scratch, variance, random, false},
                  shrub);
    }
}

}  // namespace shrubs
