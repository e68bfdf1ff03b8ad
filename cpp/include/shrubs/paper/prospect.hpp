#pragma once

// What a newcomer can still become while it grows.
//
// Where it has no leaves yet it may turn out to be right about everything. So its row of the Gram
// matrix begins as that of a shrub that predicts all labels, and every leaf with more than one
// class takes something off. Once the descent of that row is too small for the prox, whatever else
// grows is in vain.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/growth/depth_first.hpp"
#include "shrubs/paper/losses/fit.hpp"
#include "shrubs/paper/losses/mse.hpp"
#include "shrubs/paper/prox.hpp"

namespace shrubs {

class Prospect {
 public:
    /// What a newcomer needs: a weight above the least one after a step of this size.
    struct Aim {
        double step_size;
        double least;
    };
    Prospect(MseLoss& loss, const Fit& fit, const Aim& aim) : loss_(loss), fit_(fit), aim_(aim) {
        loss.gram().begin_newcomer(fit.members, fit.window);
    }

    LeafWatch watch() { return {this, has_seen_enough}; }
    /// After the last leaf: the row is that of the shrub.
    void finish() { loss_.gram().finish_newcomer(fit_.members); }

 private:
    // Examples are looked at in groups.
    static constexpr std::size_t group = 512;

    static bool has_seen_enough(void* prospect, std::span<const std::uint16_t> slots) {
        return static_cast<Prospect*>(prospect)->add_leaf(slots);
    }
    bool add_leaf(std::span<const std::uint16_t> slots);
    void add(std::span<const std::uint16_t> slots);
    void add_by_class(std::span<const std::uint16_t> slots);
    void add_errors();
    void look() {
        is_hopeless_ =
            is_too_small(aim_.step_size * loss_.largest_descent_of_newcomer(fit_), aim_.least);
    }

    MseLoss& loss_;
    Fit fit_;
    Aim aim_;
    std::array<std::uint16_t, group> errors_;  ///< examples of finished leaves
    std::size_t n_errors_ = 0;
    std::size_t n_left_ = fit_.window.size();  ///< examples without a leaf
    bool is_hopeless_ = false;
};

}  // namespace shrubs
