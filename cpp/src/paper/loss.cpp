#include "shrubs/paper/loss.hpp"

#include <algorithm>

#include "shrubs/numerics/exponential.hpp"
#include "shrubs/paper/gram_product.hpp"

namespace shrubs {

namespace {

double mse_factor(const Members& members, std::uint32_t n_examples) {
    return 2.0 / (static_cast<double>(n_examples) *
                  static_cast<double>(members.layout().n_classes()) * fixed_one * fixed_one);
}

}  // namespace

void mse_gradient(const Members& members, const Gram& gram, std::uint32_t n_examples,
                  MemberRange range, std::span<double> gradient) {
    multiply(gram, members.weights().first(members.size()), range.from, range.to, gradient);
    const double factor = mse_factor(members, n_examples);
    for (std::uint32_t i = range.from; i < range.to; ++i) {
        gradient[i] = (gradient[i] - gram.right(i) * fixed_one) * factor;
    }
}

double largest_mse_descent(const Members& members, const Gram& gram, std::uint32_t n_examples) {
    double right = 0.0;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        right += members.weights()[i] * gram.right(i);
    }
    return (static_cast<double>(n_examples) * fixed_one - right) * fixed_one *
           mse_factor(members, n_examples);
}

double cross_entropy_gradient(const Members& members, const Window& window, MemberRange range,
                              std::span<double> p, std::span<double> gradient) {
    const LeafLayout& layout = members.layout();
    std::fill(gradient.begin() + range.from, gradient.begin() + range.to, 0.0);
    double wrong = 0.0;
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        std::ranges::fill(p, 0.0);
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            layout.add_distribution(members.leaves(i), members.leaf_ids(i).get(slot),
                                    members.weights()[i], p);
        }
        softmax(p);
        p[window.labels()[slot]] -= 1.0;
        wrong -= p[window.labels()[slot]];
        for (std::uint32_t i = range.from; i < range.to; ++i) {
            gradient[i] = layout.add_product(members.leaves(i), members.leaf_ids(i).get(slot), p,
                                             gradient[i]);
        }
    }
    const auto n = static_cast<double>(window.size());
    for (std::uint32_t i = range.from; i < range.to; ++i) {
        gradient[i] /= n;
    }
    return wrong / n;
}

void regression_gradient(const Members& members, const Window& window, const TargetScale& scale,
                         std::span<const double> centred, std::span<double> gradient) {
    std::fill_n(gradient.begin(), members.size(), 0.0);
    const auto prediction = [&](std::uint32_t i, std::uint32_t slot) {
        return scale.scaled_prediction(
            members.layout().value(members.leaves(i), members.leaf_ids(i).get(slot)));
    };
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        double f = 0.0;
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            f += members.weights()[i] * prediction(i, slot);
        }
        const double error = f - centred[slot];
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            gradient[i] += error * prediction(i, slot);
        }
    }
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        gradient[i] *= 2.0 / static_cast<double>(window.size());
    }
}

}  // namespace shrubs
