#include <memory>
#include <vector>

#include "auto_holders.hpp"
#include "shrubs/auto/drifts.hpp"
#include "states.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr AutoKind classes{{Task::classification, 1U << 16U, 1}, {3, 2, 0}};
constexpr AutoKind of_targets{{Task::regression, 1U << 16U, 1}, {3, 0, 0}};

// Feature 0 decides, then feature 1.
std::unique_ptr<AutoHolder> drifted(const AutoKind& kind, int n_examples, int change) {
    auto holder = std::make_unique<AutoHolder>(kind.config, kind.dimensions);
    Random random(5, 0);
    for (int i = 0; i < n_examples; ++i) {
        std::vector<float> x(3);
        for (float& value : x) {
            value = static_cast<float>(random.below(1U << 20U)) * 0x1p-20F;
        }
        const float decides = x[i < change ? 0 : 1];
        Example example{.x = x};
        if (kind.config.task == Task::regression) {
            example.target = decides;
        } else {
            example.label = decides > 0.5F ? 1 : 0;
        }
        holder->ensemble().learn(example);
    }
    return holder;
}

}  // namespace

TEST_CASE("a change of concept is noticed, with what mattered before and after") {
    for (const AutoKind& kind : {classes, of_targets}) {
        const auto holder = drifted(kind, 3000, 1500);
        const Drifts& drifts = holder->ensemble().drifts();
        CHECK_EQ(drifts.n_noticed(), 1U);
        CHECK(drifts[0].noticed > 1500 && drifts[0].noticed <= 1700);
        CHECK(drifts[0].began > 1480 && drifts[0].began <= drifts[0].noticed);
        CHECK_EQ(drifts[0].before.importances[0].feature, 0);
        CHECK_EQ(drifts[0].after.importances[0].feature, 1);
        CHECK(drifts[0].before.rules[0].weight > 0.0F);
        CHECK(holder->fences_stand());
    }
}

TEST_CASE("it is calm once the past is known, but not when the concept changes") {
    for (const AutoKind& kind : {classes, of_targets}) {
        const auto is_calm = [&](int n_examples) {
            return drifted(kind, n_examples, 800)->ensemble().drifts().is_calm();
        };
        CHECK(!is_calm(250));
        CHECK(is_calm(750));
        CHECK(!is_calm(840));
    }
}

TEST_CASE("classes that come in runs are no change of concept") {
    const AutoKind kind{{Task::classification, 1U << 16U, 1}, {3, 3, 0}};
    AutoHolder holder(kind.config, kind.dimensions);
    Random random(6, 0);
    for (int i = 0; i < 12000; ++i) {
        const auto label = static_cast<std::uint16_t>(i / 400 % 3);
        std::vector<float> x(3);
        for (float& value : x) {
            value = static_cast<float>(random.below(1U << 20U)) * 0x1p-20F;
        }
        x[label] += 0.5F;
        holder.ensemble().learn({.x = x, .label = label});
    }
    CHECK_EQ(holder.ensemble().drifts().n_noticed(), 0U);
}

TEST_CASE("a class that comes back after a long run of another is no change of concept") {
    const AutoKind kind{{Task::classification, 1U << 20U, 1}, {4, 2, 0}};
    AutoHolder holder(kind.config, kind.dimensions);
    Random random(7, 0);
    for (int i = 0; i < 30000; ++i) {
        // Short runs let the past know both classes well; then one of them stays away.
        const int length = i < 10000 ? 100 : 5000;
        const auto label = static_cast<std::uint16_t>(i / length % 2);
        std::vector<float> x(4);
        for (float& value : x) {
            value = static_cast<float>(random.below(1U << 20U)) * 0x1p-20F;
        }
        x[label] += 0.5F;
        holder.ensemble().learn({.x = x, .label = label});
    }
    CHECK_EQ(holder.ensemble().drifts().n_noticed(), 0U);
}

TEST_CASE("a concept that stays is left alone") {
    for (const AutoKind& kind : {classes, of_targets}) {
        CHECK_EQ(drifted(kind, 5000, 5000)->ensemble().drifts().n_noticed(), 0U);
    }
}

TEST_CASE("drifts survive saving and moving, and forget what the learner forgets") {
    for (const AutoKind& kind : {classes, of_targets}) {
        const auto holder = drifted(kind, 3000, 1500);
        const auto state = state_of(holder->ensemble());
        const auto same = auto_loaded(state);
        CHECK(same != nullptr && state_of(same->ensemble()) == state);

        AutoKind larger = kind;
        larger.dimensions.n_features = 5;
        AutoHolder moved(larger.config, larger.dimensions);
        moved.ensemble().copy_from(holder->ensemble());
        moved.ensemble().forget_feature(1);
        const Drifts& drifts = moved.ensemble().drifts();
        CHECK_EQ(drifts[0].noticed, holder->ensemble().drifts()[0].noticed);
        CHECK_EQ(drifts[0].before.importances[0].feature, 0);
        CHECK(drifts[0].after.importances[0].share == 0.0F);
    }
}

TEST_CASE("little memory remembers no drift") {
    CHECK_EQ(Drifts::n_remembered(8192), 0U);
    CHECK_EQ(Drifts::n_remembered(1U << 20U), Drifts::max_remembered);
}
