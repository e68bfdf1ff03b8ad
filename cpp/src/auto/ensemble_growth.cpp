// How the ensemble grows its shrubs: when, in which place, and how much with every example.

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "shrubs/auto/ensemble.hpp"

namespace shrubs {

// Shrubs whose turn it is begin to grow, and all that have begun grow a little. While fewer
// examples are kept than a window is long, it takes all of them.
void AutoEnsemble::grow_due(const Example& example) {
    for (std::uint32_t g = 0; g < plan().n_groups; ++g) {
        const ShrubGroup& group = plan().groups[g];
        // The two oldest examples have lost what came before them.
        const std::uint32_t n_lost = group.recalls ? recalled_features + lag_ : 0;
        const std::uint32_t most = window_.capacity() - window_.capacity() / growing_share;
        const std::uint32_t n = std::min(most, window_.size());
        if (n <= n_lost) {
            continue;
        }
        const std::uint32_t length = std::min<std::uint32_t>(group.length, n - n_lost);
        ++since_grown_[g];
        if (group.reactive) {
            const std::uint32_t place = group.first_place;
            if (may_still_visit() > 0 &&
                (!shrubs_.is_grown(place) || (was_wrong(place, example) && is_due(g, length)))) {
                start(g, place, length);
            }
        } else if (beds_[group.bed].is_free() && is_due(g, length)) {
            start(g, worst_place(group), length);
        }
    }
    // The shortest windows first: they are soon done, and the longest can wait.
    const std::uint32_t rate =
        config_.task == Task::regression ? target_growing_rate : growing_rate;
    std::uint64_t n_values = std::min(
        rate * beds_.n_slow() * (std::uint64_t{dimensions().n_features} + 3), may_still_visit());
    for (std::size_t bed = 0; bed < beds_.n_slow() && n_values > 0; ++bed) {
        if (!beds_[bed].is_free()) {
            n_values -= std::min(n_values, tend(bed, n_values));
        }
    }
}

// Values of the example at hand that growing may visit, so that none has to wait long.
std::uint64_t AutoEnsemble::may_still_visit() const {
    if (config_.task == Task::regression || plan().is_small) {
        return all_values;
    }
    const std::uint64_t most = growing_bound * plan().n_visited();
    return most - std::min<std::uint64_t>(most, n_visited_);
}

void AutoEnsemble::count_visited(std::uint64_t n_values) {
    constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    n_visited_ += static_cast<std::uint32_t>(std::min<std::uint64_t>(n_values, most - n_visited_));
}

// Whether it is time for another shrub on a window of this length. When the concept may be
// changing, what weighs little may soon be what is needed.
bool AutoEnsemble::is_due(std::uint32_t g, std::uint32_t length) const {
    const ShrubGroup& group = plan().groups[g];
    const std::uint32_t rhythm = std::max<std::uint32_t>(length / group.shrubs_per_window(), 1);
    return since_grown_[g] >= slower_if_light * rhythm ||
           (since_grown_[g] >= rhythm && !(drifts_.is_calm() && is_light(group)));
}

// Whether its shrubs weigh less in the prediction than others do in the mean, or a reactive one
// next to nothing.
bool AutoEnsemble::is_light(const ShrubGroup& group) const {
    const double weight = mixtures_.weight_together(group.first_place, group.n_places);
    return weight * plan().n_places < (group.reactive ? light_reactive : group.n_places);
}

// Who does not know of a class is not wrong.
bool AutoEnsemble::was_wrong(std::uint32_t place, const Example& example) const {
    const std::span<const float> said = prediction(place);
    if (config_.task == Task::classification) {
        return !example.is_first && std::ranges::max_element(said) - said.begin() != example.label;
    }
    const double error = said[0] - scratch_.target[0];
    return error * error > loss_ * (1.0 - loss_forgetting);
}

// A free place, or that of the lightest shrub; of equals, the one with the largest loss.
std::uint32_t AutoEnsemble::worst_place(const ShrubGroup& group) const {
    std::uint32_t worst = group.first_place;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < group.n_places; ++i) {
        const std::uint32_t place = group.first_place + i;
        if (!shrubs_.is_grown(place)) {
            return place;
        }
        const double weight = mixtures_.weight(place);
        if (weight < least || (weight == least && shrubs_.loss(place) > shrubs_.loss(worst))) {
            least = weight;
            worst = place;
        }
    }
    return worst;
}

