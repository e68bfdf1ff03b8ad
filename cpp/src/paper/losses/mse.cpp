#include "shrubs/paper/losses/mse.hpp"

#include "shrubs/paper/gram_product.hpp"

namespace shrubs {

namespace {

double factor(const Fit& fit) {
    return 2.0 / (static_cast<double>(fit.window.size()) *
                  static_cast<double>(fit.members.layout().n_classes()) * fixed_one * fixed_one);
}

}  // namespace

void MseLoss::gradient(const Fit& fit, MemberRange range, std::span<double> gradient) {
    const auto weights = fit.members.weights().first(fit.members.size());
    multiply(gram_, weights, range.from, range.to, gradient);
    const double scale = factor(fit);
    for (std::uint32_t i = range.from; i < range.to; ++i) {
        gradient[i] = (gradient[i] - gram_.right(i) * fixed_one) * scale;
    }
}

double MseLoss::largest_descent(const Fit& fit) const {
    double right = 0.0;
    for (std::uint32_t i = 0; i < fit.members.size(); ++i) {
        right += fit.members.weights()[i] * gram_.right(i);
    }
    return (static_cast<double>(fit.window.size()) * fixed_one - right) * fixed_one * factor(fit);
}

double MseLoss::largest_descent_of_newcomer(const Fit& fit) const {
    const std::uint32_t newcomer = fit.members.size();
    double product = 0.0;
    for (std::uint32_t i = 0; i < newcomer; ++i) {
        product += fit.members.weights()[i] * gram_.row(newcomer)[i];
    }
    return (gram_.right(newcomer) * fixed_one - product) * factor(fit);
}

}  // namespace shrubs
