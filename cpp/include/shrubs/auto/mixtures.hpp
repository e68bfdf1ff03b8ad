#pragma once

// The weights of the experts: one proximal gradient descent per step size, each on the loss of the
// next example, and a mix of these mixtures that follows the best of them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/config.hpp"
#include "shrubs/memory/arena.hpp"
#include "shrubs/simd/floats.hpp"
#include "shrubs/state/archive.hpp"

namespace shrubs {

/// Of each of four lists side by side, subtracts the same number from all weights and cuts them at
/// zero so that they sum to one: the nearest probabilities. `weights` has the first weight of each
/// list, then the second of each, and so on; at least one.
void project_simplex(std::span<float> weights);

/// Neighbouring experts that are mixed with each other.
struct ExpertRange {
    std::uint32_t first = 0;
    std::uint32_t n = 0;

    bool contains(std::size_t expert) const { return expert >= first && expert < first + n; }
};

/// All experts; and if some of them recall, those that do not, and the companions that do. The
/// mixtures of each are kept apart, so that what came last helps where it tells something and does
/// no harm where it does not.
struct ExpertRanges {
    std::array<ExpertRange, 3> ranges{};
    std::size_t n = 0;

    std::span<const ExpertRange> all() const { return std::span(ranges).first(n); }
    std::uint64_t n_weights() const;
};

/// Works on memory that it does not own. R = ranges, K = R * step sizes, E = experts, W = numbers
/// per prediction. Step sizes stand side by side.
class Mixtures {
 public:
    struct Memory {
        std::span<float> weights;      ///< for each range, for each expert, one per step size
        std::span<double> losses;      ///< (K,) forgotten slowly
        std::span<double> shares;      ///< (K,) in the prediction
        std::span<float> predictions;  ///< (R * W * step sizes,) scratch
        std::span<float> descended;    ///< (E * step sizes,) scratch
    };

    static Memory reserve(Arena& arena, const ExpertRanges& ranges, std::uint64_t width);

    Mixtures() = default;
    Mixtures(const Memory& memory, const ExpertRanges& ranges, std::size_t width)
        : memory_(memory), ranges_(ranges), width_(width) {}

    /// Before the first example: equal weights.
    void begin();

    /// Which expert takes part.
    using Present = std::span<const std::uint16_t>;  ///< ascending indices

    /// Mixes the experts' predictions (E * W,) into `f` (W,).
    void mix(std::span<const float> experts, Present present, std::span<double> f) const;
    /// A gradient step of each mixture towards `target` (W,), after `mix` of the same predictions.
    void learn(std::span<const float> experts, Present present, std::span<const double> target);

    std::size_t n_mixtures() const { return ranges_.n * n_steps; }
    /// The share of a mixture in the prediction.
    double share(std::size_t k) const { return memory_.shares[k]; }
    /// The weight of an expert in the prediction, over all mixtures.
    double weight(std::size_t expert) const;
    /// The same of neighbouring experts together, which are mixed with the same others. The weights
    /// in each mixture are added first.
    double weight_together(std::size_t first, std::size_t n) const;
    /// The weight in one mixture; 0 where it has no part.
    double weight(std::size_t k, std::size_t expert) const;

    void archive(Archive& archive);
    /// Gives an expert the weight that it had in `other`.
    void copy_weight(const Mixtures& other, std::size_t from, std::size_t to);
    void copy_losses(const Mixtures& other);
    /// Takes over everything of `other`, which has the same plan.
    void copy_same_from(const Mixtures& other);
    /// A newcomer starts with nothing.
    void forget(std::size_t expert);
    /// Equal weights where all that a mixture trusted is gone.
    void restore(Present present);

 private:
    static constexpr std::size_t n_steps = auto_step_sizes.size();
    static_assert(n_steps == FourFloats::size);
    static constexpr std::size_t most_together = 192;  ///< experts

    // The weights of the mixtures of range `r`: of all its experts, or of one.
    std::span<float> weights(std::size_t r) const;
    std::span<float> weights(std::size_t r, std::size_t expert) const;
    Present present_in(std::size_t r, Present present) const;
    FourFloats total(std::size_t r, Present present) const;
    float* predictions(std::size_t r) const {
        return memory_.predictions.data() + r * width_ * n_steps;
    }
    static std::size_t forerunner(std::size_t k, const Mixtures& other);
    void update_shares();
    std::size_t n_together(std::size_t r, Present present) const;
    template <class Floats>
    void learn_losses(std::size_t r, std::span<const double> target);
    void mix_one(std::size_t r, std::span<const float> experts, Present present) const;
    void learn_one(std::size_t r, std::span<const float> experts, Present present,
                   std::span<const double> target);
    void gather_two(Present present, float* lanes) const;
    void mix_two(std::span<const float> experts, Present present) const;
    void learn_two(std::span<const float> experts, Present present, std::span<const double> target);

    Memory memory_;
    ExpertRanges ranges_;
    std::size_t width_ = 0;
};

/// The squared distance of a prediction to the target.
template <class Number>
double squared_loss(std::span<const Number> f, std::span<const double> target) {
    double loss = 0.0;
    for (std::size_t c = 0; c < f.size(); ++c) {
        const double difference = f[c] - target[c];
        loss += difference * difference;
    }
    return loss;
}

}  // namespace shrubs
