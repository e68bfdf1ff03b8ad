#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "holders.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "shrubs/tree/shrub.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// A shrub from its inner nodes in preorder.
struct HandMade {
    NodeBytes bytes;
    std::vector<std::byte> nodes;
    std::uint32_t n_inner;

    HandMade(NodeBytes of, const std::vector<Node>& from)
        : bytes(of),
          nodes(from.size() * static_cast<std::size_t>(of)),
          n_inner(static_cast<std::uint32_t>(from.size())) {
        for (std::uint32_t i = 0; i < n_inner; ++i) {
            write_node(bytes, nodes.data(), i, from[i]);
        }
    }
    std::uint32_t leaf(const std::vector<float>& x) const {
        return find_leaf(bytes, nodes.data(), n_inner, x);
    }
};

bool same(const Node& a, const Node& b) {
    return std::bit_cast<std::uint32_t>(a.split.threshold) ==
               std::bit_cast<std::uint32_t>(b.split.threshold) &&
           a.split.feature == b.split.feature && a.split.nominal == b.split.nominal &&
           a.split.missing_left == b.split.missing_left && a.n_left == b.n_left;
}

void check_round_trips(NodeBytes bytes, std::uint32_t last_feature, std::uint32_t max_left) {
    std::vector<Node> nodes;
    for (const float threshold : {0.0F, -1.5F, missing, std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::denorm_min()}) {
        for (const std::uint32_t feature : {0U, 1U, last_feature}) {
            for (const std::uint32_t n_left : {0U, 1U, max_left}) {
                for (const unsigned flags : {0U, 1U, 2U, 3U}) {
                    nodes.push_back(
                        {{threshold, feature, (flags & 1U) != 0, (flags & 2U) != 0}, n_left});
                }
            }
        }
    }
    const HandMade shrub(bytes, nodes);
    for (std::uint32_t i = 0; i < shrub.n_inner; ++i) {
        CHECK(same(read_node(bytes, shrub.nodes.data(), i), nodes[i]));
    }
}

// x0 <= 1 ? (x1 == 2 ? leaf 0 : leaf 1) : (x0 <= 3 ? leaf 2 : leaf 3); missing x0 goes left at the
// root, missing x1 right.
const std::vector<Node> two_levels = {
    {{1.0F, 0, false, true}, 1}, {{2.0F, 1, true, false}, 0}, {{3.0F, 0, false, false}, 0}};

}  // namespace

TEST_CASE("six-byte nodes give back what was written") {
    check_round_trips(NodeBytes::small, small_max_features - 1, small_max_leaves - 2);
}

TEST_CASE("eight-byte nodes give back what was written") {
    check_round_trips(NodeBytes::wide, 16383, 65533);
}

TEST_CASE("nodes are small up to 256 leaves and 64 features") {
    CHECK_EQ(node_bytes_for(256, 64), NodeBytes::small);
    CHECK_EQ(node_bytes_for(257, 64), NodeBytes::wide);
    CHECK_EQ(node_bytes_for(256, 65), NodeBytes::wide);
}

TEST_CASE("a shrub without inner nodes has one leaf") {
    CHECK_EQ(find_leaf(NodeBytes::small, nullptr, 0, std::vector<float>{}), 0U);
}

TEST_CASE("leaves are counted from left to right") {
    for (const NodeBytes bytes : {NodeBytes::small, NodeBytes::wide}) {
        const HandMade shrub(bytes, two_levels);
        CHECK_EQ(shrub.leaf({1.0F, 2.0F}), 0U);
        CHECK_EQ(shrub.leaf({0.0F, 1.0F}), 1U);
        CHECK_EQ(shrub.leaf({3.0F, 2.0F}), 2U);
        CHECK_EQ(shrub.leaf({4.0F, 2.0F}), 3U);
    }
}

TEST_CASE("a missing value goes where its node says") {
    const HandMade shrub(NodeBytes::small, two_levels);
    CHECK_EQ(shrub.leaf({missing, 2.0F}), 0U);
    CHECK_EQ(shrub.leaf({missing, missing}), 1U);
}

