#include <vector>

#include "holders.hpp"
#include "shrubs/batch/order_key.hpp"
#include "shrubs/batch/unpacked_shrub.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("an unpacked shrub finds the leaves of the packed one") {
    constexpr std::uint32_t n_rows = 37;
    for (const std::uint32_t max_depth : {1U, 3U, no_limit}) {
        for (const std::uint32_t window_size : {1U, 2U, 60U, 300U}) {
            Config config;
            config.window_size = window_size;
            config.max_depth = max_depth;
            const Dimensions dimensions{5, 4, 5};
            WindowHolder window(window_size, std::vector<std::uint8_t>(5, 0));
            MembersHolder holder(config, dimensions);
            ExampleSource source(window_size, dimensions, max_depth == 3 ? 9 : 0);
            for (std::uint32_t i = 0; i < window_size; ++i) {
                const Example example = source.next();
                window.add({example.x.begin(), example.x.end()}, example.label);
            }
            const std::uint32_t n_inner = holder.grow_member(window.window(), 0);
            std::vector<UnpackedNode> nodes(UnpackedShrub::n_nodes(n_inner));
            const Members& members = holder.members();
            const UnpackedShrub shrub(members.node_bytes(), members.nodes(0), n_inner, nodes);
            CHECK(!shrub.has_nominal());
            ExampleSource asked(7, dimensions);
            std::vector<std::uint32_t> keys;
            std::vector<std::uint32_t> expected;
            for (std::uint32_t i = 0; i < n_rows; ++i) {
                const Example example = asked.next();
                for (const float value : example.x) {
                    keys.push_back(order_key(value));
                }
                expected.push_back(members.find_leaf(0, example.x));
            }
            std::vector<std::uint32_t> leaves(n_rows);
            shrub.find_leaves(keys, 5, leaves);
            CHECK_EQ(leaves, expected);
        }
    }
}

TEST_CASE("an unpacked shrub tells that a split is nominal") {
    std::vector<std::byte> packed(6);
    write_node(NodeBytes::small, packed.data(), 0, {{1.0F, 0, true, false}, 0});
    std::vector<UnpackedNode> nodes(UnpackedShrub::n_nodes(1));
    CHECK(UnpackedShrub(NodeBytes::small, packed.data(), 1, nodes).has_nominal());
}
