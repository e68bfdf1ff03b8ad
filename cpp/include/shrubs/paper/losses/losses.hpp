#pragma once

// All losses, and what Algorithm 1 asks of one. A loss is a type with
//
//     static bool is_meant(Config)               whether this configuration asks for it
//     static Memory reserve(Arena&, Plan)        its memory
//     Loss(Memory, Config)
//     gradient(Fit, MemberRange, gradient)       line 9: of the mean loss, by each weight
//     largest_descent(Fit)                       then: no shrub's gradient is more negative
//     largest_change(step_size, n_classes)       no step changes a weight by more
//     rescale(change)                            of a weight, to the scale of the targets
//
// and, if it keeps something from one example to the next,
//
//     add(Fit, Seen), slide(Fit, Seen, leaving)  before an example comes, or replaces the oldest
//     update(Window)                             after that
//     add_newcomer(Fit, scratch), remove(i, n)   after a shrub came, before it goes

#include <cstddef>
#include <variant>

#include "shrubs/paper/losses/cross_entropy.hpp"
#include "shrubs/paper/losses/mse.hpp"
#include "shrubs/paper/losses/target_error.hpp"

namespace shrubs {

using AnyLoss = std::variant<MseLoss, CrossEntropyLoss, TargetError>;

/// The loss that a configuration asks for, in its memory.
template <std::size_t at = 0>
AnyLoss make_loss(Arena& arena, const Plan& plan) {
    using Candidate = std::variant_alternative_t<at, AnyLoss>;
    if constexpr (at + 1 < std::variant_size_v<AnyLoss>) {
        if (!Candidate::is_meant(plan.config)) {
            return make_loss<at + 1>(arena, plan);
        }
    }
    return Candidate(Candidate::reserve(arena, plan), plan.config);
}

}  // namespace shrubs
