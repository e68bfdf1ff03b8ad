#pragma once

// The weights of the experts that take part, those of several mixtures side by side: `lanes` has
// one weight of each mixture for the first expert, then for the second, and so on. Kernels for four
// mixtures, and for eight with AVX2.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/simd/floats.hpp"

namespace shrubs {

/// What the experts say, (E * width,), and which of them take part.
struct Sayings {
    const float* experts;
    std::span<const std::uint16_t> present;
    std::size_t width;

    const float* of(std::size_t at) const { return experts + present[at] * width; }
};

/// Makes the weights of each mixture sum to one.
template <class Floats>
[[gnu::always_inline]] inline void normalise(float* lanes, std::size_t n) {
    Floats sum = Floats::all(0.0F);
    for (std::size_t at = 0; at < n; ++at) {
        sum = sum + Floats::load(lanes + at * Floats::size);
    }
    for (std::size_t at = 0; at < n; ++at) {
        (Floats::load(lanes + at * Floats::size) / sum).store(lanes + at * Floats::size);
    }
}

/// Mixes some classes, from the given one on.
template <class Floats, std::size_t n_classes>
[[gnu::always_inline]] inline void mix_classes(const float* lanes, const Sayings& sayings,
                                               std::size_t first, float* mixed) {
    Floats sums[n_classes];
    for (Floats& sum : sums) {
        sum = Floats::all(0.0F);
    }
    for (std::size_t at = 0; at < sayings.present.size(); ++at) {
        const Floats weight = Floats::load(lanes + at * Floats::size);
        const float* const said = sayings.of(at) + first;
        for (std::size_t c = 0; c < n_classes; ++c) {
            sums[c] = sums[c] + weight * Floats::all(said[c]);
        }
    }
    for (std::size_t c = 0; c < n_classes; ++c) {
        sums[c].store(mixed + (first + c) * Floats::size);
    }
}

/// Mixes what the experts say: of each class, what each mixture says.
template <class Floats>
[[gnu::always_inline]] inline void mix_all(const float* lanes, const Sayings& sayings,
                                           float* mixed) {
    std::size_t first = 0;
    for (; first + 8 <= sayings.width; first += 8) {
        mix_classes<Floats, 8>(lanes, sayings, first, mixed);
    }
    for (; first + 2 <= sayings.width; first += 2) {
        mix_classes<Floats, 2>(lanes, sayings, first, mixed);
    }
    if (first < sayings.width) {
        mix_classes<Floats, 1>(lanes, sayings, first, mixed);
    }
}

/// Takes a step against the gradient of what the mixtures say of each class. Returns what makes the
/// experts that had a weight sum to one: a number that the projection subtracts at least.
template <class Floats>
[[gnu::always_inline]] inline Floats descend(float* lanes, const Sayings& sayings,
                                             const float* gradient) {
    const Floats none = Floats::all(0.0F);
    const Floats one = Floats::all(1.0F);
    Floats sum = none;
    Floats count = none;
    for (std::size_t at = 0; at < sayings.present.size(); ++at) {
        const float* const said = sayings.of(at);
        Floats slope = none;
        for (std::size_t c = 0; c < sayings.width; ++c) {
            slope = slope + Floats::load(gradient + c * Floats::size) * Floats::all(said[c]);
        }
        float* const weight = lanes + at * Floats::size;
        const Floats before = Floats::load(weight);
        const Floats after = before - slope;
        after.store(weight);
        sum = sum + Floats::if_above(before, none, after);
        count = count + Floats::if_above(before, none, one);
    }
    return (sum - one) / count;
}

/// Subtracts the same number from all weights of a mixture and cuts them at zero so that they sum
/// to one. The number is at least `bound` and, counted from the largest, which keeps at most one,
/// -1. Entries below it end at zero; without them it can only rise.
template <class Floats>
[[gnu::always_inline]] inline void project(float* lanes, std::size_t n, const Floats& bound) {
    float* const end = lanes + n * Floats::size;
    Floats largest = Floats::load(lanes);
    for (const float* at = lanes; at < end; at += Floats::size) {
        largest = Floats::larger(Floats::load(at), largest);
    }
    const Floats one = Floats::all(1.0F);
    Floats tau = Floats::larger(bound - largest, Floats::all(-1.0F));
    for (bool rises = true; rises;) {
        Floats sum = Floats::all(0.0F);
        Floats count = Floats::all(0.0F);
        for (const float* at = lanes; at < end; at += Floats::size) {
            const Floats weight = Floats::load(at) - largest;
            sum = sum + Floats::if_above(weight, tau, weight);
            count = count + Floats::if_above(weight, tau, one);
        }
        const Floats next = Floats::larger((sum - one) / count, tau);
        rises = Floats::where_at_most(next, tau) != Floats::everywhere;
        tau = next;
    }
    for (float* at = lanes; at < end; at += Floats::size) {
        const Floats weight = Floats::load(at) - largest;
        Floats::if_above(weight, tau, weight - tau).store(at);
    }
}

}  // namespace shrubs
