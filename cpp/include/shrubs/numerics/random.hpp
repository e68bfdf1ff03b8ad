#pragma once

// The one random generator: the same numbers on every platform.

#include <cstdint>

namespace shrubs {

/// Random numbers for growing the shrub of one example.
///
/// The stream of numbers is keyed by the example's index, so leaving out a shrub shifts no other
/// draw.
class Random {
 public:
    Random(std::uint64_t seed, std::uint64_t example_index)
        : state_(mix(mix(seed) + example_index)) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        return mix(state_);
    }

    /// Leaves out the next `n` numbers.
    void skip(std::uint64_t n) { state_ += n * 0x9E3779B97F4A7C15U; }

    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

    /// Uniform in 0, ..., `n` - 1. Requires 1 <= n < 2^32.
    std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32U) * n) >> 32U);
    }

 private:
    // The finaliser of splitmix64 (Steele, Lea and Flood, 2014).
    static constexpr std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }

    std::uint64_t state_;
};

}  // namespace shrubs