// The features that the heaviest shrubs ask for first, and those whose splits told most of other
// examples. What tells something is soon known, and not every shrub needs to find it again.
void AutoEnsemble::choose_favourites(std::span<std::uint16_t> favourites) const {
    const std::size_t n = take_from_heaviest(favourites);
    std::ranges::fill(take_by_merit(favourites, n), Beds::no_feature);
}

// Returns how many they are.
std::size_t AutoEnsemble::take_from_heaviest(std::span<std::uint16_t> favourites) const {
    constexpr std::uint32_t n_shrubs = 4;
    constexpr std::uint32_t n_nodes = max_favourites / n_shrubs;
    std::array<std::pair<double, std::uint32_t>, n_shrubs + 1> heaviest{};
    for (std::uint32_t place = 0; place < plan().n_places; ++place) {
        if (shrubs_.is_grown(place)) {
            std::size_t i = n_shrubs;
            heaviest[i] = {mixtures_.weight(place), place};
            for (; i > 0 && heaviest[i].first > heaviest[i - 1].first; --i) {
                std::swap(heaviest[i], heaviest[i - 1]);
            }
        }
    }
    std::size_t n = 0;
    for (std::uint32_t i = 0; i < n_shrubs && heaviest[i].first > 0.0; ++i) {
        const NewShrub shrub = shrubs_.shrub(heaviest[i].second);
        for (std::uint32_t node = 0; node < std::min(shrub.n_inner, n_nodes); ++node) {
            const auto feature = static_cast<std::uint16_t>(
                read_node(shrub.node_bytes, shrub.nodes, node).split.feature);
            const auto known = favourites.first(n);
            if (feature < dimensions().n_features &&
                std::ranges::find(known, feature) == known.end()) {
                favourites[n++] = feature;
            }
        }
    }
    return n;
}

// Behind the first n; returns what is left.
std::span<std::uint16_t> AutoEnsemble::take_by_merit(std::span<std::uint16_t> favourites,
                                                     std::size_t n) const {
    constexpr float least_merit = 0.09375F;
    const std::span<const float> merits = beds_.merits();
    const std::span<const std::uint16_t> known = favourites.first(n);
    const std::span<std::uint16_t> places = favourites.subspan(n);
    std::size_t n_taken = 0;
    for (std::uint32_t feature = 0; feature < merits.size(); ++feature) {
        if (merits[feature] < least_merit || std::ranges::find(known, feature) != known.end()) {
            continue;
        }
        std::size_t at = n_taken;
        for (; at > 0 && merits[feature] > merits[places[at - 1]]; --at) {
            if (at < places.size()) {
                places[at] = places[at - 1];
            }
        }
        if (at < places.size()) {
            places[at] = static_cast<std::uint16_t>(feature);
            n_taken = std::min(n_taken + 1, places.size());
        }
    }
    return places.subspan(n_taken);
}

// What tells nothing would hide who is near.
void AutoEnsemble::compare_by_merit() {
    if (plan().companions[neighbours_companion]) {
        std::array<std::uint16_t, Neighbours::most_compared> features{};
        const std::span<std::uint16_t> places(features);
        const std::size_t n = places.size() - take_by_merit(places, 0).size();
        std::get<neighbours_companion>(companions_)->compare_by(places.first(n), window_, scale_);
    }
}

