#include "shrubs/generators/hyperplane.hpp"

namespace shrubs {

Hyperplane::Hyperplane(const HyperplaneOptions& options)
    : random_(options.seed, 0),
      noise_(options.noise),
      reversal_(options.reversal),
      weights_(options.n_features),
      changes_(options.n_drift_features, options.magnitude) {
    for (double& weight : weights_) {
        weight = random_.uniform();
    }
}

std::size_t Hyperplane::memory_bytes() const {
    return sizeof(*this) + (weights_.capacity() + changes_.capacity()) * sizeof(double);
}

std::uint16_t Hyperplane::next(std::span<float> x) {
    double side = 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        const double value = random_.uniform();
        x[i] = static_cast<float>(value);
        side += weights_[i] * value;
        total += weights_[i];
    }
    const bool is_above = side >= 0.5 * total;
    const bool is_noise = random_.uniform() < noise_;
    rotate();
    return is_above != is_noise ? 1 : 0;
}

void Hyperplane::rotate() {
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        weights_[i] += changes_[i];
        if (random_.uniform() < reversal_) {
            changes_[i] = -changes_[i];
        }
    }
}

}  // namespace shrubs
