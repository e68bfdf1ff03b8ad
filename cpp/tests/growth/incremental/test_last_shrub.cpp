#include <algorithm>
#include <vector>

#include "holders.hpp"
#include "shrubs/growth/incremental/last_shrub.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// Memory for a last shrub of at most eight leaves.
struct Kept {
    std::vector<std::byte> nodes = std::vector<std::byte>(7 * 6);
    std::vector<std::byte> leaves = std::vector<std::byte>(8);
    std::vector<std::uint16_t> middles = std::vector<std::uint16_t>(7);
    std::vector<std::uint16_t> leaf_of = std::vector<std::uint16_t>(6);
    std::vector<std::uint16_t> ends = std::vector<std::uint16_t>(9);
    std::vector<std::uint16_t> new_leaf = std::vector<std::uint16_t>(9);
    std::vector<std::uint16_t> new_sizes = std::vector<std::uint16_t>(8);
    std::vector<std::uint64_t> facts = std::vector<std::uint64_t>(2);
    LastShrub last{{nodes, leaves, middles, leaf_of, ends, new_leaf, new_sizes, facts},
                   NodeBytes::small};
    Changes changes;

    Kept() { last.forget(); }

    // Feature 0 splits off leaf 0 at 0.5; feature 1 splits leaves 1 and 2.
    void keep(const Window& window, std::vector<std::uint8_t> ids) {
        CHECK(!last.begin(window, changes).exists());
        std::vector<std::byte> grown(2 * 6);
        const std::vector<std::uint16_t> grown_middles = {4, 2};
        write_node(NodeBytes::small, grown.data(), 0, {{0.5F, 0, false, false}, 0});
        write_node(NodeBytes::small, grown.data(), 1, {{0.5F, 1, false, false}, 0});
        for (std::uint32_t leaf = 0; leaf < 3; ++leaf) {
            last.set_size(leaf, static_cast<std::uint32_t>(std::ranges::count(ids, leaf)));
        }
        last.keep(window, {grown.data(), std::vector<std::byte>(8).data(), grown_middles.data(), 2},
                  LeafIds(reinterpret_cast<std::byte*>(ids.data()), false));
    }
    LastShrub::Sides sides(const Window& window, const Subtree& subtree, std::uint32_t feature,
                           float threshold, std::uint32_t n_left) const {
        return last.sides(subtree, changes, window, {threshold, feature, false, false}, n_left);
    }
};

// Two examples go left by feature 0, one of the others by feature 1.
void fill(WindowHolder& holder) {
    for (const auto& x : std::vector<std::vector<float>>{
             {0.1F, 0.0F}, {0.7F, 0.3F}, {0.8F, 0.9F}, {0.9F, 0.8F}, {0.2F, 0.0F}}) {
        holder.add(x, 0);
    }
}

}  // namespace

TEST_CASE("before the first shrub there is nothing to take over") {
    WindowHolder holder(6, {0, 0});
    holder.add({0.0F, 0.0F}, 0);
    Kept kept;
    CHECK(!kept.last.begin(holder.window(), kept.changes).exists());
    CHECK(!LastShrub().is_kept());
}

TEST_CASE("sides are found while a split separates in the same way") {
    WindowHolder holder(6, {0, 0});
    fill(holder);
    const Window& window = holder.window();
    Kept kept;
    kept.keep(window, {0, 1, 2, 2, 0});
    const Subtree all = kept.last.begin(window, kept.changes);
    CHECK(all.is_same());
    CHECK_EQ(kept.last.n_examples(all), 5U);
    CHECK_EQ(kept.last.middle(all), 4U);
    CHECK(!kept.sides(window, all, 1, 0.5F, 3).left.exists());
    CHECK(!kept.sides(window, all, 0, 0.15F, 1).left.exists());
    // Another threshold between the same examples is the same split.
    const auto [left, right] = kept.sides(window, all, 0, 0.6F, 2);
    CHECK(left.is_same() && right.is_same());
    CHECK_EQ(left.n_leaves(), 1U);
    CHECK_EQ(kept.last.n_examples(left), 2U);
    CHECK_EQ(right.n_leaves(), 2U);
    CHECK_EQ(kept.last.n_examples(right), 3U);
    CHECK_EQ(kept.last.middle(right), 2U);
    CHECK_EQ(kept.last.n_examples(kept.sides(window, right, 1, 0.5F, 1).right), 2U);
    CHECK(!kept.sides(window, left, 0, 0.15F, 1).left.exists());
}

