#pragma once

// Regression: the mean squared error of the targets, brought to the scale of the window's.

#include <cstdint>
#include <limits>
#include <span>

#include "shrubs/paper/losses/fit.hpp"
#include "shrubs/paper/plan.hpp"
#include "shrubs/tree/targets.hpp"

namespace shrubs {

class TargetError {
 public:
    using Memory = std::span<double>;  ///< (B,) scaled targets by slot
    static bool is_meant(const Config& config) { return config.task == Task::regression; }
    static Memory reserve(Arena& arena, const Plan& plan) {
        return arena.array<double>(Purpose::scratch, plan.config.window_size);
    }

    TargetError(const Memory& memory, const Config& config)
        : centred_(memory), in_variances_(config.target_scaling) {}

    /// 2 / n * sum_j (f(x_j) - z_j) h_i(x_j), all of them scaled. Requires the range of all
    /// members.
    void gradient(const Fit& fit, MemberRange range, std::span<double> gradient);
    static double largest_descent(const Fit& /*fit*/) { return no_bound; }
    static double largest_change(double /*step_size*/, std::uint32_t /*n_classes*/) {
        return no_bound;
    }
    double rescale(double change) const {
        return in_variances_ ? change / scale_.variance : change * scale_.squared();
    }

    void update(const Window& window) { scale_ = scale_targets(window, centred_); }

    ScaledTargets targets() const { return {scale_, centred_}; }

 private:
    static constexpr double no_bound = std::numeric_limits<double>::infinity();

    std::span<double> centred_;
    bool in_variances_;
    TargetScale scale_;
};

}  // namespace shrubs
