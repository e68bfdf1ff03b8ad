#include <memory>
#include <vector>

#include "holders.hpp"
#include "shrubs/last_shrub.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// Memory for a last shrub of at most eight leaves.
struct Kept {
    std::vector<std::byte> nodes = std::vector<std::byte>(7 * 6);
    std::vector<std::byte> leaves = std::vector<std::byte>(8);
    std::vector<std::uint16_t> leaf_of = std::vector<std::uint16_t>(6);
    std::vector<std::uint16_t> ends = std::vector<std::uint16_t>(9);
    std::vector<std::uint64_t> facts = std::vector<std::uint64_t>(2);
    LastShrub last{{nodes, leaves, leaf_of, ends, facts}, NodeBytes::small};

    // Feature 0 splits off leaf 0; feature 1 splits leaves 1 and 2.
    void keep(const Window& window, std::vector<std::uint8_t> ids) {
        std::vector<std::byte> grown(2 * 6);
        write_node(NodeBytes::small, grown.data(), 0, {{0.5F, 0, false, false}, 0});
        write_node(NodeBytes::small, grown.data(), 1, {{0.5F, 1, false, false}, 0});
        last.keep(window, grown.data(), 2, std::vector<std::byte>(8).data(),
                  LeafIds(reinterpret_cast<std::byte*>(ids.data()), false));
    }
};

}  // namespace

TEST_CASE("before the first shrub there is nothing to take over") {
    WindowHolder holder(6, {0, 0});
    holder.add({0.0F, 0.0F}, 0);
    Kept kept;
    kept.last.forget();
    CHECK(!kept.last.begin(holder.window()).exists());
    CHECK(!LastShrub().is_kept());
}

TEST_CASE("the sides of a subtree are found as long as the features are the same") {
    WindowHolder holder(6, {0, 0});
    for (int i = 0; i < 5; ++i) {
        holder.add({0.0F, 0.0F}, 0);
    }
    Kept kept;
    kept.keep(holder.window(), {0, 1, 2, 2, 0, 9});
    const Subtree all = kept.last.begin(holder.window());
    CHECK_EQ(kept.last.n_examples(all), 5U);
    CHECK(!kept.last.sides(all, 1).left.exists());
    const auto [left, right] = kept.last.sides(all, 0);
    CHECK_EQ(left.n_leaves(), 1U);
    CHECK_EQ(kept.last.n_examples(left), 2U);
    CHECK(kept.last.contains(left, 0) && kept.last.contains(left, 4));
    CHECK(!kept.last.contains(left, 1));
    CHECK_EQ(right.n_leaves(), 2U);
    CHECK_EQ(kept.last.n_examples(right), 3U);
    CHECK_EQ(kept.last.n_examples(kept.last.sides(right, 1).right), 2U);
    CHECK(!kept.last.sides(left, 0).left.exists());
}

TEST_CASE("examples that came after the last shrub are in none of its leaves") {
    WindowHolder holder(6, {0, 0});
    for (int i = 0; i < 6; ++i) {
        holder.add({0.0F, 0.0F}, 0);
    }
    Kept kept;
    kept.keep(holder.window(), {0, 1, 2, 2, 0, 1});
    const std::uint32_t slot = holder.add({0.0F, 0.0F}, 0);
    const Subtree all = kept.last.begin(holder.window());
    CHECK(!kept.last.contains(all, slot));
    CHECK(kept.last.contains(all, (slot + 1) % 6));
    for (int i = 0; i < 5; ++i) {
        holder.add({0.0F, 0.0F}, 0);
    }
    CHECK(!kept.last.begin(holder.window()).exists());
}
