#include <algorithm>
#include <vector>

#include "states.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr Dimensions three_of_three{3, 3, 3};

TreeConfig small_tree(bool only_on_error) {
    return {.only_on_error = only_on_error, .window_size = 20};
}

void teach(TreeHolder& holder, std::uint64_t seed, int n_examples) {
    ExampleSource source(seed, holder.ensemble().dimensions(), 7);
    for (int i = 0; i < n_examples; ++i) {
        holder.ensemble().learn(source.next());
    }
}

}  // namespace

TEST_CASE("a tree that is always grown is the newest one") {
    TreeHolder holder(small_tree(false), three_of_three);
    ExampleSource source(11, three_of_three);
    for (std::uint64_t i = 0; i < 50; ++i) {
        holder.scribble_over_scratch();
        holder.ensemble().learn(source.next());
        CHECK_EQ(holder.ensemble().members().size(), 1U);
        CHECK_EQ(holder.ensemble().members().born(0), i);
        CHECK_EQ(holder.ensemble().examples_seen(), i + 1);
    }
}

TEST_CASE("a tree that is grown on errors stays while it is right") {
    TreeHolder holder(small_tree(true), three_of_three);
    ExampleSource source(12, three_of_three);
    std::vector<double> f(3);
    std::uint64_t born = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const Example example = source.next();
        holder.ensemble().predict(example.x, f);
        const auto predicted = std::ranges::max_element(f) - f.begin();
        born = i == 0 || predicted != example.label ? i : born;
        holder.ensemble().learn(example);
        CHECK_EQ(holder.ensemble().members().born(0), born);
        CHECK_EQ(holder.ensemble().members().weights()[0], 1.0);
    }
}

TEST_CASE("before the first example a tree predicts uniformly") {
    TreeHolder holder(small_tree(true), three_of_three);
    std::vector<double> f(3);
    holder.ensemble().predict(std::vector<float>(3), f);
    CHECK_EQ(f, std::vector<double>(3, 1.0 / 3.0));
}

TEST_CASE("a tree that is loaded is saved as the same bytes and learns on alike") {
    for (const bool only_on_error : {false, true}) {
        for (const int n_examples : {0, 1, 19, 60}) {
            TreeHolder holder(small_tree(only_on_error), three_of_three, {0, 0, 1});
            teach(holder, 13, n_examples);
            const auto state = state_of(holder.ensemble());
            const auto copy = loaded<WindowedTree>(state);
            CHECK(copy != nullptr && state_of(copy->ensemble()) == state);
            teach(holder, 14, 30);
            teach(*copy, 14, 30);
            CHECK(state_of(holder.ensemble()) == state_of(copy->ensemble()));
        }
    }
}

TEST_CASE("a tree with more features and classes goes on with what it knows") {
    TreeHolder holder(small_tree(true), three_of_three);
    teach(holder, 15, 60);
    const auto wider = copied(holder, {5, 4, 5});
    std::vector<double> f(3);
    std::vector<double> g(4);
    ExampleSource source(16, three_of_three);
    for (int i = 0; i < 50; ++i) {
        const Example example = source.next();
        std::vector<float> wide(example.x.begin(), example.x.end());
        wide.resize(5, missing);
        holder.ensemble().predict(example.x, f);
        wider->ensemble().predict(wide, g);
        CHECK(std::ranges::equal(f, std::span(g).first(3)) && g[3] == 0.0);
    }
    teach(*wider, 17, 100);
}

TEST_CASE("tampered states of a tree are refused or used") {
    TreeHolder holder(small_tree(true), three_of_three, {0, 1, 0});
    teach(holder, 18, 40);
    const auto state = state_of(holder.ensemble());
    for (std::size_t at = 0; at < state.size(); ++at) {
        for (const std::uint8_t flip : {0x01, 0x80, 0xFF}) {
            auto tampered = state;
            tampered[at] ^= std::byte{flip};
            seal(tampered);
            if (const auto copy = loaded<WindowedTree>(tampered, std::size_t{1} << 20U)) {
                if (copy->ensemble().dimensions().n_classes > 0) {
                    teach(*copy, 19, 3);
                }
            }
        }
    }
}

TEST_CASE("a tree is for classes, and its limits are those of growing") {
    CHECK(is_valid(TreeConfig{}, three_of_three));
    CHECK(!is_valid(TreeConfig{.window_size = 0}, three_of_three));
    CHECK(!is_valid(TreeConfig{.max_depth = 0}, three_of_three));
    CHECK(!is_valid(TreeConfig{.min_samples_leaf = 0}, three_of_three));
    CHECK(!is_valid(TreeConfig{}, {2, 2, 0}));
}
