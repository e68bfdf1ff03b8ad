#pragma once

// The losses and their gradients with respect to the weights (Algorithm 1, line 9).
//
// Each function computes the gradient of the members from, ..., to - 1 (by age) of the mean loss
// over the window, with f taken from the weights as they are.

#include <cstdint>
#include <span>

#include "shrubs/paper/gram.hpp"
#include "shrubs/paper/members.hpp"
#include "shrubs/tree/targets.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

struct MemberRange {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};

/// Classification: 2 / (n C) * sum_j <f(x_j) - y_j, h_i(x_j)>.
void mse_gradient(const Members& members, const Gram& gram, std::uint32_t n_examples,
                  MemberRange range, std::span<double> gradient);

/// The largest possible negative mse gradient of any shrub: 2 / (n C) * sum_j (1 - f(x_j)_{y_j}).
double largest_mse_descent(const Members& members, const Gram& gram, std::uint32_t n_examples);

/// Classification, with p = softmax(f): 1 / n * sum_j <p(x_j) - y_j, h_i(x_j)>. `p` is scratch,
/// (C,). Returns the largest possible negative gradient of any shrub: 1 / n * sum_j (1 - p_{y_j}).
double cross_entropy_gradient(const Members& members, const Window& window, MemberRange range,
                              std::span<double> p, std::span<double> gradient);

/// Regression, on scaled targets and predictions: 2 / n * sum_j (f(x_j) - z_j) h_i(x_j).
/// `centred` holds z by slot.
void regression_gradient(const Members& members, const Window& window, const TargetScale& scale,
                         std::span<const double> centred, std::span<double> gradient);

}  // namespace shrubs
