#include "shrubs/growth/incremental/lanes.hpp"

#include <algorithm>

#include "shrubs/simd/shorts.hpp"

namespace shrubs {

namespace {

// Divides neighbouring lanes, `from` first to last. `moves(entry)` is `lane_width` or 0.
template <std::size_t n_lanes, bool with_left, bool with_right, class Moves>
void divide(const LaneColumn& column, const LaneRange& node, std::uint16_t* to, Moves moves) {
    const std::uint16_t* from = column.first;
    std::uint16_t* left[n_lanes];
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        left[lane] = to + lane;
    }
    // With l entries on the left and r on the right, the next right one belongs at room - 1 - r,
    // which is l + (room - 1 - l - r).
    const std::size_t n_free = node.n_free();
    for (std::size_t rest = node.room(); rest-- > n_free; from += column.step) {
        for (std::size_t lane = 0; lane < n_lanes; ++lane) {
            const std::uint16_t entry = from[lane];
            if constexpr (with_left) {
                left[lane][0] = entry;
            }
            if constexpr (with_right) {
                left[lane][rest * lane_width] = entry;
            }
            left[lane] += moves(entry);
        }
    }
}

auto look_up(std::span<const std::uint8_t> moves) {
    return [moves = moves.data()](std::uint16_t entry) { return moves[entry]; };
}

template <std::size_t n_lanes>
void divide_sides(const LaneColumn& from, const LaneRange& node, std::uint16_t* to,
                  std::span<const std::uint8_t> moves, Lanes::Sides sides) {
    if (sides.left && sides.right) {
        divide<n_lanes, true, true>(from, node, to, look_up(moves));
    } else if (sides.left) {
        divide<n_lanes, true, false>(from, node, to, look_up(moves));
    } else if (sides.right) {
        divide<n_lanes, false, true>(from, node, to, look_up(moves));
    }
}

// All that stands behind the slot moves one place to the front, lane by lane. Rows of eight entries
// follow each other by `step`.
void remove_from(std::uint16_t* row, std::ptrdiff_t step, std::uint32_t size, std::uint32_t slot,
                 std::uint32_t slot_bits) {
    const EightShorts mask = EightShorts::all(static_cast<std::uint16_t>((1U << slot_bits) - 1));
    const EightShorts wanted = EightShorts::all(static_cast<std::uint16_t>(slot));
    EightShorts is_gone = EightShorts::all(0);
    EightShorts current = EightShorts::load(row);
    for (std::uint32_t place = 1; place < size; ++place, row += step) {
        const EightShorts next = EightShorts::load(row + step);
        is_gone = is_gone | ((current & mask) == wanted);
        is_gone.choose(next, current).store(row);
        current = next;
    }
}

// From the back: what stands behind the new entry moves one place further, lane by lane.
void insert_into(std::uint16_t* first, std::ptrdiff_t step, std::uint32_t size, std::uint16_t entry,
                 const std::uint16_t* places) {
    const EightShorts added = EightShorts::all(entry);
    const EightShorts one = EightShorts::all(1);
    const EightShorts new_place = EightShorts::load(places);
    const std::uint32_t end = *std::min_element(places, places + lane_width);
    EightShorts place = EightShorts::all(static_cast<std::uint16_t>(size));
    EightShorts is_before = EightShorts::all(0);
    EightShorts current = place;
    std::uint16_t* row = first + static_cast<std::ptrdiff_t>(size) * step;
    for (std::uint32_t rest = size; rest > end; --rest, row -= step) {
        const EightShorts previous = EightShorts::load(row - step);
        const EightShorts is_here = new_place == place;
        is_before = is_before | is_here;
        is_here.choose(added, is_before.choose(current, previous)).store(row);
        current = previous;
        place = place - one;
    }
    (new_place == place).choose(added, current).store(row);
}

}  // namespace

std::uint32_t Lanes::choose_middle(const LaneRange& node, std::uint32_t n_left) {
    const std::uint32_t n_free = node.n_free();
    const std::uint32_t least = std::min<std::uint32_t>(n_free / 4, 4);
    const std::uint32_t share = n_free * n_left / node.size;
    return node.low + n_left + std::clamp(share, least, n_free - least);
}

void Lanes::fill(const Window& window, std::span<const std::uint16_t> features,
                 std::span<std::uint16_t> entries) const {
    for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
        entries[slot] = static_cast<std::uint16_t>(entry(slot, window.labels()[slot]));
    }
    const auto fill_from = [&]<std::uint32_t n>(std::uint32_t lane) {
        const std::uint16_t* from[n];
        for (std::uint32_t i = 0; i < n; ++i) {
            from[i] = window.sorted(features[lane + i]).data();
        }
        std::uint16_t* to = at(0, lane / lane_width, 0) + lane % lane_width;
        for (std::uint32_t place = 0; place < window.size(); ++place, to += lane_width) {
            for (std::uint32_t i = 0; i < n; ++i) {
                to[i] = entries.data()[from[i][place]];
            }
        }
    };
    std::uint32_t lane = 0;
    for (; lane + 4 <= n_lanes_; lane += 4) {
        fill_from.template operator()<4>(lane);
    }
    for (; lane < n_lanes_; ++lane) {
        fill_from.template operator()<1>(lane);
    }
}

