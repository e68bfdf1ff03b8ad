#pragma once

// What holds for every learner that needs no tuning between two calls.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "auto_holders.hpp"
#include "testing.hpp"

namespace shrubs {

inline void check_auto_weights(const AutoEnsemble& ensemble) {
    const PlanInUse& plan = ensemble.plan();
    double sum = 0.0;
    std::uint32_t n_grown = 0;
    for (std::uint32_t expert = 0; expert < plan.n_experts; ++expert) {
        if (expert >= plan.n_places || ensemble.shrubs().is_grown(expert)) {
            const double weight = ensemble.weight(expert);
            CHECK(weight >= 0.0 && weight <= 1.0 + 1e-9);
            sum += weight;
            n_grown += expert < plan.n_places ? 1 : 0;
        }
    }
    CHECK_EQ(ensemble.n_shrubs(), n_grown);
    CHECK(sum == 0.0 || std::abs(sum - 1.0) < 1e-9);
}

inline std::uint32_t checked_auto_depth(const AutoEnsemble& ensemble, std::uint32_t place,
                                        std::uint32_t first, std::uint32_t n) {
    if (n == 0) {
        return 0;
    }
    const NewShrub shrub = ensemble.shrubs().shrub(place);
    const Node node = read_node(shrub.node_bytes, shrub.nodes, first);
    CHECK(node.n_left < n);
    const std::uint32_t n_features = ensemble.dimensions().n_features;
    const bool recalls = ensemble.shrubs().group_of(place).recalls;
    CHECK(node.split.feature < n_features + (recalls ? recalled_features : 0));
    CHECK_EQ(node.split.nominal, node.split.feature < n_features
                                     ? ensemble.nominal()[node.split.feature] != 0
                                     : ensemble.task() == Task::classification);
    return 1 + std::max(checked_auto_depth(ensemble, place, first + 1, node.n_left),
                        checked_auto_depth(ensemble, place, first + 1 + node.n_left,
                                           n - 1 - node.n_left));
}

inline void check_auto_shrubs(const AutoEnsemble& ensemble) {
    for (std::uint32_t place = 0; place < ensemble.plan().n_places; ++place) {
        if (!ensemble.shrubs().is_grown(place)) {
            continue;
        }
        const std::uint32_t n_inner = ensemble.shrubs().n_inner(place);
        CHECK(n_inner < ensemble.shrubs().group_of(place).max_leaves);
        CHECK(checked_auto_depth(ensemble, place, 0, n_inner) <= largest_auto_depth);
        CHECK(ensemble.shrubs().born(place) < ensemble.examples_seen());
        for (std::uint32_t leaf = 0; leaf <= n_inner; ++leaf) {
            if (ensemble.config().task == Task::regression) {
                CHECK(std::isfinite(ensemble.shrubs().averaging_leaves(place).mean(leaf)));
            } else {
                CHECK(ensemble.shrubs().counting_leaves(place).is_valid(leaf));
            }
        }
    }
}

inline void check_auto_prediction(const AutoEnsemble& ensemble, const std::vector<float>& x) {
    if (ensemble.config().task == Task::regression) {
        CHECK(std::isfinite(predicted_value(ensemble, x)));
        return;
    }
    std::vector<double> f(ensemble.dimensions().n_classes, -1.0);
    ensemble.predict(x, f);
    CHECK(std::ranges::all_of(f, [](double p) { return p >= 0.0 && p <= 1.0 + 1e-6; }));
    CHECK(f.empty() || std::abs(std::accumulate(f.begin(), f.end(), 0.0) - 1.0) < 1e-5);
}

inline void check_auto_invariants(AutoHolder& holder) {
    check_auto_weights(holder.ensemble());
    check_auto_shrubs(holder.ensemble());
    check_auto_prediction(holder.ensemble(),
                          std::vector<float>(holder.ensemble().dimensions().n_features, 0.5F));
    CHECK(holder.fences_stand());
}

}  // namespace shrubs
