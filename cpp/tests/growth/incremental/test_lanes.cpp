#include <algorithm>
#include <vector>

#include "holders.hpp"
#include "shrubs/growth/incremental/lanes.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// The slots of a feature in a node, ascending.
std::vector<std::uint32_t> slots(const Lanes& lanes, const LaneRange& node, std::uint32_t lane) {
    std::vector<std::uint32_t> all;
    const LaneColumn column = lanes.column(node, lane);
    for (std::uint32_t place = 0; place < node.size; ++place) {
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
    std::vector<std::uint16_t> levels(Lanes::n_entries(size, features.size(), 2));
    Lanes lanes(levels, size, 2);
    lanes.set_n_lanes(9);
    std::vector<std::uint16_t> scratch(size);
    lanes.fill(window, features, scratch);
    const LaneRange root = lanes.root(size);
    Random random(5, 0);
    std::vector<std::uint8_t> moves(Lanes::n_different(size, 3), 77);
    // A path of left and right children; each node is divided at random.
    LaneRange node = root;
    while (node.size >= 2) {
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
        const std::uint32_t middle = Lanes::choose_middle(node, n_left);
        const LaneRange left = Lanes::left_side(node, n_left, middle);
        const LaneRange right = Lanes::right_side(node, n_left, middle);
        CHECK(left.size <= left.room() && right.size <= right.room());
        const Lanes::Sides sides{random.below(3) != 0, random.below(3) != 0};
        lanes.partition_first(node, moves, {true, true});
        lanes.partition_all(node, moves, sides);
        for (std::uint32_t lane = 0; lane < features.size(); ++lane) {
            std::vector<std::uint32_t> to_left, to_right;
            for (const std::uint32_t slot : parents[lane]) {
                (goes_left(slot) ? to_left : to_right).push_back(slot);
            }
            if (lane == 0 && !sides.left && !sides.right) {
                CHECK(slots(lanes, left, 0) == to_left);
                CHECK(slots(lanes, right, 0) == to_right);
            }
            CHECK(!sides.left || slots(lanes, left, lane) == to_left);
            CHECK(!sides.right || slots(lanes, right, lane) == to_right);
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
        std::vector<std::uint16_t> levels(Lanes::n_entries(size, 1, 0));
        Lanes lanes(levels, size, 0);
        lanes.fill_with_members(window);
        LaneRange node = lanes.root(size);
        // Right and left sides in turns: nodes in both orders.
        for (std::uint32_t column = feature; node.size > 0 && column < stride; ++column) {
            std::vector<std::uint32_t> to_left, to_right;
            for (const std::uint32_t slot : slots(lanes, node, 0)) {
                (rows[slot * stride + column] == 0 ? to_left : to_right).push_back(slot);
            }
            lanes.partition_members(node, rows.data() + column, stride);
            const auto n_left = static_cast<std::uint32_t>(to_left.size());
            const std::uint32_t middle = Lanes::choose_middle(node, n_left);
            const LaneRange left = Lanes::left_side(node, n_left, middle);
            const LaneRange right = Lanes::right_side(node, n_left, middle);
            CHECK(slots(lanes, left, 0) == to_left);
            CHECK(slots(lanes, right, 0) == to_right);
            node = column % 2 == 0 ? right : left;
        }
    }
}

TEST_CASE("a side that is written alone leaves its sibling's room as it was") {
    constexpr std::uint32_t size = 40;
    WindowHolder holder(size, std::vector<std::uint8_t>(9, 0));
    ExampleSource source(8, {9, 2, 9});
    for (std::uint32_t i = 0; i < size; ++i) {
        const Example example = source.next();
        holder.add({example.x.begin(), example.x.end()}, example.label);
    }
    const std::vector<std::uint16_t> features = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<std::uint16_t> levels(Lanes::n_entries(size, 9, 2), 0xABCD);
    Lanes lanes(levels, size, 2);
    lanes.set_n_lanes(9);
    std::vector<std::uint16_t> scratch(size);
    lanes.fill(holder.window(), features, scratch);
    std::vector<std::uint8_t> moves(Lanes::n_different(size, 2), 0);
    const LaneRange root = lanes.root(size);
    constexpr std::uint32_t n_left = 17;
    const LaneColumn first = lanes.column(root, 0);
    for (std::uint32_t place = 0; place < n_left; ++place) {
        moves[first[place]] = lane_width;
    }
    const std::uint32_t middle = Lanes::choose_middle(root, n_left);
    const LaneRange left = Lanes::left_side(root, n_left, middle);
    const LaneRange right = Lanes::right_side(root, n_left, middle);
    const auto is_untouched = [&](const LaneRange& child) {
        bool same = true;
        for (std::uint32_t index = 0; index < 2; ++index) {
            const LaneRange room{child.low, child.high, child.room(), child.depth, false};
            const std::uint16_t* block = lanes.block(room, index);
            same = same && std::all_of(block, block + std::size_t{room.size} * lane_width,
                                       [](std::uint16_t entry) { return entry == 0xABCD; });
        }
        return same;
    };
    lanes.partition_all(root, moves, {true, false});
    CHECK(is_untouched(right));
    CHECK(!is_untouched(left));
    const std::vector<std::uint32_t> members = slots(lanes, left, 8);
    lanes.partition_all(root, moves, {false, true});
    CHECK(!is_untouched(right));
    CHECK(slots(lanes, left, 8) == members);
    lanes.write_first(right, first.from(n_left));
    const std::vector<std::uint32_t> all = slots(lanes, root, 0);
    CHECK(slots(lanes, right, 0) == std::vector<std::uint32_t>(all.begin() + n_left, all.end()));
    CHECK(slots(lanes, left, 8) == members);
}

TEST_CASE("orders that are brought up to date are those of a new fill") {
    Random random(12, 0);
    for (const bool descending : {false, true}) {
        for (const std::uint32_t size : {2U, 3U, 17U, 100U}) {
            WindowHolder holder(size, std::vector<std::uint8_t>(11, 0));
            std::vector<std::uint16_t> features;
            for (std::uint16_t feature = 0; feature < 11; ++feature) {
                features.push_back(feature);
            }
            const auto add = [&] {
                std::vector<float> x(11);
                for (float& value : x) {
                    // Some values are equal, some are missing.
                    const std::uint32_t drawn = random.below(30);
                    value = drawn == 0 ? missing : static_cast<float>(drawn);
                }
                holder.add(x, static_cast<std::uint16_t>(random.below(3)));
            };
            for (std::uint32_t i = 0; i < size; ++i) {
                add();
            }
            std::vector<std::uint16_t> levels(Lanes::n_entries(size, 11, 1));
            Lanes lanes(levels, size, 1);
            lanes.set_n_lanes(11);
            std::vector<std::uint16_t> scratch(size);
            LaneRange node = lanes.root(size);
            lanes.fill(holder.window(), features, scratch);
            if (descending) {
                // The same entries from the back down.
                node = {0, node.high, size, 0, true};
                std::vector<std::uint16_t> turned = levels;
                for (std::uint32_t index = 0; index < 2; ++index) {
                    const LaneRange upward{0, node.high, size, 0, false};
                    const auto from = lanes.block(upward, index) - levels.data();
                    const auto to = lanes.block(node, index) - levels.data();
                    for (std::uint32_t place = 0; place < size; ++place) {
                        std::copy_n(levels.begin() + from + place * lane_width, lane_width,
                                    turned.begin() + to + (size - 1 - place) * lane_width);
                    }
                }
                levels = turned;
                lanes = Lanes(levels, size, 1);
                lanes.set_n_lanes(11);
            }
            bool same = true;
            for (int round = 0; round < 40 && same; ++round) {
                const std::uint32_t slot = holder.window().slot(0);
                add();
                lanes.remove(node, slot);
                --node.size;
                lanes.insert(node, holder.window(), features, slot);
                ++node.size;
                for (std::uint32_t lane = 0; lane < 11; ++lane) {
                    const auto sorted = holder.window().sorted(features[lane]);
                    const LaneColumn column = lanes.column(node, lane);
                    for (std::uint32_t place = 0; place < size; ++place) {
                        const auto values = holder.window().column(features[lane]);
                        const float ours = values[lanes.slot(column[place])];
                        const float theirs = values[sorted[place]];
                        same = same && (ours == theirs || (ours != ours && theirs != theirs)) &&
                               lanes.label(column[place]) ==
                                   holder.window().labels()[lanes.slot(column[place])];
                    }
                }
            }
            CHECK(same);
        }
    }
}
