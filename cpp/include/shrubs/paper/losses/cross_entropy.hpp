#pragma once

// Classification: the cross-entropy of the softmax of the votes, -1 / n * sum_j log p(x_j)_{y_j}.

#include <cstdint>
#include <span>

#include "shrubs/paper/losses/fit.hpp"
#include "shrubs/paper/plan.hpp"

namespace shrubs {

class CrossEntropyLoss {
 public:
    using Memory = std::span<double>;  ///< (C,) scratch
    static bool is_meant(const Config& config) { return config.loss == Loss::cross_entropy; }
    static Memory reserve(Arena& arena, const Plan& plan) {
        return arena.array<double>(Purpose::scratch, plan.growth.dimensions.n_classes);
    }

    CrossEntropyLoss(const Memory& memory, const Config& /*config*/) : p_(memory) {}

    /// 1 / n * sum_j <p(x_j) - y_j, h_i(x_j)>
    void gradient(const Fit& fit, MemberRange range, std::span<double> gradient);
    /// 1 / n * sum_j (1 - p(x_j)_{y_j})
    double largest_descent(const Fit& /*fit*/) const { return largest_descent_; }
    static double largest_change(double step_size, std::uint32_t /*n_classes*/) {
        return step_size;
    }
    static double rescale(double change) { return change; }

 private:
    std::span<double> p_;
    double largest_descent_ = 0.0;  ///< found along with the gradient
};

}  // namespace shrubs
