#pragma once

// Classification: the mean squared error, 1 / (n C) * sum_j ||f(x_j) - y_j||^2.

#include <cstdint>
#include <span>

#include "shrubs/paper/gram.hpp"
#include "shrubs/paper/losses/fit.hpp"
#include "shrubs/paper/plan.hpp"

namespace shrubs {

class MseLoss {
 public:
    using Memory = Gram::Memory;
    static bool is_meant(const Config& config) {
        return config.task == Task::classification && config.loss == Loss::mse;
    }
    static Memory reserve(Arena& arena, const Plan& plan) {
        return Gram::reserve(arena, plan.config.max_shrubs + std::uint64_t{1},
                             plan.growth.dimensions.n_classes,
                             plan.growth.keeps_caches ? plan.growth.max_leaves : 0);
    }

    MseLoss(const Memory& memory, const Config& /*config*/) : gram_(memory) { gram_.clear(); }

    /// 2 / (n C) * sum_j <f(x_j) - y_j, h_i(x_j)>
    void gradient(const Fit& fit, MemberRange range, std::span<double> gradient);
    /// 2 / (n C) * sum_j (1 - f(x_j)_{y_j})
    double largest_descent(const Fit& fit) const;
    /// The same for a shrub that is being grown, and may be right about all that is left.
    double largest_descent_of_newcomer(const Fit& fit) const;
    Gram& gram() { return gram_; }
    static double largest_change(double step_size, std::uint32_t n_classes) {
        return 2.0 * step_size / n_classes;
    }
    static double rescale(double change) { return change; }

    void add(const Fit& fit, const Seen& entering) { gram_.add(fit.members, entering, 1.0); }
    void slide(const Fit& fit, const Seen& entering, const Seen& leaving) {
        gram_.slide(fit.members, entering, leaving);
    }
    void add_newcomer(const Fit& fit, std::span<std::uint16_t> scratch) {
        gram_.add_newcomer(fit.members, fit.window, scratch);
    }
    void remove(std::uint32_t i, std::uint32_t n_shrubs) { gram_.remove(i, n_shrubs); }

 private:
    Gram gram_;
};

}  // namespace shrubs
