#pragma once

// The scale of the last targets of a regression, so that no unit and no size of them matters.

#include <cstdint>

namespace shrubs {

/// z = (y * down - mean) / deviation. The power of two `down` keeps |y * down| below 2, or below 4
/// for the largest numbers of all.
class RunningTarget {
 public:
    /// Later targets count as if so many had been seen.
    static constexpr std::uint32_t longest = 1000;

    struct State {
        std::int32_t exponent = 0;  ///< of the largest target so far
        std::uint32_t seen = 0;
        double mean = 0.0;      ///< of y * down
        double variance = 0.0;  ///< of y * down
    };

    /// Whether a state can have come from `learn`.
    static bool is_valid(const State& state);

    double down() const;
    double mean() const { return state_.mean; }
    /// In deviations from the mean. The first target is taken for the mean.
    double standardise(double y) const;
    /// The reverse, kept finite.
    double restore(double z) const;
    void learn(double y);

    const State& state() const { return state_; }
    void set_state(const State& state) { state_ = state; }

 private:
    double deviation() const;

    State state_;
};

}  // namespace shrubs
