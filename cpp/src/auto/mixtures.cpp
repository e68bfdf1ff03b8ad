#include "shrubs/auto/mixtures.hpp"

#include <algorithm>

#include "shrubs/numerics/exponential.hpp"

namespace shrubs {

// Counted from the largest, which keeps at most one: tau is at least -1. Entries below it end at
// zero; without them it can only rise.
void project_simplex(std::span<float> weights) {
    constexpr std::size_t step = FourFloats::size;
    float* const end = weights.data() + weights.size();
    auto largest = FourFloats::load(weights.data());
    for (const float* at = weights.data(); at < end; at += step) {
        largest = FourFloats::larger(FourFloats::load(at), largest);
    }
    const auto one = FourFloats::all(1.0F);
    auto tau = FourFloats::all(-1.0F);
    for (bool rises = true; rises;) {
        auto sum = FourFloats::all(0.0F);
        auto n = FourFloats::all(0.0F);
        for (const float* at = weights.data(); at < end; at += step) {
            const auto weight = FourFloats::load(at) - largest;
            sum = sum + FourFloats::if_above(weight, tau, weight);
            n = n + FourFloats::if_above(weight, tau, one);
        }
        const auto next = FourFloats::larger((sum - one) / n, tau);
        rises = FourFloats::where_at_most(next, tau) != FourFloats::everywhere;
        tau = next;
    }
    for (float* at = weights.data(); at < end; at += step) {
        const auto weight = FourFloats::load(at) - largest;
        FourFloats::if_above(weight, tau, weight - tau).store(at);
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
    constexpr Purpose scratch = Purpose::scratch;
    return {.weights = arena.array<float>(Purpose::weights, ranges.n_weights()),
            .losses = arena.array<double>(Purpose::weights, ranges.n * n_steps),
            .shares = arena.array<double>(Purpose::weights, ranges.n * n_steps),
            .predictions = arena.array<float>(scratch, ranges.n * width * n_steps),
            .descended = arena.array<float>(scratch, std::uint64_t{ranges.ranges[0].n} * n_steps)};
}

std::span<float> Mixtures::weights(std::size_t r) const {
    std::size_t begin = 0;
    for (const ExpertRange& range : ranges_.all().first(r)) {
        begin += range.n;
    }
    return memory_.weights.subspan(begin * n_steps, ranges_.ranges[r].n * n_steps);
}

std::span<float> Mixtures::weights(std::size_t r, std::size_t expert) const {
    return weights(r).subspan((expert - ranges_.ranges[r].first) * n_steps, n_steps);
}

Mixtures::Present Mixtures::present_in(std::size_t r, Present present) const {
    const ExpertRange& range = ranges_.ranges[r];
    const auto begin = std::ranges::lower_bound(present, range.first);
    const auto end = std::ranges::lower_bound(present, range.first + range.n);
    return {begin, end};
}

void Mixtures::begin() {
    for (std::size_t r = 0; r < ranges_.n; ++r) {
        std::ranges::fill(weights(r), 1.0F / static_cast<float>(ranges_.ranges[r].n));
    }
    std::ranges::fill(memory_.losses, 0.0);
    update_shares();
}

void Mixtures::update_shares() {
    const double least = *std::ranges::min_element(memory_.losses);
    // Where all errors are small, so are the differences that matter.
    const double error = std::max((1.0 - loss_forgetting) * least, least_error);
    const double rate = std::max(mixture_rate, width_ == 1 ? target_rate / error : 0.0);
    const std::span<double> shares = memory_.shares;
    double sum = 0.0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
        shares[k] = exponential(-rate * (memory_.losses[k] - least));
        sum += shares[k];
    }
    for (double& share : shares) {
        share /= sum;
    }
}

FourFloats Mixtures::total(std::size_t r, Present present) const {
    const float* const weight_of = weights(r).data();
    const std::size_t first = ranges_.ranges[r].first;
    auto sum = FourFloats::all(0.0F);
    for (const std::uint16_t i : present) {
        sum = sum + FourFloats::load(weight_of + (i - first) * n_steps);
    }
    return sum;
}

void Mixtures::restore(Present present) {
    for (std::size_t r = 0; r < ranges_.n; ++r) {
        const Present members = present_in(r, present);
        const std::uint32_t lost =
            FourFloats::where_at_most(total(r, members), FourFloats::all(0.0F));
        for (std::size_t step = 0; step < n_steps; ++step) {
            for (std::size_t at = 0; at < members.size() && (lost >> step & 1U) != 0; ++at) {
                weights(r, members[at])[step] = 1.0F / static_cast<float>(members.size());
            }
        }
    }
}

void Mixtures::mix(std::span<const float> experts, Present present, std::span<double> f) const {
    std::ranges::fill(f, 0.0);
    std::ranges::fill(memory_.predictions, 0.0F);
    for (std::size_t r = 0; r < ranges_.n; ++r) {
        const Present members = present_in(r, present);
        const FourFloats sum = total(r, members);
        const float* const weight_of = weights(r).data();
        const std::size_t first = ranges_.ranges[r].first;
        float* const mixture = predictions(r);
        for (const std::uint16_t i : members) {
            const auto weight = FourFloats::load(weight_of + (i - first) * n_steps) / sum;
            const float* const said = experts.data() + i * width_;
            for (std::size_t c = 0; c < width_; ++c) {
                float* const at = mixture + c * n_steps;
                (FourFloats::load(at) + weight * FourFloats::all(said[c])).store(at);
            }
        }
        for (std::size_t step = 0; step < n_steps; ++step) {
            for (std::size_t c = 0; c < width_; ++c) {
                f[c] += memory_.shares[r * n_steps + step] * mixture[c * n_steps + step];
            }
        }
    }
}

void Mixtures::learn(std::span<const float> experts, Present present,
                     std::span<const double> target) {
    for (std::size_t r = 0; r < ranges_.n; ++r) {
        learn_losses(r, target);
        const Present members = present_in(r, present);
        if (!members.empty()) {
            step(r, experts, members);
        }
    }
    update_shares();
}

// What is left of the predictions is their gradient.
void Mixtures::learn_losses(std::size_t r, std::span<const double> target) {
    std::array<float, n_steps> doubled;
    std::ranges::transform(auto_step_sizes, doubled.begin(), [](double size) { return 2 * size; });
    const auto steps = FourFloats::load(doubled.data());
    auto loss = FourFloats::all(0.0F);
    for (std::size_t c = 0; c < width_; ++c) {
        float* const at = predictions(r) + c * n_steps;
        const auto error = FourFloats::load(at) - FourFloats::all(static_cast<float>(target[c]));
        loss = loss + error * error;
        (steps * error).store(at);
    }
    for (std::size_t step = 0; step < n_steps; ++step) {
        double& so_far = memory_.losses[r * n_steps + step];
        so_far = loss_forgetting * so_far + static_cast<double>(loss.of[step]);
    }
}

void Mixtures::step(std::size_t r, std::span<const float> experts, Present present) {
    const float* const gradient = predictions(r);
    float* const weight_of = weights(r).data();
    const std::size_t first = ranges_.ranges[r].first;
    const std::span<float> descended = memory_.descended.first(present.size() * n_steps);
    for (std::size_t at = 0; at < present.size(); ++at) {
        const float* const said = experts.data() + present[at] * width_;
        auto slope = FourFloats::all(0.0F);
        for (std::size_t c = 0; c < width_; ++c) {
            slope = slope + FourFloats::load(gradient + c * n_steps) * FourFloats::all(said[c]);
        }
        (FourFloats::load(weight_of + (present[at] - first) * n_steps) - slope)
            .store(descended.data() + at * n_steps);
    }
    project_simplex(descended);
    for (std::size_t at = 0; at < present.size(); ++at) {
        std::copy_n(descended.data() + at * n_steps, n_steps,
                    weight_of + (present[at] - first) * n_steps);
    }
}

double Mixtures::weight(std::size_t k, std::size_t expert) const {
    const std::size_t r = k / n_steps;
    return ranges_.ranges[r].contains(expert) ? weights(r, expert)[k % n_steps] : 0.0;
}

double Mixtures::weight(std::size_t expert) const {
    double sum = 0.0;
    for (std::size_t r = 0; r < ranges_.n; ++r) {
        for (std::size_t step = 0; step < n_steps && ranges_.ranges[r].contains(expert); ++step) {
            sum += memory_.shares[r * n_steps + step] * weights(r, expert)[step];
        }
    }
    return sum;
}

void Mixtures::forget(std::size_t expert) {
    for (std::size_t r = 0; r < ranges_.n; ++r) {
        if (ranges_.ranges[r].contains(expert)) {
            std::ranges::fill(weights(r, expert), 0.0F);
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

// A small plan has the mixtures of all experts alone: the others go on from those.
std::size_t Mixtures::forerunner(std::size_t k, const Mixtures& other) {
    return k < other.n_mixtures() ? k : k % n_steps;
}

void Mixtures::copy_weight(const Mixtures& other, std::size_t from, std::size_t to) {
    for (std::size_t k = 0; k < n_mixtures(); ++k) {
        const std::size_t r = k / n_steps;
        if (ranges_.ranges[r].contains(to)) {
            weights(r, to)[k % n_steps] =
                static_cast<float>(other.weight(forerunner(k, other), from));
        }
    }
}

void Mixtures::copy_losses(const Mixtures& other) {
    for (std::size_t k = 0; k < n_mixtures(); ++k) {
        memory_.losses[k] = other.memory_.losses[forerunner(k, other)];
    }
    update_shares();
}

void Mixtures::copy_same_from(const Mixtures& other) {
    std::ranges::copy(other.memory_.weights, memory_.weights.begin());
    std::ranges::copy(other.memory_.losses, memory_.losses.begin());
    update_shares();
}

}  // namespace shrubs
