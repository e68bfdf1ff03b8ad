#include "shrubs/paper/losses/target_error.hpp"

#include <algorithm>

namespace shrubs {

void TargetError::gradient(const Fit& fit, MemberRange range, std::span<double> gradient) {
    const auto& [members, window] = fit;
    std::fill_n(gradient.begin(), range.to, 0.0);
    const auto prediction = [&](std::uint32_t i, std::uint32_t slot) {
        return scale_.scaled_prediction(
            fit.members.layout().value(fit.members.leaves(i), fit.members.leaf_ids(i).get(slot)));
    };
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        double f = 0.0;
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            f += members.weights()[i] * prediction(i, slot);
        }
        const double error = f - centred_[slot];
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            gradient[i] += error * prediction(i, slot);
        }
    }
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        gradient[i] *= 2.0 / static_cast<double>(window.size());
    }
}

}  // namespace shrubs