void Lanes::fill_with_members(const Window& window) const {
    std::uint16_t* to = at(0, 0, 0);
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        *to = static_cast<std::uint16_t>(entry(slot, window.labels()[slot]));
        to += lane_width;
    }
}

void Lanes::remove(const LaneRange& node, std::uint32_t slot) const {
    for (std::uint32_t index = 0; index < n_blocks(); ++index) {
        const auto [first, step] = rows(node, index);
        remove_from(first, step, node.size, slot, slot_bits_);
    }
}

// How many entries of each lane of a block have at most the value of a slot, missing ones being the
// largest. Halving takes the same steps in all lanes and has no branch, so that a processor
// searches all lanes at once.
void Lanes::find_places(const LaneRange& node, std::uint32_t index, const Window& window,
                        std::span<const std::uint16_t> features, std::uint32_t slot,
                        std::uint16_t* places) const {
    const std::uint32_t n_lanes = std::min(lane_width, n_lanes_ - index * lane_width);
    const auto [first, step] = rows(node, index);
    const std::uint32_t mask = (1U << slot_bits_) - 1;
    const float* values[lane_width];
    float added[lane_width];
    const std::uint16_t* at[lane_width];
    for (std::uint32_t lane = 0; lane < n_lanes; ++lane) {
        values[lane] = window.column(features[index * lane_width + lane]).data();
        added[lane] = values[lane][slot];
        at[lane] = first + lane;
    }
    const auto comes_before = [&](std::uint32_t lane, std::uint16_t entry) {
        return values[lane][entry & mask] <= added[lane];
    };
    std::uint32_t rest = node.size;
    for (; rest > 1; rest -= rest / 2) {
        const std::ptrdiff_t half = static_cast<std::ptrdiff_t>(rest / 2) * step;
        for (std::uint32_t lane = 0; lane < n_lanes; ++lane) {
            // All bits or none, since compilers make a branch of a choice.
            at[lane] += half & -std::ptrdiff_t{comes_before(lane, at[lane][half - step])};
        }
    }
    for (std::uint32_t lane = 0; lane < n_lanes; ++lane) {
        const std::ptrdiff_t n = (at[lane] - (first + lane)) / step;
        const bool is_missing = added[lane] != added[lane];
        const bool is_last = rest == 1 && comes_before(lane, *at[lane]);
        const auto place = static_cast<std::uint32_t>(n) + (is_last ? 1 : 0);
        places[lane] = static_cast<std::uint16_t>(is_missing ? node.size : place);
    }
}

void Lanes::insert(const LaneRange& node, const Window& window,
                   std::span<const std::uint16_t> features, std::uint32_t slot) const {
    const auto added = static_cast<std::uint16_t>(entry(slot, window.labels()[slot]));
    for (std::uint32_t index = 0; index < n_blocks(); ++index) {
        std::uint16_t places[lane_width];
        std::fill_n(places, lane_width, static_cast<std::uint16_t>(node.size));
        find_places(node, index, window, features, slot, places);
        const auto [first, step] = rows(node, index);
        insert_into(first, step, node.size, added, places);
    }
}

void Lanes::partition_first(const LaneRange& node, std::span<const std::uint8_t> moves,
                            Sides sides) const {
    divide_sides<1>(column(node, 0), node, at(node.depth + 1, 0, node.low), moves, sides);
}

void Lanes::partition_members(const LaneRange& node, const std::uint8_t* is_upper,
                              std::size_t stride) const {
    const std::uint32_t mask = (1U << slot_bits_) - 1;
    divide<1, true, true>(
        column(node, 0), node, at(node.depth + 1, 0, node.low), [=](std::uint16_t entry) {
            return (std::size_t{1} - is_upper[(entry & mask) * stride]) * lane_width;
        });
}

void Lanes::partition_all(const LaneRange& node, std::span<const std::uint8_t> moves,
                          Sides sides) const {
    const auto divide_from = [&]<std::size_t n>(std::uint32_t lane) {
        divide_sides<n>(column(node, lane), node,
                        at(node.depth + 1, lane / lane_width, node.low) + lane % lane_width, moves,
                        sides);
    };
    std::uint32_t lane = 0;
    for (; lane + 4 <= n_lanes_; lane += 4) {
        divide_from.template operator()<4>(lane);
    }
    for (; lane < n_lanes_; ++lane) {
        divide_from.template operator()<1>(lane);
    }
}

void Lanes::write_first(const LaneRange& child, const LaneColumn& members) const {
    auto [to, step] = rows(child, 0);
    for (std::uint32_t place = 0; place < child.size; ++place, to += step) {
        *to = members[place];
    }
}

}  // namespace shrubs
