#include "shrubs/paper/losses/cross_entropy.hpp"

#include <algorithm>

#include "shrubs/numerics/exponential.hpp"

namespace shrubs {

void CrossEntropyLoss::gradient(const Fit& fit, MemberRange range, std::span<double> gradient) {
    const auto& [members, window] = fit;
    const LeafLayout& layout = members.layout();
    std::fill(gradient.begin() + range.from, gradient.begin() + range.to, 0.0);
    double wrong = 0.0;
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        std::ranges::fill(p_, 0.0);
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            layout.add_distribution(members.leaves(i), members.leaf_ids(i).get(slot),
                                    members.weights()[i], p_);
        }
        softmax(p_);
        p_[window.labels()[slot]] -= 1.0;
        wrong -= p_[window.labels()[slot]];
        for (std::uint32_t i = range.from; i < range.to; ++i) {
            gradient[i] = layout.add_product(members.leaves(i), members.leaf_ids(i).get(slot), p_,
                                             gradient[i]);
        }
    }
    const auto n = static_cast<double>(window.size());
    for (std::uint32_t i = range.from; i < range.to; ++i) {
        gradient[i] /= n;
    }
    largest_descent_ = wrong / n;
}

}  // namespace shrubs
