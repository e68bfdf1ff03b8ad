#pragma once

// The sorted slots of eight features side by side, so that one pass over a node weighs the cuts of
// all eight at once.
//
//     block 0 | place 0: lanes 0 ... 7 | place 1: lanes 0 ... 7 | ...     block 1 | ...
//
// An entry holds a slot in its lower bits and, if both fit into 16 bits, the label of that example
// above them, so that a pass over a node looks nothing up. Every level of a shrub has places of its
// own, where a node has room for its examples and some more:
//
//     level 0 | root ................................ free |
//     level 1 | left .............. free | free .... right |
//     level 2 | ll ... free | free .. lr | rl . free | ... |
//
// A left side is stored from the front of its room up, a right side from the back down and thus in
// descending order: a partition writes an entry to both ends, and only one of them moves on. No
// branch has to be guessed.
//
// The first levels are kept from one shrub to the next. There an example that left the window is
// removed and one that entered is inserted, instead of dividing the whole node again. All deeper
// levels share two copies in turns.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/window/window.hpp"

namespace shrubs {

inline constexpr std::uint32_t lane_width = 8;

/// A node in the lanes: its room, how much of it is taken, and in which order.
struct LaneRange {
    std::uint32_t low;   ///< the room's first place
    std::uint32_t high;  ///< the place behind it
    std::uint32_t size;
    std::uint32_t depth;
    bool descending;           ///< stored from the back down
    std::uint32_t number = 0;  ///< among all nodes of a complete shrub, level by level

    std::uint32_t begin() const { return descending ? high - size : low; }
    std::uint32_t room() const { return high - low; }
    std::uint32_t n_free() const { return room() - size; }
};

/// The entries of one feature in a node, in ascending order of its values.
struct LaneColumn {
    const std::uint16_t* first;
    std::ptrdiff_t step;

    std::uint16_t operator[](std::uint32_t place) const {
        return first[static_cast<std::ptrdiff_t>(place) * step];
    }
    LaneColumn from(std::uint32_t place) const {
        return {first + static_cast<std::ptrdiff_t>(place) * step, step};
    }
};

class Lanes {
 public:
    /// `levels`: `n_entries(...)` for these `n_kept` levels.
    Lanes(std::span<std::uint16_t> levels, std::uint32_t window_size, std::uint32_t n_kept,
          bool has_labels = true)
        : levels_(levels),
          n_kept_(n_kept),
          n_places_(n_places(window_size, n_kept)),
          level_size_(levels.size() / (std::size_t{n_kept} + 2)),
          slot_bits_(bits_for(window_size)),
          has_labels_(has_labels) {}

    /// The places of a level. Nodes of levels that are kept need free ones.
    static std::uint32_t n_places(std::uint32_t window_size, std::uint32_t n_kept) {
        return window_size + (n_kept > 0 ? window_size / 4 : 0);
    }
    /// Blocks of so many features.
    static std::uint64_t n_blocks(std::uint64_t n_features) {
        return (n_features + lane_width - 1) / lane_width;
    }
    /// Entries of all levels.
    static std::uint64_t n_entries(std::uint32_t window_size, std::uint64_t n_features,
                                   std::uint32_t n_kept) {
        return n_blocks(n_features) * lane_width * n_places(window_size, n_kept) *
               (std::uint64_t{n_kept} + 2);
    }
    /// Whether a slot and a label fit into one entry.
    static bool can_hold(std::uint32_t window_size, std::uint32_t n_classes) {
        return bits_for(window_size) + bits_for(n_classes) <= 16;
    }

    std::uint32_t n_kept() const { return n_kept_; }
    std::uint32_t n_lanes() const { return n_lanes_; }
    void set_n_lanes(std::uint32_t n_lanes) { n_lanes_ = n_lanes; }
    std::uint32_t n_blocks() const { return static_cast<std::uint32_t>(n_blocks(n_lanes_)); }
    std::uint32_t slot_bits() const { return slot_bits_; }
    bool has_labels() const { return has_labels_; }
    /// Entries are less than this.
    static std::uint64_t n_different(std::uint32_t window_size, std::uint32_t n_classes) {
        const std::uint32_t label_bits = can_hold(window_size, n_classes) ? bits_for(n_classes) : 0;
        return std::uint64_t{1} << (bits_for(window_size) + label_bits);
    }
    std::uint32_t entry(std::uint32_t slot, std::uint32_t label) const {
        return has_labels_ ? slot | (label << slot_bits_) : slot;
    }
    std::uint32_t slot_mask() const { return (1U << slot_bits_) - 1; }
    std::uint32_t slot(std::uint16_t entry) const { return entry & slot_mask(); }
    /// Requires `has_labels()`.
    std::uint32_t label(std::uint16_t entry) const {
        return static_cast<std::uint32_t>(entry) >> slot_bits_;
    }

