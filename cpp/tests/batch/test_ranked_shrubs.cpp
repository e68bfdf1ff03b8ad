#include <limits>
#include <vector>

#include "holders.hpp"
#include "shrubs/batch/order_key.hpp"
#include "shrubs/batch/ranked_shrubs.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr NodeBytes wide = NodeBytes::wide;
constexpr std::size_t strip = RankedShrubs::strip;

std::vector<std::byte> pack(const std::vector<Node>& nodes) {
    std::vector<std::byte> packed(nodes.size() * 8);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        write_node(wide, packed.data(), i, nodes[i]);
    }
    return packed;
}

// A shrub that only has left children: one leaf more than nodes.
std::vector<std::byte> pack_chain(const std::vector<Split>& splits) {
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < splits.size(); ++i) {
        nodes.push_back({splits[i], static_cast<std::uint32_t>(splits.size() - 1 - i)});
    }
    return pack(nodes);
}

bool add(RankedShrubs& shrubs, const std::vector<std::byte>& packed) {
    return shrubs.add(wide, packed.data(), static_cast<std::uint32_t>(packed.size() / 8));
}

}  // namespace

TEST_CASE("each kind of question sends every value where the packed shrub does") {
    constexpr float most = std::numeric_limits<float>::max();
    const std::vector<float> values = {-most, -1.0F, 0.0F, 1.0F, 2.0F, 3.0F, most, missing};
    for (const float threshold : {-1.0F, -0.0F, 0.0F, 1.0F, 2.0F, missing}) {
        for (const bool nominal : {false, true}) {
            for (const bool missing_left : {false, true}) {
                const auto packed = pack({{{threshold, 0, nominal, missing_left}, 0}});
                RankedShrubs shrubs(1);
                CHECK(add(shrubs, pack({{{0.5F, 0, false, true}, 0}})));
                CHECK(add(shrubs, packed));
                shrubs.finish();
                std::vector<std::uint32_t> keys(strip);
                for (std::size_t i = 0; i < strip; ++i) {
                    keys[i] = order_key(values[i % values.size()]);
                }
                shrubs.rank_rows(keys);
                std::vector<std::uint8_t> leaves(strip);
                shrubs.find_leaves(1, leaves);
                for (std::size_t i = 0; i < strip; ++i) {
                    const std::vector<float> row = {values[i % values.size()]};
                    CHECK_EQ(std::uint32_t{leaves[i]}, find_leaf(wide, packed.data(), 1, row));
                }
            }
        }
    }
}

TEST_CASE("ranked shrubs find the leaves of the packed ones") {
    constexpr std::size_t n_rows = 2 * strip;
    const Dimensions dimensions{5, 4, 5};
    for (const std::uint32_t max_depth : {1U, 3U, no_limit}) {
        for (const std::uint32_t missing_every : {0U, 9U}) {
            Config config;
            config.window_size = 100;
            config.max_depth = max_depth;
            config.max_shrubs = 8;
            WindowHolder window(config.window_size, {0, 1, 0, 1, 0});
            MembersHolder holder(config, dimensions);
            ExampleSource source(max_depth, dimensions, missing_every);
            RankedShrubs shrubs(dimensions.n_features);
            const Members& members = holder.members();
            for (std::uint32_t i = 0; i < config.max_shrubs; ++i) {
                for (std::uint32_t n = 0; n < 1 + 20 * i; ++n) {
                    const Example example = source.next();
                    std::vector<float> x(example.x.begin(), example.x.end());
                    x[1] *= 8.0F;
                    x[3] *= 8.0F;
                    window.add(x, example.label);
                }
                const std::uint32_t n_inner = holder.grow_member(window.window(), i);
                CHECK(shrubs.add(members.node_bytes(), members.nodes(i), n_inner));
            }
            CHECK_EQ(members.n_inner(0), 0U);
            shrubs.finish();
            std::vector<std::uint32_t> keys;
            std::vector<std::vector<float>> rows;
            for (std::size_t row = 0; row < n_rows; ++row) {
                const Example example = source.next();
                rows.emplace_back(example.x.begin(), example.x.end());
                for (const float value : example.x) {
                    keys.push_back(order_key(value));
                }
            }
            shrubs.rank_rows(keys);
            std::vector<std::uint8_t> leaves(n_rows);
            for (std::uint32_t i = 0; i < config.max_shrubs; ++i) {
                shrubs.find_leaves(i, leaves);
                for (std::size_t row = 0; row < n_rows; ++row) {
                    CHECK_EQ(std::uint32_t{leaves[row]}, members.find_leaf(i, rows[row]));
                }
            }
        }
    }
}

TEST_CASE("a shrub finds no room if it asks too much") {
    constexpr std::size_t most = RankedShrubs::max_questions;
    RankedShrubs shrubs(1);
    CHECK(add(shrubs, pack_chain(std::vector<Split>(most, {1.0F, 0, false, false}))));
    CHECK(!add(shrubs, pack_chain(std::vector<Split>(most + 1, {1.0F, 0, false, false}))));
    CHECK(add(shrubs, pack_chain(std::vector<Split>(most / 2, {1.0F, 0, true, false}))));
    CHECK(!add(shrubs, pack_chain(std::vector<Split>(most / 2 + 1, {1.0F, 0, true, false}))));
    CHECK_EQ(shrubs.size(), 2U);
}

TEST_CASE("shrubs find room until a feature has too many thresholds") {
    RankedShrubs shrubs(1);
    std::uint32_t n_added = 0;
    const auto next = [&] {
        std::vector<Split> splits;
        for (int i = 0; i < 100; ++i) {
            splits.push_back({static_cast<float>(100 * n_added + i), 0, false, false});
        }
        ++n_added;
        return pack_chain(splits);
    };
    CHECK(add(shrubs, next()));
    CHECK(add(shrubs, next()));
    CHECK(!add(shrubs, next()));
    CHECK(!add(shrubs, next()));
    shrubs.clear();
    CHECK(add(shrubs, next()));
    CHECK_EQ(shrubs.size(), 1U);
}

TEST_CASE("shrubs find room until too many features are asked about") {
    RankedShrubs shrubs(1000);
    for (std::uint32_t feature = 0; feature < RankedShrubs::max_features; ++feature) {
        CHECK(add(shrubs, pack_chain({{1.0F, feature, false, false}})));
    }
    CHECK(!add(shrubs, pack_chain({{1.0F, 999, false, false}})));
    CHECK(add(shrubs, pack_chain({{2.0F, 0, false, false}})));
}
