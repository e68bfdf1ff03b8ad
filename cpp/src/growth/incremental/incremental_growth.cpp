#include "shrubs/growth/incremental/incremental_growth.hpp"

namespace shrubs {

namespace {

// A shrub on the way: nodes in preorder, leaves from left to right.
class Writer {
 public:
    Writer(const LeafLayout& layout, const IncrementalGrowth& memory, NewShrub& shrub)
        : layout_(layout), memory_(memory), shrub_(shrub) {
        shrub_.n_inner = 0;
    }

    std::uint16_t add_node(const Split& split, std::uint32_t middle) {
        memory_.middles[shrub_.n_inner] = static_cast<std::uint16_t>(middle);
        return shrub_.add_node(split);
    }
    void add_leaf(const SplitSearch& search, const LaneRange& node) {
        round_distribution(search.totals(), memory_.distribution);
        layout_.set_distribution(shrub_.leaves, n_leaves_, memory_.distribution);
        const LaneColumn members = search.members(node);
        const auto slots = memory_.search.spare.first(node.size);
        for (std::uint32_t place = 0; place < node.size; ++place) {
            slots[place] = static_cast<std::uint16_t>(search.lanes().slot(members[place]));
        }
        shrub_.finish_leaf(n_leaves_, slots);
        if (memory_.last.is_kept()) {
            memory_.last.set_size(n_leaves_, node.size);
        }
        ++n_leaves_;
    }
    /// Takes a subtree of the last shrub for a node with the same examples.
    void add_subtree(const Subtree& subtree) {
        const LastShrub& last = memory_.last;
        last.copy_nodes(subtree,
                        shrub_.nodes + shrub_.n_inner * static_cast<std::size_t>(shrub_.node_bytes),
                        memory_.middles.data() + shrub_.n_inner);
        shrub_.n_inner += subtree.n_inner;
        layout_.copy_distributions(last.leaves(), subtree.first_leaf, subtree.n_leaves(),
                                   shrub_.leaves, n_leaves_);
        last.take_leaves(subtree, n_leaves_);
        n_leaves_ += subtree.n_leaves();
    }

 private:
    const LeafLayout& layout_;
    const IncrementalGrowth& memory_;
    NewShrub& shrub_;
    std::uint32_t n_leaves_ = 0;
};

// Grows node by node, left before right.
class Grower {
 public:
    Grower(const Window& window, const GrowthPlan& plan, const IncrementalGrowth& memory,
           Random random, NewShrub& shrub)
        : window_(window),
          plan_(plan),
          memory_(memory),
          search_(memory.search, window, plan.split, random),
          shrub_(shrub),
          writer_(plan.leaves, memory, shrub) {}

    void grow() {
        grow_depth_first(shrub_, begin(), memory_.pending,
                         [this](IncrementalNode& node) { return grow_node(node); });
    }

 private:
    IncrementalNode begin() {
        IncrementalNode root{
            .range = search_.lanes().root(window_.size()), .last = {}, .is_in_place = true};
        if (memory_.last.is_kept()) {
            const Subtree last = memory_.last.begin(window_, changes_);
            root.last = search_.has_same_lanes() ? last : Subtree();
        }
        root.is_outdated = can_update(root, window_.size());
        if (!root.is_outdated) {
            search_.fill();
        }
        return root;
    }

    std::optional<IncrementalNode> grow_node(IncrementalNode& node) {
        if (can_take_over(node)) {
            writer_.add_subtree(node.last);
            return std::nullopt;
        }
        if (node.is_outdated) {
            search_.update(node.range, node.last, changes_, memory_.last.n_examples(node.last));
        }
        const bool is_pure = search_.count_classes(node.range, node.n_second);
        std::optional<FoundSplit> found;
        if (!is_pure && !is_too_small(node.range)) {
            found = search_.find(node.range, node.is_outdated);
        }
        if (!found) {
            writer_.add_leaf(search_, node.range);
            return std::nullopt;
        }
        const Division sides = search_.divide(node.range, *found);
        auto [left, right] = make_children(node, found->split, sides.n_left);
        const Needs left_needs = prepare(left, sides.left_is_pure, node.range.size);
        const Needs right_needs = prepare(right, sides.right_is_pure, node.range.size);
        const SplitSearch::Children children{left.range, right.range, left_needs, right_needs};
        search_.partition(node.range, *found, children);
        search_.count_sides(children);
        right.n_second = search_.n_second_on_right();
        right.parent = writer_.add_node(found->split, left.range.high);
        node = left;
        return right;
    }

