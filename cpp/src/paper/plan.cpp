#include "shrubs/paper/plan.hpp"

#include <algorithm>
#include <cstdint>

#include "shrubs/growth/grow.hpp"
#include "shrubs/growth/random_split.hpp"
#include "shrubs/paper/gram.hpp"
#include "shrubs/tree/leaf_ids.hpp"

namespace shrubs {

namespace {

constexpr std::uint64_t alignment = 8;

// Each level halves the nodes that a change touches, so the first ones hold most of what is saved.
// In small windows there is little to save.
constexpr std::uint64_t most_kept_levels = 3;
constexpr std::uint32_t least_window_for_kept_levels = 128;

// Hands out one region after the other.
class Reservation {
 public:
    template <class T>
    Region array(std::uint64_t count) {
        return bytes(count * sizeof(T));
    }
    Region bytes(std::uint64_t count) {
        const Region region{next_, count};
        next_ += (count + alignment - 1) / alignment * alignment;
        return region;
    }
    std::uint64_t total() const { return next_; }

 private:
    std::uint64_t next_ = 0;
};

// Every leaf holds at least `min_samples_leaf` examples, unless it is the only one.
std::uint32_t most_leaves(const Config& config) {
    const std::uint32_t by_size = std::max(config.window_size / config.min_samples_leaf, 1U);
    return config.max_depth < 16 ? std::min(by_size, 1U << config.max_depth) : by_size;
}

}  // namespace

bool uses_split_search(const Config& config, const Dimensions& dimensions) {
    const bool kept = config.cache == Cache::all ||
                      (config.cache == Cache::automatic && config.window_size > small_window);
    return kept && config.task == Task::classification && config.splitter == Splitter::best &&
           dimensions.n_features > 0 && dimensions.max_features >= dimensions.n_features &&
           SplitSearch::can_search(config.window_size, dimensions.n_classes);
}

Plan make_plan(const Config& config, const Dimensions& dimensions) {
    const std::uint64_t window = config.window_size;
    const std::uint64_t features = dimensions.n_features;
    const std::uint64_t classes = dimensions.n_classes;
    const std::uint64_t shrubs = std::uint64_t{config.max_shrubs} + 1;
    const bool classification = config.task == Task::classification;
    const bool best = config.splitter == Splitter::best;
    const bool gram = uses_gram(config);
    const bool search = uses_split_search(config, dimensions);

    Plan plan;
    plan.max_leaves = most_leaves(config);
    plan.node_bytes = node_bytes_for(plan.max_leaves, dimensions.n_features);
    plan.layout = classification ? LeafLayout::for_classification(
                                       plan.max_leaves, dimensions.n_classes, config.window_size)
                                 : LeafLayout::for_regression(plan.max_leaves);
    const std::uint64_t inner = plan.max_leaves - 1;
    const std::uint64_t depth = std::min<std::uint64_t>(config.max_depth, inner);

    plan.kept_levels =
        search && (config.cache == Cache::all || config.window_size >= least_window_for_kept_levels)
            ? static_cast<std::uint32_t>(std::min(depth, most_kept_levels))
            : 0;

    Reservation arena;
    plan.values = arena.array<float>(window * features);
    plan.labels = arena.array<std::uint16_t>(classification ? window : 0);
    plan.targets = arena.array<double>(classification ? 0 : window);
    plan.nominal = arena.array<std::uint8_t>(features);
    plan.nodes = arena.bytes(shrubs * inner * static_cast<std::uint64_t>(plan.node_bytes));
    plan.leaves = arena.bytes(shrubs * plan.layout.bytes());
    plan.n_inner = arena.array<std::uint16_t>(shrubs);
    plan.born = arena.array<std::uint64_t>(shrubs);
    plan.places = arena.array<std::uint16_t>(shrubs);
    plan.weights = arena.array<double>(shrubs);
    plan.sorted = arena.array<std::uint16_t>(best ? window * features : 0);
    plan.leaf_ids = arena.bytes(shrubs * LeafIds::bytes(plan.max_leaves, config.window_size));
    plan.products =
        arena.array<double>(gram ? Gram::n_products(config.max_shrubs + std::size_t{1}) : 0);
    plan.rights = arena.array<double>(gram ? shrubs : 0);
    const std::uint64_t stride = search ? Window::row_stride(features) : 0;
    plan.n_distinct = arena.array<std::uint16_t>(search ? features : 0);
    plan.pivots = arena.array<float>(search ? features : 0);
    plan.n_lower = arena.array<std::uint16_t>(search ? features : 0);
    plan.rows = arena.array<std::uint8_t>(window * stride);
    plan.last_nodes = arena.bytes(search ? inner * static_cast<std::uint64_t>(plan.node_bytes) : 0);
    plan.last_leaves = arena.bytes(search ? plan.layout.bytes() : 0);
    plan.last_middles = arena.array<std::uint16_t>(search ? inner : 0);
    plan.last_leaf_of = arena.array<std::uint16_t>(search ? window : 0);
    plan.last_ends = arena.array<std::uint16_t>(search ? plan.max_leaves + 1 : 0);
    plan.last_facts = arena.array<std::uint64_t>(search ? 2 : 0);
    plan.lanes = arena.array<std::uint16_t>(
        search ? Lanes::n_entries(config.window_size, features, plan.kept_levels) : 0);
    plan.lane_features = arena.array<std::uint16_t>(search ? features : 0);
    plan.n_lanes = arena.array<std::uint16_t>(search ? 1 : 0);
    plan.inverse = arena.array<float>(search ? window + 1 : 0);
    plan.bounds =
        arena.array<float>(search ? SplitSearch::n_bounds(features, plan.kept_levels) : 0);
    plan.descended = arena.array<double>(shrubs);
    plan.order = arena.array<std::uint16_t>(shrubs);
    plan.found = arena.array<std::uint16_t>(shrubs);
    plan.by_class = arena.array<std::int32_t>(gram ? shrubs * classes : 0);
    plan.row = arena.array<float>(features);
    plan.members = arena.array<std::uint16_t>(window);
    plan.grow_sorted = arena.array<std::uint16_t>(best && !search ? window * features : 0);
    plan.right = arena.array<std::uint16_t>(window);
    plan.goes_left = arena.array<std::uint8_t>(search ? 0 : window);
    plan.permutation =
        arena.array<std::uint16_t>(dimensions.max_features < dimensions.n_features ? features : 0);
    plan.pending = arena.array<PendingNode>(depth);
    plan.totals = arena.array<std::uint32_t>(classes);
    plan.lefts = arena.array<std::uint32_t>(classes);
    plan.distribution = arena.array<std::int32_t>(classes);
    plan.centred = arena.array<double>(classification ? 0 : window);
    plan.probabilities = arena.array<double>(classification && !gram ? classes : 0);
    plan.counts = arena.array<std::uint16_t>(search ? lane_width * classes : 0);
    plan.lane_scores = arena.array<float>(stride);
    plan.group_scores = arena.array<float>(stride * SplitSearch::n_groups(window));
    plan.scores = arena.array<float>(stride);
    plan.kinds = arena.array<FeatureKind>(search ? features : 0);
    plan.classes = arena.array<std::uint16_t>(search ? std::min(window, classes) : 0);
    plan.moves = arena.array<std::uint8_t>(
        search ? Lanes::n_different(config.window_size, dimensions.n_classes) : 0);
    plan.bytes = arena.array<std::uint8_t>(classes * stride);
    plan.counts_two = arena.array<std::uint16_t>(classes * stride);
    plan.growing = arena.array<GrowingNode>(search ? depth : 0);
    plan.middles = arena.array<std::uint16_t>(search ? inner : 0);
    plan.new_leaf = arena.array<std::uint16_t>(search ? plan.max_leaves + 1 : 0);
    plan.new_sizes = arena.array<std::uint16_t>(search ? plan.max_leaves : 0);
    plan.left_counts = arena.array<float>(classes * widest_random_split(config, dimensions));
    plan.total_bytes = arena.total();
    return plan;
}

MemoryReport report(const Plan& plan) {
    // Regions follow each other, so a group ends where the next one begins.
    MemoryReport report;
    report.window = plan.nodes.offset;
    report.shrubs = plan.weights.offset - plan.nodes.offset;
    report.weights = plan.sorted.offset - plan.weights.offset;
    report.caches = plan.descended.offset - plan.sorted.offset;
    report.scratch = plan.total_bytes - plan.descended.offset;
    return report;
}

}  // namespace shrubs
