#pragma once

// The sorted slots of eight features side by side, so that one pass over a node weighs the cuts of
// all eight at once.
//
//     block 0 | place 0: lanes 0 ... 7 | place 1: lanes 0 ... 7 | ...     block 1 | ...
//
// An entry holds a slot in its lower bits and the label of that example above them, so that a pass
// over a node looks nothing up. A node is a range of places. Its children are written to the same
// places of a second copy, theirs to the first again, so what the other copy holds at a node's own
// places is free while the node is searched. The left child is written from the front, the right
// one from the back and thus in descending order: an entry is written to both ends, and only one of
// them moves on. No branch has to be guessed.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/window.hpp"

namespace shrubs {

inline constexpr std::uint32_t lane_width = 8;

/// A node in the lanes: its places, which of the two copies holds it, and in which order.
struct LaneRange {
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t depth;
    bool descending;

    std::uint32_t size() const { return end - begin; }
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
    /// `copies`: two times `n_places(...)` entries.
    Lanes(std::span<std::uint16_t> copies, std::uint32_t window_size)
        : copies_(copies), window_size_(window_size), slot_bits_(bits_for(window_size)) {}

    /// Entries of one copy.
    static std::uint64_t n_entries(std::uint64_t window_size, std::uint64_t n_features) {
        return (n_features + lane_width - 1) / lane_width * lane_width * window_size;
    }
    /// Whether a slot and a label fit into one entry.
    static bool can_hold(std::uint32_t window_size, std::uint32_t n_classes) {
        return bits_for(window_size) + bits_for(n_classes) <= 16;
    }

    std::uint32_t n_lanes() const { return n_lanes_; }
    std::uint32_t slot_bits() const { return slot_bits_; }
    /// Entries are less than this.
    static std::uint64_t n_different(std::uint32_t window_size, std::uint32_t n_classes) {
        return std::uint64_t{1} << (bits_for(window_size) + bits_for(n_classes));
    }
    std::uint32_t entry(std::uint32_t slot, std::uint32_t label) const {
        return slot | (label << slot_bits_);
    }
    std::uint32_t slot(std::uint16_t entry) const { return entry & ((1U << slot_bits_) - 1); }
    std::uint32_t label(std::uint16_t entry) const {
        return static_cast<std::uint32_t>(entry) >> slot_bits_;
    }

    /// Takes the order of these features from the window, one lane each. `entries` is scratch, one
    /// place per slot.
    void fill(const Window& window, std::span<const std::uint16_t> features,
              std::span<std::uint16_t> entries);

    /// Takes the examples of the window in one lane, in order of arrival.
    void fill_with_members(const Window& window);

    LaneColumn column(const LaneRange& node, std::uint32_t lane) const;
    /// The entries of a node, block by block: `entries[place * lane_width + lane]`.
    const std::uint16_t* block(const LaneRange& node, std::uint32_t index) const {
        return at(node, node.depth, index);
    }
    /// As many entries that may be overwritten until the node is partitioned.
    std::uint16_t* free_block(const LaneRange& node, std::uint32_t index) const {
        return at(node, node.depth + 1, index);
    }

    /// Which children are written.
    struct Sides {
        bool left = true;
        bool right = true;
    };
    /// Writes the first lane of both children of a node. `moves[entry]` is `lane_width` for entries
    /// that go left and 0 for those that go right.
    void partition_first(const LaneRange& node, std::span<const std::uint8_t> moves) const;
    /// The same by `is_upper[slot * stride]`, 1 for slots that go right and 0 for those that go
    /// left.
    void partition_members(const LaneRange& node, const std::uint8_t* is_upper,
                           std::size_t stride) const;
    /// Writes all lanes; a side that is not needed may hold anything but its first lane.
    void partition_all(const LaneRange& node, std::span<const std::uint8_t> moves,
                       Sides sides) const;

 private:
    // Bits of the numbers below `count`.
    static std::uint32_t bits_for(std::uint32_t count) {
        std::uint32_t bits = 0;
        while ((std::uint64_t{1} << bits) < count) {
            ++bits;
        }
        return bits;
    }
    std::uint16_t* at(const LaneRange& node, std::uint32_t copy, std::uint32_t index) const {
        return copies_.data() + (copy % 2) * (copies_.size() / 2) +
               (std::size_t{index} * window_size_ + node.begin) * lane_width;
    }

    std::span<std::uint16_t> copies_;
    std::uint32_t window_size_;
    std::uint32_t slot_bits_;
    std::uint32_t n_lanes_ = 0;
};

}  // namespace shrubs
