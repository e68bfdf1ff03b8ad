#pragma once

// The scale of the last targets of a regression, so that no unit and no size of them matters.

#include <cstdint>
#include <limits>

#include "shrubs/state/archive.hpp"

namespace shrubs {

/// z = (y * down - mean) / deviation. The power of two `down` keeps |y * down| below 2, or below 4
/// for the largest numbers of all.
class RunningTarget {
 public:
    /// Later targets count as if so many had been seen.
    static constexpr std::uint32_t longest = 1000;

    /// What is read must fit so many examples.
    void archive(Archive& archive, std::uint64_t examples_seen);

    double down() const;
    double mean() const { return mean_; }
    /// Whether it lies among the targets so far.
    bool contains(double y) const { return y >= low_ && y <= high_; }
    /// The nearest number among the targets so far; any number after one beyond all before it.
    double bounded(double y) const {
        return is_record_ != 0 ? y : y < low_ ? low_ : y > high_ ? high_ : y;
    }
    /// In deviations from the mean. The first target is taken for the mean.
    double standardise(double y) const;
    /// The reverse, kept finite.
    double restore(double z) const;
    void learn(double y);

    double deviation() const;
    /// What `bounded` keeps a number in; infinite where it may be any.
    double low() const { return is_record_ != 0 ? -unbounded : low_; }
    double high() const { return is_record_ != 0 ? unbounded : high_; }

 private:
    static constexpr double unbounded = std::numeric_limits<double>::infinity();

    std::int32_t exponent_ = 0;  ///< of the largest target so far
    std::uint32_t seen_ = 0;
    double mean_ = 0.0;           ///< of y * down
    double variance_ = 0.0;       ///< of y * down
    double low_ = 0.0;            ///< the smallest target so far
    double high_ = 0.0;           ///< the largest
    std::uint8_t is_record_ = 1;  ///< 1: the last target was beyond all before it
};

}  // namespace shrubs
