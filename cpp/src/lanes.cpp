#include "shrubs/lanes.hpp"

namespace shrubs {

namespace {

// Divides neighbouring lanes, `from` first to last. `moves(entry)` is `lane_width` or 0.
template <std::size_t n_lanes, bool with_left, bool with_right, class Moves>
void divide(const LaneColumn& column, std::uint32_t size, std::uint16_t* to, Moves moves) {
    const std::uint16_t* from = column.first;
    std::uint16_t* left[n_lanes];
    for (std::size_t lane = 0; lane < n_lanes; ++lane) {
        left[lane] = to + lane;
    }
    // With l entries on the left and r on the right, the next right one belongs at size - 1 - r,
    // which is l + (size - 1 - l - r).
    for (std::size_t rest = size; rest-- > 0; from += column.step) {
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

}  // namespace

void Lanes::fill(const Window& window, std::span<const std::uint16_t> features,
                 std::span<std::uint16_t> entries) {
    n_lanes_ = static_cast<std::uint32_t>(features.size());
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        entries[slot] = static_cast<std::uint16_t>(entry(slot, window.labels()[slot]));
    }
    const LaneRange all{0, window.size(), 0, false};
    const auto fill_from = [&]<std::uint32_t n>(std::uint32_t lane) {
        const std::uint16_t* from[n];
        for (std::uint32_t i = 0; i < n; ++i) {
            from[i] = window.sorted(features[lane + i]).data();
        }
        std::uint16_t* to = at(all, 0, lane / lane_width) + lane % lane_width;
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

void Lanes::fill_with_members(const Window& window) {
    n_lanes_ = 1;
    std::uint16_t* to = at({0, window.size(), 0, false}, 0, 0);
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        *to = static_cast<std::uint16_t>(entry(slot, window.labels()[slot]));
        to += lane_width;
    }
}

LaneColumn Lanes::column(const LaneRange& node, std::uint32_t lane) const {
    const std::uint16_t* first = block(node, lane / lane_width) + lane % lane_width;
    return node.descending ? LaneColumn{first + std::size_t{node.size() - 1} * lane_width,
                                        -std::ptrdiff_t{lane_width}}
                           : LaneColumn{first, lane_width};
}

void Lanes::partition_first(const LaneRange& node, std::span<const std::uint8_t> moves) const {
    divide<1, true, true>(column(node, 0), node.size(), free_block(node, 0), look_up(moves));
}

void Lanes::partition_members(const LaneRange& node, const std::uint8_t* is_upper,
                              std::size_t stride) const {
    const std::uint32_t mask = (1U << slot_bits_) - 1;
    divide<1, true, true>(
        column(node, 0), node.size(), free_block(node, 0), [=](std::uint16_t entry) {
            return (std::size_t{1} - is_upper[(entry & mask) * stride]) * lane_width;
        });
}

void Lanes::partition_all(const LaneRange& node, std::span<const std::uint8_t> moves,
                          Sides sides) const {
    const auto divide_from = [&]<std::size_t n>(std::uint32_t lane) {
        const LaneColumn from = column(node, lane);
        std::uint16_t* to = free_block(node, lane / lane_width) + lane % lane_width;
        // The first lane, which is always needed, may be among the first four.
        if ((sides.left && sides.right) || lane == 0) {
            divide<n, true, true>(from, node.size(), to, look_up(moves));
        } else if (sides.left) {
            divide<n, true, false>(from, node.size(), to, look_up(moves));
        } else {
            divide<n, false, true>(from, node.size(), to, look_up(moves));
        }
    };
    std::uint32_t lane = 0;
    for (; lane + 4 <= n_lanes_; lane += 4) {
        divide_from.template operator()<4>(lane);
    }
    for (; lane < n_lanes_; ++lane) {
        divide_from.template operator()<1>(lane);
    }
}

}  // namespace shrubs
