#pragma once

// What is drawn by chance for one node: in which order features are tried, and where they are cut.
// Two random numbers serve all features, however many are tried.

#include <cstdint>

#include "shrubs/numerics/random.hpp"

namespace shrubs {

/// The smallest prime number that is at least `n` and 2.
std::uint32_t prime_from(std::uint32_t n);

/// Features come in the order b, b + a, b + 2a, ... modulo a prime number p. As a and b are drawn,
/// any two of them are as likely as any other two to come first.
class NodeDraw {
 public:
    /// `prime` is `prime_from(n_features)`.
    NodeDraw(std::uint32_t n_features, std::uint32_t prime, Random& random)
        : n_features_(n_features), prime_(prime) {
        const std::uint64_t order = random.next();
        const std::uint64_t cuts = random.next();
        at_ = share_of(prime, order >> 32U);
        step_ = 1 + share_of(prime - 1, order & 0xFFFFFFFFU);
        example_ = cuts >> 32U;
        start_ = static_cast<std::uint32_t>(cuts);
    }

    bool has_next() const { return n_given_ < n_features_; }
    std::uint32_t next() {
        std::uint32_t feature = 0;
        do {
            feature = next_number();
        } while (feature >= n_features_);
        ++n_given_;
        return feature;
    }

    /// The same with the numbers between, below `prime`, that are no features, for who can ask
    /// all of them sooner than tell them apart.
    std::uint32_t next_number() {
        const std::uint32_t number = at_;
        at_ += step_;
        at_ -= at_ >= prime_ ? prime_ : 0;
        return number;
    }
    std::uint32_t prime() const { return prime_; }

    /// Which of `n` examples has the categories that are set against the rest.
    std::uint32_t example(std::uint32_t n) const { return share_of(n, example_); }
    /// The share of the way between its extremes at which a feature is cut, below 1: a drawn number
    /// for the first feature, and from each to the next the golden ratio more, without whole parts.
    float share(std::uint32_t feature) const {
        constexpr std::uint32_t golden = 0x9E3779B9U;  // in units of 2^-32
        const std::uint32_t bits = (start_ + feature * golden) >> 8U;
        return static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-24F;
    }

 private:
    static std::uint32_t share_of(std::uint32_t n, std::uint64_t of) {
        return static_cast<std::uint32_t>((n * of) >> 32U);
    }

    std::uint32_t n_features_;
    std::uint32_t prime_;
    std::uint32_t n_given_ = 0;
    std::uint32_t at_;
    std::uint32_t step_;
    std::uint32_t start_;
    std::uint64_t example_;
};

/// A cut at a share of the way between two values a < b: at least a and less than b. Halves, so
/// that nothing overflows; no branch, so that several are taken at a time.
inline float cut_between(float low, float high, float share) {
    const float at = (0.5F * low + share * (0.5F * high - 0.5F * low)) * 2.0F;
    return (at >= low) & (at < high) ? at : low;
}

}  // namespace shrubs
