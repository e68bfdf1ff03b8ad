// How the ensemble watches for changes of concept: what stands for the past, and a look at the
// shrubs.

#include <algorithm>
#include <functional>

#include "shrubs/auto/ensemble.hpp"

namespace shrubs {

namespace {

double squared(double x) {
    return x * x;
}

}  // namespace

// What the shrubs of the longest window say stands for the past. Of the shrubs that know what a
// target was, those that lean on the linear model and all others, the past is as good as the best.
void AutoEnsemble::watch_drift() {
    const std::span<double> past = drifts_.past();
    const ShrubGroup* group = past_group(false);
    if (!drifts_.remembers() || !mean_of(group, false, past)) {
        return;
    }
    if (config_.task == Task::regression) {
        const auto take_if_better = [&](const ShrubGroup* other, bool leaning) {
            double said = 0.0;
            if (other != nullptr && mean_of(other, leaning, {&said, 1}) &&
                squared(said - scratch_.target[0]) < squared(past[0] - scratch_.target[0])) {
                past[0] = said;
            }
        };
        take_if_better(group, true);
        take_if_better(past_group(true), false);
    }
    drifts_.watch(config_.task, scratch_.output, scratch_.target, examples_seen_ + 1,
                  group->length);
}

// The longest window whose shrubs were grown after the last drift, or the shortest of all.
const ShrubGroup* AutoEnsemble::past_group(bool recalls) const {
    const std::uint64_t since = drifts_.examples_since(examples_seen_);
    const ShrubGroup* found = nullptr;
    for (const ShrubGroup& group : plan().all_groups()) {
        if (!group.reactive && group.recalls == recalls &&
            (found == nullptr || 2 * std::uint64_t{group.length} <= since)) {
            found = &group;
        }
    }
    return found;
}

// What the shrubs of a group say on average that lean, or those that do not; false if there are
// none.
bool AutoEnsemble::mean_of(const ShrubGroup* group, bool leaning, std::span<double> said) const {
    std::ranges::fill(said, 0.0);
    std::uint32_t n = 0;
    for (std::uint32_t i = 0; i < group->n_places; ++i) {
        const std::uint32_t place = group->first_place + i;
        if (shrubs_.is_grown(place) && leans(place) == leaning) {
            std::ranges::transform(said, prediction(place), said.begin(), std::plus<double>());
            ++n;
        }
    }
    for (double& sum : said) {
        sum /= std::max<std::uint32_t>(n, 1);
    }
    return n > 0;
}

// At one shrub per example. Those that say how a target differs tell nothing of the target.
void AutoEnsemble::look() {
    const auto step = static_cast<std::uint32_t>(examples_seen_ % Drifts::look_every);
    if (!drifts_.remembers() || step > plan().n_places) {
        return;
    }
    if (step == 0) {
        drifts_.begin_look(examples_seen_ + 1);
    }
    const LookMaker maker{shrubs_,     running_target_.down(), drifts_.gains(), beds_.totals(),
                          beds_.ids(), drifts_.look()};
    if (step == plan().n_places) {
        maker.finish();
        drifts_.end_look();
    } else if (shrubs_.is_grown(step) && !leans(step) &&
               !(config_.task == Task::regression && shrubs_.group_of(step).recalls)) {
        const double weight = mixtures_.weight(step);
        if (weight > 0.0) {
            maker.visit(step, weight);
        }
    }
}

}  // namespace shrubs
