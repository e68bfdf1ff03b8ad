#pragma once

// Algorithm 1 as one would write it first: the yardstick for the speed of the core.
//
// None of the core's savings are here. A shrub is grown for every example, every column is sorted
// at every node, and every gradient step walks every shrub for every example of the window. It is
// not slowed down on purpose either: buffers are reused, and each walk is done once per step.
//
// The gradient of the mse loss is defined through exact integers, Q_ik = sum_j <q_i(x_j),
// q_k(x_j)>, added up over k in double precision. Those roundings can only be repeated with Q
// itself, which costs O(M^2 B C) per step from scratch; nobody would write that first. So there are
// two modes:
//
//   floating: 2 / (n C) * sum_j <f(x_j) - y_j, h_i(x_j)> as the paper prints it, O(M B C). This is
//             what is timed. Shrubs depend on the window alone, so they are those of the core;
//             weights differ in the last places.
//   exact:    Q from scratch. Shrubs, weights and predictions are those of the core to the bit.
//             This is what is compared.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plain_shrub.hpp"
#include "shrubs/paper/config.hpp"

namespace shrubs::plain {

enum class Gradient : std::uint8_t { floating, exact };

/// Classification with the mse loss.
class PlainEnsemble {
 public:
    PlainEnsemble(const Config& config, const Dimensions& dimensions, Gradient gradient)
        : config_(config), dimensions_(dimensions), gradient_(gradient) {}

    /// What it knows.
    struct State {
        std::vector<LabelledExample> window = {};  ///< oldest first
        std::vector<PlainShrub> shrubs = {};       ///< oldest first
        std::vector<double> weights = {};
        std::uint64_t examples_seen = 0;
    };
    PlainEnsemble(const Config& config, const Dimensions& dimensions, Gradient gradient,
                  State state)
        : config_(config), dimensions_(dimensions), gradient_(gradient), state_(std::move(state)) {}

    /// f(x), `(n_classes,)`, uniform before the first example.
    std::vector<double> predict(std::span<const float> x) const;
    /// One step of Algorithm 1.
    void learn(std::span<const float> x, std::uint16_t label);

    const std::vector<PlainShrub>& shrubs() const { return state_.shrubs; }
    const std::vector<double>& weights() const { return state_.weights; }

 private:
    std::vector<double> floating_gradient() const;
    std::vector<double> exact_gradient() const;
    void project();
    void prune();

    Config config_;
    Dimensions dimensions_;
    Gradient gradient_;
    State state_;
};

}  // namespace shrubs::plain
