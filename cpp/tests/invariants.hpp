#pragma once

// What holds for every learner between two calls.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "holders.hpp"
#include "shrubs/paper/ensemble.hpp"
#include "testing.hpp"

namespace shrubs {

inline void check_weights(const PaperEnsemble& ensemble) {
    const Members& members = ensemble.members();
    CHECK(members.size() <= ensemble.config().max_shrubs);
    CHECK(members.size() >= (ensemble.examples_seen() == 0 ? 0U : 1U));
    double sum = 0.0;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        CHECK(members.weights()[i] > 0.0);
        sum += members.weights()[i];
    }
    CHECK(members.size() == 0 || std::abs(sum - 1.0) < 1e-6);
}

/// Inner nodes on the longest path of a subtree; every node must count its left side rightly.
inline std::uint32_t checked_depth(const PaperEnsemble& ensemble, std::uint32_t i,
                                   std::uint32_t first, std::uint32_t n) {
    const Members& members = ensemble.members();
    std::uint32_t deepest = 0;
    // To the right in a loop, to the left by recursion.
    for (std::uint32_t depth = 1; n > 0; ++depth) {
        const Node node = read_node(members.node_bytes(), members.nodes(i), first);
        CHECK(node.n_left < n);
        CHECK(node.split.feature < ensemble.dimensions().n_features);
        CHECK_EQ(node.split.nominal, ensemble.nominal()[node.split.feature] != 0);
        deepest = std::max(deepest, depth + checked_depth(ensemble, i, first + 1, node.n_left));
        first += 1 + node.n_left;
        n -= 1 + node.n_left;
    }
    return deepest;
}

inline void check_leaf(const PaperEnsemble& ensemble, std::uint32_t i, std::uint32_t leaf) {
    const Members& members = ensemble.members();
    if (ensemble.config().task == Task::regression) {
        CHECK(std::isfinite(members.layout().value(members.leaves(i), leaf)));
        return;
    }
    std::vector<std::int32_t> q(ensemble.dimensions().n_classes);
    members.layout().get_distribution(members.leaves(i), leaf, q);
    CHECK_EQ(std::accumulate(q.begin(), q.end(), std::int64_t{0}), fixed_one);
    CHECK(std::ranges::min(q) >= 0);
}

inline void check_shrubs(const PaperEnsemble& ensemble) {
    const Members& members = ensemble.members();
    const Config& config = ensemble.config();
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        CHECK(members.n_inner(i) < config.window_size);
        CHECK(checked_depth(ensemble, i, 0, members.n_inner(i)) <= config.max_depth);
        for (std::uint32_t leaf = 0; leaf <= members.n_inner(i); ++leaf) {
            check_leaf(ensemble, i, leaf);
        }
    }
}

inline void check_window(const PaperEnsemble& ensemble) {
    const Window& window = ensemble.window();
    const Members& members = ensemble.members();
    CHECK(window.size() <= ensemble.config().window_size);
    std::vector<float> x(window.n_features());
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        window.copy_example(slot, x);
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            CHECK_EQ(members.leaf_ids(i).get(slot), members.find_leaf(i, x));
        }
    }
}

inline void check_prediction(const PaperEnsemble& ensemble, const std::vector<float>& x) {
    if (ensemble.config().task == Task::regression) {
        CHECK(std::isfinite(predicted_value(ensemble, x)));
        return;
    }
    std::vector<double> f(ensemble.dimensions().n_classes, -1.0);
    ensemble.predict(x, f);
    CHECK(std::ranges::all_of(f, [](double p) { return p >= 0.0 && p <= 1.0; }));
    CHECK(f.empty() || std::abs(std::accumulate(f.begin(), f.end(), 0.0) - 1.0) < 1e-6);
}

inline void check_invariants(const PaperEnsemble& ensemble) {
    check_weights(ensemble);
    check_shrubs(ensemble);
    check_window(ensemble);
    check_prediction(ensemble, std::vector<float>(ensemble.dimensions().n_features, 0.5F));
}

}  // namespace shrubs
