#include "shrubs/auto/mixtures.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/auto/weight_lanes.hpp"
#include "shrubs/numerics/exponential.hpp"
#include "shrubs/simd/dispatch.hpp"

namespace shrubs {

void project_simplex(std::span<float> weights) {
    constexpr float none = -std::numeric_limits<float>::infinity();
    project(weights.data(), weights.size() / FourFloats::size, FourFloats::all(none));
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
    for (std::size_t r = 0; r < ranges_.n;) {
        const std::size_t n = n_together(r, present);
#ifdef SHRUBS_AVX2
        n == 2 ? mix_two(experts, present) : mix_one(r, experts, present);
#else
        mix_one(r, experts, present);
#endif
        for (std::size_t k = 0; k < n * n_steps; ++k) {
            const double share = memory_.shares[r * n_steps + k];
            for (std::size_t c = 0; c < width_; ++c) {
                f[c] += share * predictions(r)[c * n * n_steps + k];
            }
        }
        r += n;
    }
}

void Mixtures::learn(std::span<const float> experts, Present present,
                     std::span<const double> target) {
    for (std::size_t r = 0; r < ranges_.n;) {
        const std::size_t n = n_together(r, present);
#ifdef SHRUBS_AVX2
        n == 2 ? learn_two(experts, present, target) : learn_one(r, experts, present, target);
#else
        learn_one(r, experts, present, target);
#endif
        r += n;
    }
    update_shares();
}

// Processors with AVX2 take two ranges at a time, where the second is a part of the first.
std::size_t Mixtures::n_together(std::size_t r, Present present) const {
    return has_avx2() && r == 0 && ranges_.n > 1 && present.size() <= most_together &&
                   !present_in(1, present).empty()
               ? 2
               : 1;
}

// What is left of the predictions is their gradient.
template <class Floats>
[[gnu::always_inline]] inline void Mixtures::learn_losses(std::size_t r,
                                                          std::span<const double> target) {
    std::array<float, Floats::size> doubled;
    for (std::size_t k = 0; k < doubled.size(); ++k) {
        doubled[k] = static_cast<float>(2 * auto_step_sizes[k % n_steps]);
    }
    const Floats steps = Floats::load(doubled.data());
    Floats loss = Floats::all(0.0F);
    for (std::size_t c = 0; c < width_; ++c) {
        float* const at = predictions(r) + c * Floats::size;
        const Floats error = Floats::load(at) - Floats::all(static_cast<float>(target[c]));
        loss = loss + error * error;
        (steps * error).store(at);
    }
    std::array<float, Floats::size> losses;
    loss.store(losses.data());
    for (std::size_t k = 0; k < losses.size(); ++k) {
        double& so_far = memory_.losses[r * n_steps + k];
        so_far = loss_forgetting * so_far + static_cast<double>(losses[k]);
    }
}

void Mixtures::mix_one(std::size_t r, std::span<const float> experts, Present present) const {
    const Sayings sayings{experts.data(), present_in(r, present), width_};
    float* const lanes = memory_.descended.data();
    for (std::size_t at = 0; at < sayings.present.size(); ++at) {
        std::ranges::copy(weights(r, sayings.present[at]), lanes + at * n_steps);
    }
    normalise<FourFloats>(lanes, sayings.present.size());
    mix_all<FourFloats>(lanes, sayings, predictions(r));
}

void Mixtures::learn_one(std::size_t r, std::span<const float> experts, Present present,
                         std::span<const double> target) {
    learn_losses<FourFloats>(r, target);
    const Sayings sayings{experts.data(), present_in(r, present), width_};
    const std::size_t n = sayings.present.size();
    if (n == 0) {
        return;
    }
    float* const lanes = memory_.descended.data();
    for (std::size_t at = 0; at < n; ++at) {
        std::ranges::copy(weights(r, sayings.present[at]), lanes + at * n_steps);
    }
    project(lanes, n, descend<FourFloats>(lanes, sayings, predictions(r)));
    for (std::size_t at = 0; at < n; ++at) {
        std::copy_n(lanes + at * n_steps, n_steps, weights(r, sayings.present[at]).begin());
    }
}

#ifdef SHRUBS_AVX2

// Experts that are not in the second range have no weight there.
[[gnu::target("avx2"), gnu::always_inline]] inline void Mixtures::gather_two(Present present,
                                                                             float* lanes) const {
    constexpr std::array<float, n_steps> nothing = {};
    const float* const first = weights(0).data();
    const float* const second = weights(1).data();
    const ExpertRange& range = ranges_.ranges[1];
    for (std::size_t at = 0; at < present.size(); ++at) {
        const std::size_t i = present[at];
        EightFloats::load(first + i * n_steps,
                          range.contains(i) ? second + (i - range.first) * n_steps : nothing.data())
            .store(lanes + at * EightFloats::size);
    }
}

[[gnu::target("avx2")]] void Mixtures::mix_two(std::span<const float> experts,
                                               Present present) const {
    std::array<float, most_together * EightFloats::size> lanes;
    gather_two(present, lanes.data());
    normalise<EightFloats>(lanes.data(), present.size());
    mix_all<EightFloats>(lanes.data(), {experts.data(), present, width_}, predictions(0));
}

[[gnu::target("avx2")]] void Mixtures::learn_two(std::span<const float> experts, Present present,
                                                 std::span<const double> target) {
    learn_losses<EightFloats>(0, target);
    std::array<float, most_together * EightFloats::size> lanes;
    gather_two(present, lanes.data());
    const auto bound =
        descend<EightFloats>(lanes.data(), {experts.data(), present, width_}, predictions(0));
    const ExpertRange& range = ranges_.ranges[1];
    for (std::size_t at = 0; at < present.size(); ++at) {
        if (!range.contains(present[at])) {
            std::fill_n(lanes.data() + at * EightFloats::size + n_steps, n_steps,
                        -std::numeric_limits<float>::infinity());
        }
    }
    project(lanes.data(), present.size(), bound);
    float* const first = weights(0).data();
    float* const second = weights(1).data();
    for (std::size_t at = 0; at < present.size(); ++at) {
        const std::size_t i = present[at];
        const float* const both = lanes.data() + at * EightFloats::size;
        std::copy_n(both, n_steps, first + i * n_steps);
        if (range.contains(i)) {
            std::copy_n(both + n_steps, n_steps, second + (i - range.first) * n_steps);
        }
    }
}

#endif

double Mixtures::weight(std::size_t k, std::size_t expert) const {
    const std::size_t r = k / n_steps;
    return ranges_.ranges[r].contains(expert) ? weights(r, expert)[k % n_steps] : 0.0;
}

double Mixtures::weight(std::size_t expert) const {
    double sum = 0.0;
    const float* weight_of = memory_.weights.data();
    const double* shares = memory_.shares.data();
    for (const ExpertRange& range : ranges_.all()) {
        if (range.contains(expert)) {
            const float* const weight = weight_of + (expert - range.first) * n_steps;
            for (std::size_t step = 0; step < n_steps; ++step) {
                sum += shares[step] * weight[step];
            }
        }
        weight_of += range.n * n_steps;
        shares += n_steps;
    }
    return sum;
}

double Mixtures::weight_together(std::size_t first, std::size_t n) const {
    double sum = 0.0;
    const float* weight_of = memory_.weights.data();
    const double* shares = memory_.shares.data();
    for (const ExpertRange& range : ranges_.all()) {
        if (range.contains(first)) {
            auto total = FourFloats::all(0.0F);
            for (std::size_t i = first - range.first; i < first - range.first + n; ++i) {
                total = total + FourFloats::load(weight_of + i * n_steps);
            }
            std::array<float, n_steps> totals;
            total.store(totals.data());
            for (std::size_t step = 0; step < n_steps; ++step) {
                sum += shares[step] * totals[step];
            }
        }
        weight_of += range.n * n_steps;
        shares += n_steps;
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