// A reactive shrub stays to the mixtures what it was.
void AutoEnsemble::start(std::uint32_t g, std::uint32_t place, std::uint32_t length) {
    const ShrubGroup& group = plan().groups[g];
    if (are_many(dimensions().n_features)) {
        choose_favourites(beds_.favourites(group.bed));
        compare_by_merit();
    }
    beds_.sow(group.bed,
              {.group = static_cast<std::uint16_t>(g),
               .place = static_cast<std::uint16_t>(place),
               .length = length,
               .lag = group.recalls ? lag_ : 0,
               .began = examples_seen_,
               .down = running_target_.down(),
               .mean = running_target_.mean(),
               .relative = static_cast<std::uint8_t>(group.recalls || leans(place) ? 1 : 0),
               .first_slot = window_.slot(window_.size() - length)},
              window_, config_.seed);
    since_grown_[g] = 0;
    if (!group.reactive || !shrubs_.is_grown(place)) {
        mixtures_.forget(place);
        shrubs_.loss(place) = loss_;
    }
    shrubs_.clear(place);
    if (group.reactive || plan().is_small) {
        finish(group.bed);
    }
}

// The next targets that a shrub is told: from their mean; or how they changed, or what the linear
// model, as it is now, leaves of them.
void AutoEnsemble::centre_targets(const GrowingShrub& shrub, std::uint32_t n) {
    const RecalledValues changes(window_, 0, shrub.down, shrub.lag);
    const std::span<float> row = scratch_.recalling.first(dimensions().n_features);
    const auto centred = [&](std::uint32_t slot) {
        const double target = window_.targets()[slot];
        if (shrubs_.group_of(shrub.place).recalls) {
            return changes.changed(slot) * shrub.down;
        }
        if (leans(shrub.place)) {
            window_.copy_example(slot, row);
            return kept_finite(target - linear_target(row)) * shrub.down;
        }
        return target * shrub.down - shrub.mean;
    };
    // After a target far beyond those before it, the linear model may say anything.
    constexpr double largest = std::numeric_limits<float>::max();
    std::uint32_t age = window_.age(shrub.first_slot) + shrub.n_gathered();
    for (float& value : beds_.centred(plan(), shrub).subspan(shrub.n_gathered(), n)) {
        value = static_cast<float>(std::clamp(centred(window_.slot(age++)), -largest, largest));
    }
}

// Returns how many values were visited. In a regression an example that is gathered counts as all
// of its values.
std::uint64_t AutoEnsemble::tend(std::size_t bed, std::uint64_t n_values) {
    const GrowingShrub& shrub = beds_[bed];
    const auto waits = [&] {
        return config_.task == Task::regression && shrub.n_gathered() < shrub.length;
    };
    std::uint64_t n_spent = 0;
    bool is_grown = false;
    if (waits()) {
        const std::uint64_t each = std::uint64_t{dimensions().n_features} + 3;
        const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(
            std::max<std::uint64_t>(n_values / each, 1), shrub.length - shrub.n_gathered()));
        centre_targets(shrub, n);
        is_grown = beds_.tend(bed, n, window_, shrubs_);
        n_spent = n * each;
    }
    if (n_spent < n_values && !is_grown && !waits()) {
        const std::uint64_t before = shrub.n_visited;
        is_grown = beds_.tend(bed, n_values - n_spent, window_, shrubs_);
        n_spent += shrub.n_visited - before;
    }
    if (is_grown) {
        settle(bed);
    }
    count_visited(n_spent);
    return n_spent;
}

// All of it, or what the example at hand may visit: the rest are leaves.
void AutoEnsemble::finish(std::size_t bed) {
    if (config_.task == Task::regression) {
        tend(bed, all_values);
        return;
    }
    const std::uint64_t before = beds_[bed].n_visited;
    beds_.finish(bed, may_still_visit(), window_, shrubs_);
    count_visited(beds_[bed].n_visited - before);
    settle(bed);
}

void AutoEnsemble::settle(std::size_t bed) {
    const GrowingShrub& shrub = beds_[bed];
    shrubs_.set(shrub.place, shrub.n_inner, shrub.began);
    if (!shrubs_.group_of(shrub.place).reactive) {
        shrubs_.loss(shrub.place) = loss_;
    }
    beds_.clear(bed);
}

// All of it, before examples leave that a shrub needs.
void AutoEnsemble::finish_growing() {
    for (std::size_t bed = 0; bed < beds_.n_slow(); ++bed) {
        if (!beds_[bed].is_free()) {
            tend(bed, all_values);
        }
    }
    update_present();
}

}  // namespace shrubs
