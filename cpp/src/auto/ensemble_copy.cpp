// How a new ensemble takes over what another one knows.

#include <algorithm>

#include "shrubs/auto/ensemble.hpp"

namespace shrubs {

void AutoEnsemble::copy_from(const AutoEnsemble& other) {
    if (other.examples_seen_ == 0) {
        return;  // it knows as little
    }
    examples_seen_ = other.examples_seen_;
    loss_ = other.loss_;
    surprises_ = other.surprises_;
    running_target_ = other.running_target_;
    score_quantiles_ = other.score_quantiles_;
    window_.copy_from(other.window_, scratch_.row);
    // Places that stay empty weigh as those of a new learner: a state tells nothing of its past.
    for (std::uint32_t expert = plan().n_places; expert < plan().n_experts; ++expert) {
        mixtures_.forget(expert);
    }
    copy_shrubs_from(other);
    beds_.copy_merits_from(other.beds_);
    scale_.copy_from(other.scale_);
    drifts_.copy_from(other.drifts_);
    for_each_common(companions_, plan().companions, other.companions_, other.plan().companions,
                    [&](auto& companion, const auto& old, std::uint32_t i, std::uint32_t j) {
                        companion.copy_from(old);
                        mixtures_.copy_weight(other.mixtures_, other.plan().n_places + j,
                                              plan().n_places + i);
                    });
    mixtures_.copy_losses(other.mixtures_);
    update_present();
    mixtures_.restore(present());
}

void AutoEnsemble::copy_predictor_from(const AutoEnsemble& other) {
    examples_seen_ = other.examples_seen_;
    running_target_ = other.running_target_;
    score_quantiles_ = other.score_quantiles_;
    window_.copy_outcomes_from(other.window_);
    for (std::uint32_t place = 0; place < plan().n_places; ++place) {
        if (other.shrubs_.is_grown(place)) {
            shrubs_.copy_same_from(other.shrubs_, place);
        }
    }
    scale_.copy_from(other.scale_);
    for_each_common(companions_, plan().companions, other.companions_, other.plan().companions,
                    [](auto& companion, const auto& same, std::uint32_t, std::uint32_t) {
                        companion.copy_from(same);
                    });
    mixtures_.copy_same_from(other.mixtures_);
    update_present();
}

// A shrub that is growing in `other` is grown as far here, if all of its examples are.
void AutoEnsemble::copy_growing_from(const AutoEnsemble& other, std::uint32_t from,
                                     std::uint32_t to) {
    const ShrubGroup& group = plan().groups[to];
    const ShrubGroup& old = other.plan().groups[from];
    const GrowingShrub& shrub = other.beds_[old.bed];
    const std::uint32_t n_lost = group.recalls ? recalled_features + shrub.lag : 0;
    const std::uint32_t n_left_behind = other.window_.size() - window_.size();
    const std::uint32_t age = other.window_.age(shrub.first_slot);
    const std::uint32_t place = group.first_place + shrub.place - old.first_place;
    if (old.reactive || plan().is_small || shrub.group != from || age < n_left_behind + n_lost ||
        leans(place) != other.leans(shrub.place)) {
        return;
    }
    std::ranges::copy(other.beds_.favourites(old.bed), beds_.favourites(group.bed).begin());
    beds_.sow(group.bed,
              {.group = static_cast<std::uint16_t>(to),
               .place = static_cast<std::uint16_t>(place),
               .length = shrub.length,
               .lag = shrub.lag,
               .began = shrub.began,
               .down = shrub.down,
               .mean = shrub.mean,
               .relative = shrub.relative,
               .first_slot = window_.slot(age - n_left_behind)},
              window_, config_.seed);
    if (config_.task == Task::regression) {
        std::ranges::copy(other.beds_.centred(other.plan(), shrub),
                          beds_.centred(plan(), beds_[group.bed]).begin());
    }
    mixtures_.forget(place);
    if (beds_.tend(group.bed, shrub.n_visited, window_, shrubs_)) {
        settle(group.bed);
    }
}

// Both have their groups in the same order. In a short window several reactive groups are of the
// same length: each has its own successor. A shrub that has become too large stays behind.
void AutoEnsemble::copy_shrubs_from(const AutoEnsemble& other) {
    std::uint32_t next = 0;
    for (std::uint32_t g = 0; g < plan().n_groups; ++g) {
        const ShrubGroup& group = plan().groups[g];
        const auto olds = other.plan().all_groups().subspan(next);
        const auto old = std::ranges::find_if(olds, [&](const ShrubGroup& candidate) {
            return candidate.length == group.length && candidate.reactive == group.reactive &&
                   candidate.recalls == group.recalls;
        });
        if (old == olds.end()) {
            continue;
        }
        next += static_cast<std::uint32_t>(old - olds.begin()) + 1;
        since_grown_[g] = other.since_grown_[next - 1];
        copy_growing_from(other, next - 1, g);
        for (std::uint32_t i = 0; i < std::min(group.n_places, old->n_places); ++i) {
            const std::uint32_t from = old->first_place + i;
            const std::uint32_t to = group.first_place + i;
            if (leans(to) == other.leans(from) && shrubs_.copy_from(other.shrubs_, from, to)) {
                mixtures_.copy_weight(other.mixtures_, from, to);
            }
        }
    }
}

}  // namespace shrubs