    /// The node of so many examples that all others come from.
    LaneRange root(std::uint32_t size) const { return {0, n_places_, size, 0, false}; }
    /// The children of a node, if their rooms meet at `middle`.
    static LaneRange left_side(const LaneRange& node, std::uint32_t n_left, std::uint32_t middle) {
        return {node.low, middle, n_left, node.depth + 1, false, 2 * node.number + 1};
    }
    static LaneRange right_side(const LaneRange& node, std::uint32_t n_left, std::uint32_t middle) {
        return {middle, node.high, node.size - n_left, node.depth + 1, true, 2 * node.number + 2};
    }
    /// A `middle` that gives both children some of the free places.
    static std::uint32_t choose_middle(const LaneRange& node, std::uint32_t n_left);

    /// Takes the order of these features from the window, one lane each, for the root. `entries` is
    /// scratch, one place per slot.
    void fill(const Window& window, std::span<const std::uint16_t> features,
              std::span<std::uint16_t> entries) const;
    /// Takes the examples of the window in one lane, in order of arrival, for the root.
    void fill_with_members(const Window& window) const;

    LaneColumn column(const LaneRange& node, std::uint32_t lane) const {
        const Rows rows = this->rows(node, lane / lane_width);
        return {rows.first + lane % lane_width, rows.step};
    }
    /// The entries of a node, block by block: `entries[place * lane_width + lane]`.
    const std::uint16_t* block(const LaneRange& node, std::uint32_t index) const {
        return at(node.depth, index, node.begin());
    }
    /// As many entries that may be overwritten until the node is partitioned.
    std::uint16_t* free_block(const LaneRange& node, std::uint32_t index) const {
        return at(node.depth < n_kept_ ? n_kept_ : node.depth + 1, index, node.begin());
    }

    /// Removes a slot from a node, which then has one example less.
    void remove(const LaneRange& node, std::uint32_t slot) const;
    /// Inserts a slot of the window into a node, which then has one example more. All others must
    /// be of the window. Requires a free place. `features` are those of the lanes.
    void insert(const LaneRange& node, const Window& window,
                std::span<const std::uint16_t> features, std::uint32_t slot) const;

    /// Which children are written.
    struct Sides {
        bool left = true;
        bool right = true;
    };
    /// Writes the first lane, or all lanes, of the children of a node. `moves[entry]` is
    /// `lane_width` for entries that go left and 0 for those that go right. If but one child is
    /// written, it must have a free place; the other's room is left alone.
    void partition_first(const LaneRange& node, std::span<const std::uint8_t> moves,
                         Sides sides) const;
    void partition_all(const LaneRange& node, std::span<const std::uint8_t> moves,
                       Sides sides) const;
    /// Writes the first lane of both children by `is_upper[slot * stride]`, 1 for slots that go
    /// right and 0 for those that go left.
    void partition_members(const LaneRange& node, const std::uint8_t* is_upper,
                           std::size_t stride) const;
    /// Writes the first lane of a child.
    void write_first(const LaneRange& child, const LaneColumn& members) const;

 private:
    // Bits of the numbers below `count`.
    static std::uint32_t bits_for(std::uint32_t count) {
        std::uint32_t bits = 0;
        while ((std::uint64_t{1} << bits) < count) {
            ++bits;
        }
        return bits;
    }
    // Rows of eight entries, the lowest values first.
    struct Rows {
        std::uint16_t* first;
        std::ptrdiff_t step;
    };
    Rows rows(const LaneRange& node, std::uint32_t index) const {
        return node.descending
                   ? Rows{at(node.depth, index, node.high - 1), -std::ptrdiff_t{lane_width}}
                   : Rows{at(node.depth, index, node.low), std::ptrdiff_t{lane_width}};
    }
    std::uint16_t* at(std::uint32_t level, std::uint32_t index, std::uint32_t place) const {
        const std::uint32_t copy = level < n_kept_ ? level : n_kept_ + (level - n_kept_) % 2;
        return levels_.data() + copy * level_size_ +
               (std::size_t{index} * n_places_ + place) * lane_width;
    }
    void find_places(const LaneRange& node, std::uint32_t index, const Window& window,
                     std::span<const std::uint16_t> features, std::uint32_t slot,
                     std::uint16_t* places) const;

    std::span<std::uint16_t> levels_;
    std::uint32_t n_kept_;
    std::uint32_t n_places_;
    std::size_t level_size_;
    std::uint32_t slot_bits_;
    bool has_labels_;
    std::uint32_t n_lanes_ = 0;
};

}  // namespace shrubs
