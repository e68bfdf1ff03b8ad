#include <algorithm>
#include <vector>

#include "holders.hpp"
#include "shrubs/lanes.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// The slots of a feature in a node, ascending.
std::vector<std::uint32_t> slots(const Lanes& lanes, const LaneRange& node, std::uint32_t lane) {
    std::vector<std::uint32_t> all;
    const LaneColumn column = lanes.column(node, lane);
    for (std::uint32_t place = 0; place < node.size(); ++place) {
        all.push_back(lanes.slot(column[place]));
    }
    return all;
}

}  // namespace

TEST_CASE("an entry fits if slots and labels have sixteen bits together") {
    CHECK(Lanes::can_hold(256, 256));
    CHECK(!Lanes::can_hold(257, 256));
    CHECK(!Lanes::can_hold(256, 257));
    CHECK(Lanes::can_hold(1, 65536));
    CHECK_EQ(Lanes::n_different(256, 2), 512U);
}

TEST_CASE("both sides of a partition keep their order, whichever side is asked for") {
    constexpr std::uint32_t size = 60;
    const Dimensions dimensions{11, 3, 11};
    WindowHolder holder(size, std::vector<std::uint8_t>(11, 0));
    ExampleSource source(3, dimensions);
    for (std::uint32_t i = 0; i < size + 7; ++i) {
        const Example example = source.next();
        holder.add({example.x.begin(), example.x.end()}, example.label);
    }
    const Window& window = holder.window();
    const std::vector<std::uint16_t> features = {0, 2, 3, 4, 5, 6, 7, 9, 10};
    std::vector<std::uint16_t> copies(2 * Lanes::n_entries(size, features.size()));
    Lanes lanes(copies, size);
    std::vector<std::uint16_t> scratch(size);
    lanes.fill(window, features, scratch);
    const LaneRange root{0, size, 0, false};
    Random random(5, 0);
    std::vector<std::uint8_t> moves(Lanes::n_different(size, 3), 77);
    // A path of left and right children; each node is divided at random.
    LaneRange node = root;
    while (node.size() >= 2) {
        std::uint32_t n_left = 0;
        const std::vector<std::uint32_t> members = slots(lanes, node, 0);
        for (std::size_t i = 0; i < members.size(); ++i) {
            const bool left = i == 0 || (i > 1 && random.below(2) == 0);
            moves[lanes.entry(members[i], window.labels()[members[i]])] = left ? lane_width : 0;
            n_left += left ? 1 : 0;
        }
        const auto goes_left = [&](std::uint32_t slot) {
            return moves[lanes.entry(slot, window.labels()[slot])] != 0;
        };
        std::vector<std::vector<std::uint32_t>> parents;
        for (std::uint32_t lane = 0; lane < features.size(); ++lane) {
            parents.push_back(slots(lanes, node, lane));
        }
        const LaneRange left{node.begin, node.begin + n_left, node.depth + 1, false};
        const LaneRange right{left.end, node.end, node.depth + 1, true};
        const Lanes::Sides sides{random.below(3) != 0, random.below(3) != 0};
        if (sides.left || sides.right) {
            lanes.partition_all(node, moves, sides);
        } else {
            lanes.partition_first(node, moves);
        }
        for (std::uint32_t lane = 0; lane < features.size(); ++lane) {
            std::vector<std::uint32_t> to_left, to_right;
            for (const std::uint32_t slot : parents[lane]) {
                (goes_left(slot) ? to_left : to_right).push_back(slot);
            }
            CHECK(slots(lanes, left, lane) == to_left || (lane > 0 && !sides.left));
            CHECK(slots(lanes, right, lane) == to_right || (lane > 0 && !sides.right));
        }
        if (!sides.left && !sides.right) {
            break;
        }
        node = !sides.right || (sides.left && random.below(2) == 0) ? left : right;
    }
}

TEST_CASE("members are divided by a row of bytes as by moves") {
    constexpr std::uint32_t size = 50;
    constexpr std::size_t stride = 8;
    WindowHolder holder(size, std::vector<std::uint8_t>(3, 0));
    ExampleSource source(4, {3, 5, 3});
    for (std::uint32_t i = 0; i < size + 9; ++i) {
        const Example example = source.next();
        holder.add({example.x.begin(), example.x.end()}, example.label);
    }
    const Window& window = holder.window();
    Random random(6, 0);
    std::vector<std::uint8_t> rows(size * stride);
    for (std::uint8_t& is_upper : rows) {
        is_upper = static_cast<std::uint8_t>(random.below(2));
    }
    for (std::uint32_t feature = 0; feature < stride; ++feature) {
        std::vector<std::uint16_t> copies(2 * Lanes::n_entries(size, 1));
        Lanes lanes(copies, size);
        lanes.fill_with_members(window);
        LaneRange node{0, size, 0, false};
        // Right and left sides in turns: nodes in both orders.
        for (std::uint32_t column = feature; node.size() > 0 && column < stride; ++column) {
            std::vector<std::uint32_t> to_left, to_right;
            for (const std::uint32_t slot : slots(lanes, node, 0)) {
                (rows[slot * stride + column] == 0 ? to_left : to_right).push_back(slot);
            }
            lanes.partition_members(node, rows.data() + column, stride);
            const auto n_left = static_cast<std::uint32_t>(to_left.size());
            const LaneRange left{node.begin, node.begin + n_left, node.depth + 1, false};
            const LaneRange right{left.end, node.end, node.depth + 1, true};
            CHECK(slots(lanes, left, 0) == to_left);
            CHECK(slots(lanes, right, 0) == to_right);
            node = column % 2 == 0 ? right : left;
        }
    }
}
