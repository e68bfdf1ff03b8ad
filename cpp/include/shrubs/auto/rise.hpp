#pragma once

// Evidence that the mean of a sequence has risen, however its numbers depend on each other.
// Numbers may be of several kinds, each with a mean of its own.

#include <array>
#include <cstdint>

#include "shrubs/state/archive.hpp"

namespace shrubs {

/// Of the numbers of one kind; older ones count less.
struct RunningMean {
    double value = 0.0;
    std::uint32_t n = 0;  ///< up to `Rise::longest`
};

/// Numbers are taken in deviations from the running mean of their kind. The deviation is that of
/// single numbers or, where numbers depend on those before them, that of their sums over a block.
/// By Bennett's inequality each bet is an e-value while the mean stays, so that the evidence, a
/// Shiryaev-Roberts statistic, exceeds A by chance at most once in A examples on average.
class Rise {
 public:
    static constexpr std::uint32_t longest = 4000;
    /// The deviation is at least that of sums of so many numbers.
    static constexpr std::uint32_t block = 200;
    /// More than targets and predictions can differ by, in deviations.
    static constexpr double largest = 32.0;

    /// Takes in the next number and returns the evidence so far, 0 while there are too few. A kind
    /// of which there are too few adds nothing to it.
    double update(double x, RunningMean& mean);
    /// Whether there are enough numbers for evidence.
    bool has_enough() const { return n_ >= fewest; }
    /// Numbers since the rise began, as far as it can be told.
    std::uint32_t length() const { return length_; }
    void archive(Archive& archive);

 private:
    static constexpr std::uint32_t fewest = 300;
    static constexpr std::uint32_t fewest_of_kind = 30;
    static constexpr std::size_t n_bets = 3;

    void bet(double z);
    void learn(double x, RunningMean& mean);

    std::uint32_t n_ = 0;  ///< up to `longest`
    std::uint32_t n_in_block_ = 0;
    std::uint32_t length_ = 0;
    double variance_ = 0.0;
    double block_sum_ = 0.0;
    double block_variance_ = 0.0;
    double risen_ = 0.0;  ///< the logarithm of the middle bet since the rise began
    std::array<double, n_bets> evidence_{};
};

}  // namespace shrubs
