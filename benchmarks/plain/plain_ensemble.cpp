#include "plain_ensemble.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "shrubs/paper/prox.hpp"
#include "shrubs/tree/leaf.hpp"

namespace shrubs::plain {

std::vector<double> PlainEnsemble::predict(std::span<const float> x) const {
    const std::size_t n_classes = dimensions_.n_classes;
    if (state_.shrubs.empty()) {
        return std::vector<double>(n_classes, 1.0 / static_cast<double>(n_classes));
    }
    std::vector<double> f(n_classes, 0.0);
    for (std::size_t i = 0; i < state_.shrubs.size(); ++i) {
        const auto h = state_.shrubs[i].predict(x);
        for (std::size_t c = 0; c < n_classes; ++c) {
            f[c] += state_.weights[i] * h[c];
        }
    }
    // The weights may sum to a little more than one.
    for (double& probability : f) {
        probability = std::min(probability, 1.0);
    }
    return f;
}

void PlainEnsemble::learn(std::span<const float> x, std::uint16_t label) {
    if (state_.window.size() == config_.window_size) {
        state_.window.erase(state_.window.begin());
    }
    state_.window.push_back({{x.begin(), x.end()}, label});
    state_.shrubs.push_back(grow_plain(state_.window, config_, dimensions_, state_.examples_seen));
    state_.weights.push_back(0.0);
    for (std::uint32_t step = 0; step < config_.steps_per_example; ++step) {
        const std::vector<double> gradient =
            gradient_ == Gradient::floating ? floating_gradient() : exact_gradient();
        for (std::size_t i = 0; i < state_.weights.size(); ++i) {
            state_.weights[i] -= config_.step_size * gradient[i];
        }
        project();
    }
    prune();
    ++state_.examples_seen;
}

std::vector<double> PlainEnsemble::floating_gradient() const {
    const std::size_t n_classes = dimensions_.n_classes;
    std::vector<double> gradient(state_.shrubs.size(), 0.0);
    std::vector<double> error(n_classes);
    std::vector<const double*> h(state_.shrubs.size());
    for (const LabelledExample& example : state_.window) {
        error.assign(n_classes, 0.0);
        for (std::size_t i = 0; i < state_.shrubs.size(); ++i) {
            h[i] = state_.shrubs[i].predict(example.x).data();
            for (std::size_t c = 0; c < n_classes; ++c) {
                error[c] += state_.weights[i] * h[i][c];
            }
        }
        error[example.label] -= 1.0;
        for (std::size_t i = 0; i < state_.shrubs.size(); ++i) {
            for (std::size_t c = 0; c < n_classes; ++c) {
                gradient[i] += error[c] * h[i][c];
            }
        }
    }
    const double factor =
        2.0 / (static_cast<double>(state_.window.size()) * static_cast<double>(n_classes));
    for (double& entry : gradient) {
        entry *= factor;
    }
    return gradient;
}

std::vector<double> PlainEnsemble::exact_gradient() const {
    const std::size_t n_shrubs = state_.shrubs.size();
    const std::size_t n_classes = dimensions_.n_classes;
    std::vector<std::int64_t> products(n_shrubs * n_shrubs, 0);  // Q
    std::vector<std::int64_t> rights(n_shrubs, 0);               // r
    std::vector<std::int64_t> q(n_shrubs * n_classes);
    for (const LabelledExample& example : state_.window) {
        for (std::size_t i = 0; i < n_shrubs; ++i) {
            const auto h = state_.shrubs[i].predict(example.x);
            for (std::size_t c = 0; c < n_classes; ++c) {
                q[i * n_classes + c] = static_cast<std::int64_t>(h[c] * fixed_one);
            }
            rights[i] += q[i * n_classes + example.label];
        }
        for (std::size_t i = 0; i < n_shrubs; ++i) {
            for (std::size_t k = 0; k < n_shrubs; ++k) {
                for (std::size_t c = 0; c < n_classes; ++c) {
                    products[i * n_shrubs + k] += q[i * n_classes + c] * q[k * n_classes + c];
                }
            }
        }
    }
    const double factor = 2.0 / (static_cast<double>(state_.window.size()) *
                                 static_cast<double>(n_classes) * fixed_one * fixed_one);
    std::vector<double> gradient(n_shrubs, 0.0);
    for (std::size_t i = 0; i < n_shrubs; ++i) {
        for (std::size_t k = 0; k < n_shrubs; ++k) {
            gradient[i] += state_.weights[k] * static_cast<double>(products[i * n_shrubs + k]);
        }
        gradient[i] = (gradient[i] - static_cast<double>(rights[i]) * fixed_one) * factor;
    }
    return gradient;
}

// Sorting M weights is all there is to the prox: the core's own function is as plain as any.
void PlainEnsemble::project() {
    std::vector<std::uint16_t> order(state_.weights.size());
    project_sparse_simplex(state_.weights, config_.max_shrubs, order);
}

void PlainEnsemble::prune() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < state_.shrubs.size(); ++i) {
        if (state_.weights[i] != 0.0) {
            if (kept != i) {
                state_.shrubs[kept] = std::move(state_.shrubs[i]);
                state_.weights[kept] = state_.weights[i];
            }
            ++kept;
        }
    }
    state_.shrubs.resize(kept);
    state_.weights.resize(kept);
}

}  // namespace shrubs::plain