    struct Children {
        IncrementalNode left;
        IncrementalNode right;
    };
    // The children keep their rooms of the last shrub if they can.
    Children make_children(const IncrementalNode& node, const Split& split, std::uint32_t n_left) {
        const LastShrub::Sides sides =
            memory_.last.sides(node.last, changes_, window_, split, n_left);
        const auto make = [&](std::uint32_t middle, bool is_in_place) {
            return Children{{.range = Lanes::left_side(node.range, n_left, middle),
                             .last = sides.left,
                             .is_in_place = is_in_place},
                            {.range = Lanes::right_side(node.range, n_left, middle),
                             .last = sides.right,
                             .is_in_place = is_in_place}};
        };
        if (node.is_in_place && sides.left.exists()) {
            const std::uint32_t middle = memory_.last.middle(node.last);
            const std::uint32_t n_right = node.range.size - n_left;
            if (node.range.low + n_left < middle && middle + n_right < node.range.high) {
                return make(middle, true);
            }
        }
        return make(Lanes::choose_middle(node.range, n_left), false);
    }

    Needs prepare(IncrementalNode& child, bool is_pure, std::uint32_t n_parent) const {
        if (can_take_over(child)) {
            return Needs::nothing;
        }
        if (is_pure || is_too_small(child.range)) {
            return Needs::members;
        }
        child.is_outdated = can_update(child, n_parent);
        return child.is_outdated ? Needs::nothing : Needs::orders;
    }

    // A subtree whose orders are kept can only be taken over in its place.
    bool can_take_over(const IncrementalNode& node) const {
        return node.last.is_same() &&
               (node.is_in_place || !node.last.is_inner() || !search_.keeps(node.range.depth));
    }
    // Bringing orders up to date takes some passes over the node for each change, a partition twice
    // as many over its parent for both sides.
    bool can_update(const IncrementalNode& node, std::uint32_t n_parent) const {
        return node.is_in_place && node.last.is_inner() && search_.keeps(node.range.depth) &&
               node.last.n_changes() * node.range.size <= n_parent;
    }
    bool is_too_small(const LaneRange& node) const {
        return node.depth >= plan_.max_depth || node.size < 2 * plan_.split.min_samples_leaf;
    }

    const Window& window_;
    const GrowthPlan& plan_;
    const IncrementalGrowth& memory_;
    SplitSearch search_;
    NewShrub& shrub_;
    Writer writer_;
    Changes changes_;
};

}  // namespace

bool IncrementalGrowth::is_possible(const GrowthOptions& options, const Dimensions& dimensions) {
    return options.task == Task::classification && options.splitter == Splitter::best &&
           dimensions.n_features > 0 &&
           (dimensions.max_features >= dimensions.n_features || options.min_samples_leaf == 1) &&
           SplitSearch::can_search(options.window_size, dimensions.n_classes);
}

IncrementalGrowth IncrementalGrowth::reserve(Arena& arena, const GrowthPlan& plan,
                                             const Shared& shared) {
    IncrementalGrowth memory{
        .search = SplitSearchMemory::reserve(arena, plan),
        .pending = arena.array<IncrementalNode>(Purpose::scratch, plan.reachable_depth()),
        .middles = arena.array<std::uint16_t>(Purpose::scratch, plan.max_inner()),
        .distribution = shared.distribution};
    memory.search.totals = shared.totals;
    memory.search.lefts = shared.lefts;
    memory.search.spare = shared.spare;
    memory.search.tried = shared.tried.data();
    if (!plan.samples_features()) {
        memory.last = LastShrub(LastShrub::reserve(arena, plan), plan.node_bytes);
    }
    return memory;
}

void IncrementalGrowth::begin() {
    last.forget();
    SplitSearch::fill_inverse(search.inverse);
}

void IncrementalGrowth::grow(const Window& window, const GrowthPlan& plan, Random random,
                             NewShrub& shrub) const {
    Grower(window, plan, *this, random, shrub).grow();
    if (!last.is_kept()) {
        return;
    }
    last.keep(window, {shrub.nodes, shrub.leaves, middles.data(), shrub.n_inner}, shrub.leaf_ids);
}

}  // namespace shrubs
