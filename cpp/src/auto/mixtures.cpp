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

std::uint64_t ExpertRanges::n_weights() const {
    std::uint64_t n_experts = 0;
    for (const ExpertRange& range : all()) {
        n_experts += range.n;
    }
    return n_experts * auto_step_sizes.size();
}

Mixtures::Memory Mixtures::reserve(Arena& arena, const ExpertRanges& ranges, std::uint64_t width) {
    const std::uint64_t n_mixtures = ranges.n * n_steps;
    const std::uint64_t n_experts = ranges.ranges[0].n;
    return {.weights = arena.array<float>(Purpose::weights, ranges.n_weights()),
            .losses = arena.array<double>(Purpose::weights, n_mixtures),
            .predictions = arena.array<double>(Purpose::scratch, n_mixtures * width),
            .descended = arena.array<double>(Purpose::scratch, n_experts),
            .kept = arena.array<double>(Purpose::scratch, n_experts)};
}

std::span<float> Mixtures::weights(std::size_t k) const {
    std::size_t begin = 0;
    for (std::size_t r = 0; r < k / n_steps; ++r) {
        begin += ranges_.ranges[r].n * n_steps;
    }
    return memory_.weights.subspan(begin + k % n_steps * range(k).n, range(k).n);
}

Mixtures::Present Mixtures::present_in(std::size_t k, Present present) const {
    const auto begin = std::ranges::lower_bound(present, range(k).first);
    const auto end = std::ranges::lower_bound(present, range(k).first + range(k).n);
    return {begin, end};
}

void Mixtures::begin() {
    for (std::size_t k = 0; k < n_mixtures(); ++k) {
        std::ranges::fill(weights(k), 1.0F / static_cast<float>(range(k).n));
    }
    std::ranges::fill(memory_.losses, 0.0);
    update_shares();
}

void Mixtures::update_shares() {
    const double least = *std::ranges::min_element(memory_.losses);
    // Where all errors are small, so are the differences that matter.
    const double error = std::max((1.0 - loss_forgetting) * least, least_error);
    const double rate = std::max(mixture_rate, width_ == 1 ? target_rate / error : 0.0);
    const std::span<double> shares = std::span(shares_).first(n_mixtures());
    double sum = 0.0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
        shares[k] = exponential(-rate * (memory_.losses[k] - least));
        sum += shares[k];
    }
    for (double& share : shares) {
        share /= sum;
    }
}

double Mixtures::total(std::size_t k, Present present) const {
    const float* weight_of = weights(k).data();
    const std::size_t first = range(k).first;
    double sum = 0.0;
    for (const std::uint16_t i : present) {
        sum += weight_of[i - first];
    }
    return sum;
}

void Mixtures::restore(Present present) {
    for (std::size_t k = 0; k < n_mixtures(); ++k) {
        const Present members = present_in(k, present);
        if (!(total(k, members) > 0.0)) {
            for (const std::uint16_t i : members) {
                weights(k)[i - range(k).first] = 1.0F / static_cast<float>(members.size());
            }
        }
    }
}

void Mixtures::mix(std::span<const float> experts, Present present, std::span<double> f) const {
    std::ranges::fill(f, 0.0);
    for (std::size_t k = 0; k < n_mixtures(); ++k) {
        const Present members = present_in(k, present);
        const float* weight_of = weights(k).data();
        const std::size_t first = range(k).first;
        const double sum = total(k, members);
        const std::span<double> mixture = prediction(k);
        std::ranges::fill(mixture, 0.0);
        for (const std::uint16_t i : members) {
            const float own = weight_of[i - first];
            if (own > 0.0F) {
                const double weight = own / sum;
                const float* said = experts.data() + i * width_;
                for (std::size_t c = 0; c < width_; ++c) {
                    mixture[c] += weight * said[c];
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
    for (std::size_t k = 0; k < n_mixtures(); ++k) {
        const std::span<double> mixture = prediction(k);
        memory_.losses[k] = loss_forgetting * memory_.losses[k] +
                            squared_loss(std::span<const double>(mixture), target);
        for (std::size_t c = 0; c < width_; ++c) {
            mixture[c] = 2.0 * auto_step_sizes[k % n_steps] * (mixture[c] - target[c]);
        }
        const Present members = present_in(k, present);
        if (!members.empty()) {
            step(k, experts, members);
        }
    }
    update_shares();
}

// Against the gradient, which stands where the prediction was.
void Mixtures::step(std::size_t k, std::span<const float> experts, Present present) {
    const std::span<const double> gradient = prediction(k);
    float* weight_of = weights(k).data();
    const std::size_t first = range(k).first;
    const std::span<double> descended = memory_.descended.first(present.size());
    for (std::size_t at = 0; at < present.size(); ++at) {
        const float* said = experts.data() + present[at] * width_;
        double step = 0.0;
        for (std::size_t c = 0; c < width_; ++c) {
            step += gradient[c] * said[c];
        }
        descended[at] = weight_of[present[at] - first] - step;
    }
    project_simplex(descended, memory_.kept);
    for (std::size_t at = 0; at < present.size(); ++at) {
        weight_of[present[at] - first] = static_cast<float>(descended[at]);
    }
}

double Mixtures::weight(std::size_t k, std::size_t expert) const {
    return range(k).contains(expert) ? weights(k)[expert - range(k).first] : 0.0;
}

double Mixtures::weight(std::size_t expert) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < n_mixtures(); ++k) {
        sum += shares_[k] * weight(k, expert);
    }
    return sum;
}

void Mixtures::forget(std::size_t expert) {
    for (std::size_t k = 0; k < n_mixtures(); ++k) {
        if (range(k).contains(expert)) {
            weights(k)[expert - range(k).first] = 0.0F;
        }
    }
}

void Mixtures::archive(Archive& archive) {
    archive.array(memory_.weights, [](float weight) { return weight >= 0.0F && weight <= 2.0F; });
    archive.array(memory_.losses, is_finite_and_not_negative);
    if (archive.reads() && archive.ok()) {
        update_shares();
    }
}

void Mixtures::copy_weight(const Mixtures& other, std::size_t from, std::size_t to) {
    for (std::size_t k = 0; k < n_mixtures(); ++k) {
        if (range(k).contains(to)) {
            weights(k)[to - range(k).first] = static_cast<float>(other.weight(k, from));
        }
    }
}

void Mixtures::copy_losses(const Mixtures& other) {
    const std::size_t n = std::min(n_mixtures(), other.n_mixtures());
    std::ranges::copy(other.memory_.losses.first(n), memory_.losses.begin());
    update_shares();
}

}  // namespace shrubs
