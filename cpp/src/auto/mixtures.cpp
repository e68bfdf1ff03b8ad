#include "shrubs/auto/mixtures.hpp"

#include <algorithm>

#include "shrubs/numerics/exponential.hpp"

namespace shrubs {

void project_simplex(std::span<double> weights, std::span<double> kept) {
    std::size_t n = weights.size();
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        kept[i] = weights[i];
        sum += weights[i];
    }
    double tau = (sum - 1.0) / static_cast<double>(n);
    // Entries below tau end at zero; without them tau can only rise.
    while (true) {
        std::size_t n_kept = 0;
        sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            if (kept[i] > tau) {
                sum += kept[i];
                kept[n_kept++] = kept[i];
            }
        }
        if (n_kept == n || n_kept == 0) {
            break;
        }
        n = n_kept;
        tau = (sum - 1.0) / static_cast<double>(n);
    }
    for (double& weight : weights) {
        weight = weight > tau ? weight - tau : 0.0;
    }
}

Mixtures::Memory Mixtures::reserve(Arena& arena, std::uint64_t n_experts, std::uint64_t width) {
    return {.weights = arena.array<double>(Purpose::weights, n_mixtures * n_experts),
            .losses = arena.array<double>(Purpose::weights, n_mixtures),
            .predictions = arena.array<double>(Purpose::scratch, n_mixtures * width),
            .descended = arena.array<double>(Purpose::scratch, n_experts),
            .kept = arena.array<double>(Purpose::scratch, n_experts)};
}

void Mixtures::begin() {
    std::ranges::fill(memory_.weights, 1.0 / static_cast<double>(n_experts_));
    std::ranges::fill(memory_.losses, 0.0);
    update_shares();
}

void Mixtures::update_shares() {
    const double least = *std::ranges::min_element(memory_.losses);
    double sum = 0.0;
    for (std::size_t k = 0; k < n_mixtures; ++k) {
        shares_[k] = exponential(-mixture_rate * (memory_.losses[k] - least));
        sum += shares_[k];
    }
    for (double& share : shares_) {
        share /= sum;
    }
}

double Mixtures::total(std::size_t k, Present present) const {
    double sum = 0.0;
    for (const std::uint16_t i : present) {
        sum += memory_.weights[k * n_experts_ + i];
    }
    return sum;
}

void Mixtures::restore(Present present) {
    for (std::size_t k = 0; k < n_mixtures; ++k) {
        if (!(total(k, present) > 0.0)) {
            for (const std::uint16_t i : present) {
                memory_.weights[k * n_experts_ + i] = 1.0 / static_cast<double>(present.size());
            }
        }
    }
}

void Mixtures::mix(std::span<const float> experts, Present present, std::span<double> f) const {
    std::ranges::fill(f, 0.0);
    for (std::size_t k = 0; k < n_mixtures; ++k) {
        const double* weights = memory_.weights.data() + k * n_experts_;
        const double sum = total(k, present);
        const std::span<double> mixture = memory_.predictions.subspan(k * width_, width_);
        std::ranges::fill(mixture, 0.0);
        for (const std::uint16_t i : present) {
            if (weights[i] > 0.0) {
                const double weight = weights[i] / sum;
                const float* prediction = experts.data() + i * width_;
                for (std::size_t c = 0; c < width_; ++c) {
                    mixture[c] += weight * prediction[c];
                }
            }
        }
        for (std::size_t c = 0; c < width_; ++c) {
            f[c] += shares_[k] * mixture[c];
        }
    }
}

void Mixtures::learn(std::span<const float> experts, Present present,
                     std::span<const double> target) {
    for (std::size_t k = 0; k < n_mixtures; ++k) {
        double* weights = memory_.weights.data() + k * n_experts_;
        const std::span<double> mixture = memory_.predictions.subspan(k * width_, width_);
        memory_.losses[k] = loss_forgetting * memory_.losses[k] +
                            squared_loss(std::span<const double>(mixture), target);
        for (std::size_t c = 0; c < width_; ++c) {
            mixture[c] = 2.0 * auto_step_sizes[k] * (mixture[c] - target[c]);
        }
        const std::span<double> descended = memory_.descended.first(present.size());
        for (std::size_t at = 0; at < present.size(); ++at) {
            const float* prediction = experts.data() + present[at] * width_;
            double step = 0.0;
            for (std::size_t c = 0; c < width_; ++c) {
                step += mixture[c] * prediction[c];
            }
            descended[at] = weights[present[at]] - step;
        }
        project_simplex(descended, memory_.kept);
        for (std::size_t at = 0; at < present.size(); ++at) {
            weights[present[at]] = descended[at];
        }
    }
    update_shares();
}

double Mixtures::weight(std::size_t expert) const {
    double weight = 0.0;
    for (std::size_t k = 0; k < n_mixtures; ++k) {
        weight += shares_[k] * memory_.weights[k * n_experts_ + expert];
    }
    return weight;
}

void Mixtures::forget(std::size_t expert) {
    for (std::size_t k = 0; k < n_mixtures; ++k) {
        memory_.weights[k * n_experts_ + expert] = 0.0;
    }
}

void Mixtures::archive(Archive& archive) {
    archive.array(memory_.weights, [](double weight) { return weight >= 0.0 && weight <= 2.0; });
    archive.array(memory_.losses, is_finite_and_not_negative);
    if (archive.reads() && archive.ok()) {
        update_shares();
    }
}

void Mixtures::copy_weight(const Mixtures& other, std::size_t from, std::size_t to) {
    for (std::size_t k = 0; k < n_mixtures; ++k) {
        memory_.weights[k * n_experts_ + to] = other.weight(k, from);
    }
}

void Mixtures::copy_losses(const Mixtures& other) {
    std::ranges::copy(other.memory_.losses, memory_.losses.begin());
    update_shares();
}

}  // namespace shrubs
