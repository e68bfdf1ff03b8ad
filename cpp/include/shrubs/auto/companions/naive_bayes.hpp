#pragma once

// Naive Bayes that forgets: numbers are normal in each class, features of zeros and ones and
// categories are counted.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/feature_scale.hpp"

namespace shrubs {

/// The place of a category among `n_buckets`, a power of two. Categories may share one.
inline std::uint32_t bucket_of(std::size_t feature, float category, std::uint32_t n_buckets) {
    std::uint64_t key = std::bit_cast<std::uint32_t>(category) + (std::uint64_t{feature} << 32U);
    key = (key ^ (key >> 30U)) * 0xBF58476D1CE4E5B9U;
    key = (key ^ (key >> 27U)) * 0x94D049BB133111EBU;
    return static_cast<std::uint32_t>(key >> 40U) & (n_buckets - 1);
}

/// Works on memory that it does not own. Instead of shrinking all counts by the same factor with
/// every example, the weight of the next one grows; now and then all are scaled back.
class NaiveBayes {
 public:
    struct Memory {
        std::span<double> n;         ///< (C,) weight of the examples of each class
        std::span<float> means;      ///< (d * C,) NaN: never seen
        std::span<float> variances;  ///< (d * C,)
        std::span<float> buckets;    ///< (n_buckets * C,)
    };

    NaiveBayes() = default;
    NaiveBayes(const Memory& memory, double forgetting, std::uint32_t n_buckets)
        : memory_(memory), forgetting_(forgetting), n_buckets_(n_buckets) {}

    /// Before the first example.
    void begin();

    /// Probabilities of the classes; uniform before the first example. `log_odds` is scratch of the
    /// same length.
    void predict(std::span<const float> x, const FeatureScale& scale, std::span<double> log_odds,
                 std::span<float> shares) const;
    void learn(std::span<const float> x, const FeatureScale& scale, std::uint16_t label);

    double next_weight() const { return next_weight_; }
    void set_next_weight(double weight) { next_weight_ = weight; }
    const Memory& memory() const { return memory_; }

 private:
    double log_density(std::size_t at, std::size_t c, float x, double variance) const;

    Memory memory_;
    double forgetting_ = 1.0;
    double next_weight_ = 1.0;
    std::uint32_t n_buckets_ = 0;
};

}  // namespace shrubs