TEST_CASE("changes are told by the leaf they left and the side they go to") {
    WindowHolder holder(5, {0, 0});
    fill(holder);
    Kept kept;
    kept.keep(holder.window(), {0, 1, 2, 2, 0});
    // Slot 0 was in leaf 0 and is now on the right.
    holder.add({0.95F, 0.1F}, 0);
    const Window& window = holder.window();
    const Subtree all = kept.last.begin(window, kept.changes);
    CHECK(all.exists() && !all.is_same());
    CHECK_EQ(kept.changes.n, 1U);
    CHECK_EQ(kept.changes.slots[0], 0U);
    // One example that stayed is on the left.
    const auto [left, right] = kept.sides(window, all, 0, 0.5F, 1);
    CHECK(left.gone == 1 && left.come == 0 && left.n_changes() == 1);
    CHECK(right.gone == 0 && right.come == 1 && right.n_come == 1);
    const auto [lower, upper] = kept.sides(window, right, 1, 0.5F, 2);
    CHECK(lower.come == 1);
    CHECK(upper.is_same());
    CHECK(!kept.sides(window, right, 1, 0.85F, 3).left.exists());
}

TEST_CASE("while the window fills examples come and none is gone") {
    WindowHolder holder(6, {0, 0});
    fill(holder);
    Kept kept;
    kept.keep(holder.window(), {0, 1, 2, 2, 0, 9});
    holder.add({0.3F, 0.0F}, 0);
    holder.add({0.4F, 0.0F}, 0);
    // The first of the two took the free slot, the second that of the oldest example.
    const Subtree all = kept.last.begin(holder.window(), kept.changes);
    CHECK_EQ(kept.changes.slots[0], 0U);
    CHECK_EQ(kept.changes.slots[1], 5U);
    CHECK(all.gone == 1 && all.come == 3);
    CHECK(all.n_gone == 1 && all.n_come == 2);
}

TEST_CASE("leaves that are taken over are renumbered, examples of others keep their own") {
    WindowHolder holder(5, {0, 0});
    fill(holder);
    Kept kept;
    kept.keep(holder.window(), {0, 1, 2, 2, 0});
    const Subtree all = kept.last.begin(holder.window(), kept.changes);
    const Subtree right = kept.sides(holder.window(), all, 0, 0.5F, 2).right;
    // Leaf 0 has become two, so leaves 1 and 2 are now 2 and 3.
    std::vector<std::uint8_t> ids = {1, 77, 77, 77, 0};
    kept.last.take_leaves(right, 2);
    kept.last.set_size(0, 1);
    kept.last.set_size(1, 1);
    std::vector<std::byte> nodes(7 * 6);
    std::vector<std::uint16_t> middles(7);
    kept.last.copy_nodes(right, nodes.data(), middles.data());
    CHECK_EQ(middles[0], 2U);
    kept.last.keep(holder.window(), {nodes.data(), kept.leaves.data(), middles.data(), 3},
                   LeafIds(reinterpret_cast<std::byte*>(ids.data()), false));
    CHECK(ids == std::vector<std::uint8_t>({1, 2, 3, 3, 0}));
    CHECK_EQ(kept.last.n_examples(kept.last.begin(holder.window(), kept.changes)), 5U);
}

TEST_CASE("after too many changes nothing is taken over") {
    WindowHolder holder(6, {0, 0});
    for (int i = 0; i < 6; ++i) {
        holder.add({0.0F, 0.0F}, 0);
    }
    Kept kept;
    kept.keep(holder.window(), {0, 1, 2, 2, 0, 1});
    for (int i = 0; i < 6; ++i) {
        holder.add({0.0F, 0.0F}, 0);
    }
    CHECK(!kept.last.begin(holder.window(), kept.changes).exists());
}