TEST_CASE("a nominal value goes left only if it is equal") {
    const HandMade shrub(NodeBytes::small, {{{2.0F, 0, true, false}, 0}});
    CHECK_EQ(shrub.leaf({2.0F}), 0U);
    CHECK_EQ(shrub.leaf({1.0F}), 1U);
    CHECK_EQ(shrub.leaf({3.0F}), 1U);
}

TEST_CASE("present values go right at a threshold that is NaN") {
    for (const bool nominal : {false, true}) {
        const HandMade shrub(NodeBytes::wide, {{{missing, 0, nominal, true}, 0}});
        CHECK_EQ(shrub.leaf({-std::numeric_limits<float>::max()}), 1U);
        CHECK_EQ(shrub.leaf({0.0F}), 1U);
        CHECK_EQ(shrub.leaf({missing}), 0U);
    }
}

TEST_CASE("a chain to the left and a chain to the right are walked to their ends") {
    std::vector<Node> left;
    std::vector<Node> right;
    for (std::uint32_t i = 0; i < 255; ++i) {
        // Left: x <= 255 - i keeps going; right: x > i keeps going.
        left.push_back({{255.0F - static_cast<float>(i), 0, false, false}, 254 - i});
        right.push_back({{static_cast<float>(i), 0, false, false}, 0});
    }
    const HandMade to_left(NodeBytes::small, left);
    const HandMade to_right(NodeBytes::small, right);
    CHECK_EQ(to_left.leaf({0.0F}), 0U);
    CHECK_EQ(to_left.leaf({255.0F}), 254U);
    CHECK_EQ(to_left.leaf({256.0F}), 255U);
    CHECK_EQ(to_right.leaf({0.0F}), 0U);
    CHECK_EQ(to_right.leaf({254.0F}), 254U);
    CHECK_EQ(to_right.leaf({255.0F}), 255U);
}

namespace {

// A shrub of so many inner nodes behind those that are there.
void add_nodes(std::uint32_t n_inner, NodeBytes bytes, Random& random,
               std::vector<std::byte>& nodes) {
    if (n_inner == 0) {
        return;
    }
    const std::uint32_t n_left = random.below(n_inner);
    nodes.resize(nodes.size() + static_cast<std::size_t>(bytes));
    write_node(bytes, nodes.data() + nodes.size() - static_cast<std::size_t>(bytes), 0,
               {{static_cast<float>(random.below(4)), random.below(6), random.below(2) == 0,
                 random.below(2) == 0},
                n_left});
    add_nodes(n_left, bytes, random, nodes);
    add_nodes(n_inner - 1 - n_left, bytes, random, nodes);
}

}  // namespace

TEST_CASE("eight or sixteen shrubs are walked down as one by one, with and without AVX2") {
    Random random(7, 0);
    for (int repeat = 0; repeat < 400; ++repeat) {
        const NodeBytes bytes = repeat % 2 == 0 ? NodeBytes::small : NodeBytes::wide;
        const std::size_t n = repeat % 3 == 0 ? 8 : 16;
        std::vector<std::byte> nodes;
        std::vector<std::size_t> begins(n);
        std::vector<ShrubView> shrubs(n);
        for (std::size_t i = 0; i < n; ++i) {
            begins[i] = nodes.size();
            shrubs[i].n_inner = 1 + random.below(200);
            add_nodes(shrubs[i].n_inner, bytes, random, nodes);
        }
        nodes.resize(nodes.size() + 2);
        for (std::size_t i = 0; i < n; ++i) {
            shrubs[i].nodes = nodes.data() + begins[n - 1 - i];
        }
        for (std::size_t i = 0; i < n / 2; ++i) {
            std::swap(shrubs[i].n_inner, shrubs[n - 1 - i].n_inner);
        }
        std::vector<float> x(6);
        for (float& value : x) {
            value = random.below(5) == 0 ? missing : static_cast<float>(random.below(4));
        }
        for (const bool wide : {false, true}) {
            allow_avx2(wide);
            std::vector<std::uint16_t> found(n);
            find_many_leaves(bytes, shrubs, x, found);
            for (std::size_t i = 0; i < n; ++i) {
                CHECK_EQ(std::uint32_t{found[i]},
                         find_leaf(bytes, shrubs[i].nodes, shrubs[i].n_inner, x));
            }
        }
    }
    allow_avx2(true);
}
