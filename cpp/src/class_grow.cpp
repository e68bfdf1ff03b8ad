#include "shrubs/class_grow.hpp"

namespace shrubs {

namespace {

// A shrub on the way: nodes in preorder, leaves from left to right.
class Writer {
 public:
    Writer(const LeafLayout& layout, const GrowScratch& scratch, NewShrub& shrub, LeafIds leaf_ids)
        : layout_(layout), scratch_(scratch), shrub_(shrub), leaf_ids_(leaf_ids) {
        shrub_.n_inner = 0;
    }

    std::uint32_t add_node(const Split& split) {
        write_node(shrub_.node_bytes, shrub_.nodes, shrub_.n_inner, {split, 0});
        return shrub_.n_inner++;
    }
    void add_leaf(const ClassSearch& search, const LaneRange& node) {
        round_distribution(search.totals(), scratch_.distribution);
        layout_.set_distribution(shrub_.leaves, n_leaves_, scratch_.distribution);
        const LaneColumn members = search.members(node);
        for (std::uint32_t place = 0; place < node.size(); ++place) {
            leaf_ids_.set(search.slot(members[place]), n_leaves_);
        }
        ++n_leaves_;
    }
    /// Takes a subtree of the last shrub for a node with the same examples.
    void add_subtree(const ClassSearch& search, const LaneRange& node, const Subtree& subtree) {
        const LastShrub& last = scratch_.last;
        last.copy_nodes(
            subtree, shrub_.nodes + shrub_.n_inner * static_cast<std::size_t>(shrub_.node_bytes));
        shrub_.n_inner += subtree.n_inner;
        const LaneColumn members = search.members(node);
        for (std::uint32_t place = 0; place < node.size(); ++place) {
            const std::uint32_t slot = search.slot(members[place]);
            leaf_ids_.set(slot, n_leaves_ + last.leaf_of(slot) - subtree.first_leaf);
        }
        for (std::uint32_t i = 0; i < subtree.n_leaves(); ++i) {
            layout_.get_distribution(last.leaves(), subtree.first_leaf + i, scratch_.distribution);
            layout_.set_distribution(shrub_.leaves, n_leaves_++, scratch_.distribution);
        }
    }
    /// All that follows belongs to the right side of this node.
    void begin_right(std::uint32_t index) {
        Node node = read_node(shrub_.node_bytes, shrub_.nodes, index);
        node.n_left = shrub_.n_inner - index - 1;
        write_node(shrub_.node_bytes, shrub_.nodes, index, node);
    }

 private:
    const LeafLayout& layout_;
    const GrowScratch& scratch_;
    NewShrub& shrub_;
    LeafIds leaf_ids_;
    std::uint32_t n_leaves_ = 0;
};

// Grows node by node, left before right.
class Grower {
 public:
    Grower(const Window& window, const Config& config, const LeafLayout& layout,
           const GrowScratch& scratch, NewShrub& shrub, LeafIds leaf_ids)
        : config_(config),
          scratch_(scratch),
          search_(scratch.search, window, config.min_samples_leaf),
          writer_(layout, scratch, shrub, leaf_ids) {}

    void grow(const Window& window) {
        const LastShrub& last = scratch_.last;
        LaneRange node{0, window.size(), 0, false};
        Subtree subtree = last.is_kept() ? last.begin(window) : Subtree{};
        std::uint32_t n_pending = 0;
        while (true) {
            if (grow_node(node, subtree, n_pending)) {
                continue;
            }
            if (n_pending == 0) {
                return;
            }
            const PendingNode next = scratch_.pending[--n_pending];
            writer_.begin_right(next.parent);
            node = {next.begin, next.end, next.depth, true};
            subtree = last.is_kept() ? scratch_.pending_last[n_pending] : Subtree{};
        }
    }

 private:
    // Writes what belongs below the node; if that is a split, goes on to its left side, puts off
    // its right side and returns true.
    bool grow_node(LaneRange& node, Subtree& subtree, std::uint32_t& n_pending) {
        if (subtree.is_same != 0) {
            writer_.add_subtree(search_, node, subtree);
            return false;
        }
        const bool is_pure = search_.count_classes(node);
        std::optional<FoundSplit> found;
        if (!is_pure && !is_too_small(node)) {
            found = search_.find(node);
        }
        if (!found) {
            writer_.add_leaf(search_, node);
            return false;
        }
        const Division sides = search_.divide(node, *found);
        const std::uint32_t middle = node.begin + sides.n_left;
        const LaneRange left{node.begin, middle, node.depth + 1, false};
        const LaneRange right{middle, node.end, node.depth + 1, true};
        auto [last_left, last_right] = scratch_.last.sides(subtree, found->split.feature);
        if (found->n_left > 0) {
            const LaneColumn members = search_.in_order(node, *found);
            compare(members, left, last_left);
            compare(members.from(sides.n_left), right, last_right);
        } else {
            compare(search_.members(left), left, last_left);
            compare(search_.members(right), right, last_right);
        }
        search_.partition(
            node, {!sides.left_is_pure && !is_too_small(left) && last_left.is_same == 0,
                   !sides.right_is_pure && !is_too_small(right) && last_right.is_same == 0});
        scratch_.pending[n_pending] = {static_cast<std::uint16_t>(writer_.add_node(found->split)),
                                       static_cast<std::uint16_t>(right.begin),
                                       static_cast<std::uint16_t>(right.end),
                                       static_cast<std::uint16_t>(right.depth)};
        if (scratch_.last.is_kept()) {
            scratch_.pending_last[n_pending] = last_right;
        }
        ++n_pending;
        node = left;
        subtree = last_left;
        return true;
    }

    // Notes whether a node has the same examples as its counterpart in the last shrub.
    void compare(const LaneColumn& members, const LaneRange& node, Subtree& subtree) const {
        if (!subtree.exists() || scratch_.last.n_examples(subtree) != node.size()) {
            return;
        }
        for (std::uint32_t place = 0; place < node.size(); ++place) {
            if (!scratch_.last.contains(subtree, search_.slot(members[place]))) {
                return;
            }
        }
        subtree.is_same = 1;
    }

    bool is_too_small(const LaneRange& node) const {
        return node.depth >= config_.max_depth || node.size() < 2 * config_.min_samples_leaf;
    }

    const Config& config_;
    const GrowScratch& scratch_;
    ClassSearch search_;
    Writer writer_;
};

}  // namespace

void grow_classes(const Window& window, const Config& config, const LeafLayout& layout,
                  const GrowScratch& scratch, NewShrub& shrub, LeafIds leaf_ids) {
    Grower(window, config, layout, scratch, shrub, leaf_ids).grow(window);
    if (scratch.last.is_kept()) {
        scratch.last.keep(window, shrub.nodes, shrub.n_inner, shrub.leaves, leaf_ids);
    }
}

}  // namespace shrubs
