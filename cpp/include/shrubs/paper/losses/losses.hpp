#pragma once

// All losses, and what Algorithm 1 asks of one. A loss is a type with
//
//     static Memory reserve(Arena&, Plan)        its memory
//     Loss(Memory, Config)
//     gradient(Fit, MemberRange, gradient)       line 9: by weight, of the mean loss over the
//     window largest_descent(Fit)                       after that: no shrub has a more negative
//     gradient largest_change(step_size, n_classes)       no step changes a weight by more
//     rescale(change)                            of a weight, to the scale of the targets
//
// and, if it keeps something from one example to the next,
//
//     add(Fit, Seen), slide(Fit, Seen, leaving)  before an example comes, or replaces the oldest
//     update(Window)                             after that
//     add_newcomer(Fit, scratch), remove(i, n)   after a shrub came, before it goes

#include <variant>

#include "shrubs/paper/losses/cross_entropy.hpp"
#include "shrubs/paper/losses/mse.hpp"
#include "shrubs/paper/losses/target_error.hpp"

namespace shrubs {

using AnyLoss = std::variant<MseLoss, CrossEntropyLoss, TargetError>;

/// The loss of a configuration, in its memory.
inline AnyLoss make_loss(Arena& arena, const Plan& plan) {
    const Config& config = plan.config;
    if (config.task == Task::regression) {
        return TargetError(TargetError::reserve(arena, plan), config);
    }
    if (config.loss == Loss::cross_entropy) {
        return CrossEntropyLoss(CrossEntropyLoss::reserve(arena, plan), config);
    }
    return MseLoss(MseLoss::reserve(arena, plan), config);
}

}  // namespace shrubs
