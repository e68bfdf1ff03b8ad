#include "shrubs/auto/ensemble.hpp"

#include <algorithm>
#include <cfloat>
#include <limits>
#include <memory>
#include <utility>

#include "shrubs/numerics/exponential.hpp"

namespace shrubs {

namespace {

static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "sums must round to double");

std::uint32_t count(std::span<const std::uint8_t> nominal) {
    return static_cast<std::uint32_t>(std::ranges::count(nominal, 1));
}

}  // namespace

AutoEnsemble::Memory AutoEnsemble::reserve(Arena& arena, const AutoPlan& plan) {
    const std::uint32_t n_features = plan.dimensions.n_features;
    const std::uint32_t width = plan.width();
    constexpr Purpose scratch = Purpose::scratch;
    return {
        .window = Window::reserve(
            arena, {.task = plan.task, .window_size = plan.window_size, .n_features = n_features}),
        .shrubs = PlacedShrubs::reserve(arena, plan),
        .mixtures = Mixtures::reserve(arena, plan.ranges, width),
        .scale = FeatureScale::reserve(arena, plan.n_scales()),
        .beds = Beds::reserve(arena, plan),
        .drifts = Drifts::reserve(arena, plan),
        .present = arena.array<std::uint16_t>(Purpose::weights, plan.n_experts),
        .since_grown = arena.array<std::uint32_t>(Purpose::shrubs, plan.n_groups),
        .scratch = {
            .row = arena.array<float>(scratch, n_features),
            .recalling = arena.array<float>(scratch, n_features + recalled_features),
            .kinds = arena.array<std::uint8_t>(scratch, n_features + recalled_features),
            .leaves = arena.array<std::uint16_t>(scratch, plan.n_places),
            .predictions = arena.array<float>(scratch, std::uint64_t{plan.n_experts} * width),
            .output = arena.array<double>(scratch, width),
            .target = arena.array<double>(scratch, width)}};
}

MemoryReport AutoEnsemble::report(const AutoPlan& plan) {
    Arena counter;
    reserve(counter, plan);
    const Companions companions = make_companions();
    for_each_chosen(companions, plan.companions, [&](const auto& companion, std::uint32_t) {
        reserve_companion(counter, companion, plan.companion_sizes());
    });
    return counter.report();
}

bool AutoEnsemble::can_hold(const AutoConfig& config, const Dimensions& dimensions,
                            std::span<const std::uint8_t> nominal) {
    return is_valid(config, dimensions) &&
           make_auto_plan(config, dimensions, count(nominal)).window_size > 0;
}

AutoEnsemble::AutoEnsemble(const AutoConfig& config, const Dimensions& dimensions,
                           std::span<const std::uint8_t> nominal, std::span<std::byte> arena)
    : config_(config) {
    const AutoPlan plan = make_auto_plan(config, dimensions, count(nominal));
    Arena all(arena);
    Memory memory = reserve(all, plan);
    choose(all, plan);
    std::ranges::copy(nominal, memory.window.nominal.begin());
    window_ = Window(memory.window, plan.window_size, dimensions.n_features);
    shrubs_ = PlacedShrubs(memory.shrubs, plan);
    mixtures_ = Mixtures(memory.mixtures, plan.ranges, plan.width());
    mixtures_.begin();
    memory.scale.nominal = window_.nominal();
    scale_ = FeatureScale(memory.scale);
    scale_.begin();
    beds_ = Beds(memory.beds);
    drifts_ = Drifts(memory.drifts);
    present_ = memory.present;
    since_grown_ = memory.since_grown;
    scratch_ = memory.scratch;
    update_present();
}

// Makes the companions of a plan.
void AutoEnsemble::choose(Arena& arena, const AutoPlan& plan) {
    const Companions all = make_companions();
    const auto choose_one = [&]<std::size_t at>() {
        if (plan.companions[at]) {
            const CompanionSizes sizes = plan.companion_sizes();
            const auto [room, memory] = reserve_companion(arena, std::get<at>(all), sizes);
            auto* const companion = std::construct_at(room, std::get<at>(all));
            companion->begin(memory, sizes);
            std::get<at>(companions_) = companion;
        }
    };
    [&]<std::size_t... at>(std::index_sequence<at...>) {
        (choose_one.template operator()<at>(), ...);
    }(std::make_index_sequence<max_companions>());
}

// -- predicting ----------------------------------------------------------------------------------

void AutoEnsemble::predict(std::span<const float> x, std::span<double> f) const {
    evaluate(x);
    if (!knows_nothing()) {
        restore(scratch_.output, f);
    } else if (config_.task == Task::regression) {
        f[0] = 0.0;
    } else {
        std::ranges::fill(f, 1.0 / static_cast<double>(f.size()));
    }
}

// Predictions of the experts are rounded to single precision, so that their mix sums to one only
// nearly.
void AutoEnsemble::restore(std::span<const double> mixed, std::span<double> f) const {
    if (config_.task == Task::regression) {
        f[0] = running_target_.bounded(running_target_.restore(mixed[0]));
        return;
    }
    double sum = 0.0;
    for (const double p : mixed) {
        sum += p;
    }
    std::ranges::transform(mixed, f.begin(), [&](double p) { return p / sum; });
}

void AutoEnsemble::evaluate(std::span<const float> x) const {
    if (plan().width() == 0) {  // no class yet
        return;
    }
    predict_companions(x);  // first: some shrubs lean on one of them
    predict_shrubs(x);
    mixtures_.mix(scratch_.predictions, present(), scratch_.output);
}

void AutoEnsemble::predict_companions(std::span<const float> x) const {
    const LastOutcomes last = last_outcomes();
    for_each_chosen(companions_, plan().companions, [&](const auto& companion, std::uint32_t i) {
        companion.predict({x, scale_, last, lag_}, scratch_.output,
                          prediction(plan().n_places + i));
    });
}

void AutoEnsemble::predict_shrubs(std::span<const float> x) const {
    std::ranges::copy(recalled(), std::ranges::copy(x, scratch_.recalling.begin()).out);
    shrubs_.find_leaves(scratch_.recalling, scratch_.leaves);
    for (std::uint32_t place = 0; place < plan().n_places; ++place) {
        if (!shrubs_.is_grown(place)) {
            continue;
        }
        const std::uint32_t leaf = scratch_.leaves[place];
        if (config_.task == Task::classification) {
            shrubs_.counting_leaves(place).predict(leaf, prediction(place));
        } else {
            const double said = said_by(place, leaf);
            const double z =
                running_target_.standardise(leans(place) ? kept_finite(leaned_on() + said) : said);
            prediction(place)[0] =
                static_cast<float>(std::clamp(z, -largest_prediction, largest_prediction));
        }
    }
}

// A shrub that recalls says how the target changes.
double AutoEnsemble::said_by(std::uint32_t place, std::uint32_t leaf) const {
    const double mean = shrubs_.averaging_leaves(place).mean(leaf);
    return shrubs_.group_of(place).recalls ? kept_finite(last_target() + mean) : mean;
}

// Every second shrub of a regression that does not recall.
bool AutoEnsemble::leans(std::uint32_t place) const {
    return config_.task == Task::regression && plan().companions[linear_companion] &&
           !shrubs_.group_of(place).recalls && place % 2 == 1;
}

// What the linear model said of the example at hand: of the companions of a regression it is first.
double AutoEnsemble::leaned_on() const {
    return running_target_.restore(prediction(plan().n_places)[0]);
}

// What it says of another one now.
double AutoEnsemble::linear_target(std::span<const float> x) const {
    double scratch = 0.0;
    float said = 0.0F;
    std::get<linear_companion>(companions_)
        ->predict({x, scale_, LastOutcomes{}}, {&scratch, 1}, {&said, 1});
    return running_target_.restore(said);
}

// What a leaf of this shrub has to learn from the example at hand.
double AutoEnsemble::outcome_for(std::uint32_t place, double target) const {
    if (leans(place)) {
        return kept_finite(target - leaned_on());
    }
    return shrubs_.group_of(place).recalls ? kept_finite(target - last_target()) : target;
}

// Whether so many outcomes would be known after the usual delay.
bool AutoEnsemble::has_outcomes(std::uint32_t n) const {
    return window_.size() >= n && window_.size() - n >= config_.label_delay;
}

// Of the outcomes that are known, or were when the example at hand was predicted; 0 is the last.
std::uint32_t AutoEnsemble::last_slot(std::uint32_t back) const {
    return window_.slot(window_.size() - 1 - lag_ - back);
}

double AutoEnsemble::last_target() const {
    return has_outcomes(1) ? window_.targets()[last_slot(0)] : 0.0;
}

std::array<float, recalled_features> AutoEnsemble::recalled() const {
    if (!has_outcomes(recalled_features)) {
        constexpr float missing = std::numeric_limits<float>::quiet_NaN();
        return {missing, missing};
    }
    const std::uint32_t last = last_slot(0);
    const std::uint32_t before = last_slot(1);
    if (config_.task == Task::classification) {
        return {static_cast<float>(window_.labels()[last]),
                static_cast<float>(window_.labels()[before])};
    }
    const double down = running_target_.down();
    const double target = window_.targets()[last] * down;
    return {static_cast<float>(target),
            static_cast<float>(target - window_.targets()[before] * down)};
}

LastOutcomes AutoEnsemble::last_outcomes() const {
    LastOutcomes last;
    for (; last.n < LastOutcomes::most && has_outcomes(last.n + 1); ++last.n) {
        const std::uint32_t i = last.n;
        const std::uint32_t slot = last_slot(i);
        if (config_.task == Task::classification) {
            last.labels[i] = window_.labels()[slot];
        } else {
            last.targets[i] = running_target_.standardise(window_.targets()[slot]);
        }
    }
    return last;
}

// -- learning ------------------------------------------------------------------------------------

void AutoEnsemble::learn(const Example& example) {
    lag_ = config_.label_delay;
    evaluate(example.x);
    learn_evaluated(example);
    lag_ = 0;
}

void AutoEnsemble::learn_next(const Example& example) {
    config_.label_delay == 0 ? learn_evaluated(example) : learn(example);
}

void AutoEnsemble::learn_evaluated(const Example& example) {
    surprises_ <<= 1U;
    n_visited_ = 0;
    if (!knows_nothing()) {
        learn_score(example);
    }
    set_target(example);
    if (n_present_ > 0) {
        watch_drift();
        loss_ = loss_forgetting * loss_ +
                squared_loss(std::span<const double>(scratch_.output), scratch_.target);
        if (!example.is_first) {
            mixtures_.learn(scratch_.predictions, present(), scratch_.target);
        }
    }
    update_leaves(example);
    update_companions(example);
    for (std::size_t bed = 0; bed < beds_.n_slow(); ++bed) {
        if (beds_.is_in_danger(bed, window_, shrubs_)) {
            finish(bed);
        }
    }
    window_.add(example);
    grow_due(example);
    update_present();
    mixtures_.restore(present());
    look();
    ++examples_seen_;
}

// How far the prediction was from what came. A distance that rounding explains is none.
void AutoEnsemble::learn_score(const Example& example) {
    const std::span<double> said = scratch_.target;
    restore(scratch_.output, said);
    if (config_.task == Task::classification) {
        const auto top = std::ranges::max_element(said) - said.begin();
        score_quantiles_.learn(class_score(said[example.label], top == example.label), 1.0);
        surprises_ |= top == example.label ? 0U : 1U;
        return;
    }
    const double distance = example.target - said[0];
    surprises_ |= distance > 0.0 ? 1U : 0U;
    score_quantiles_.learn(distance < 0.0 ? -distance : distance, target_unit() * 0x1p-50);
}

// What a perfect expert would have said. An outlier counts as a smaller one.
void AutoEnsemble::set_target(const Example& example) {
    if (config_.task == Task::classification) {
        std::ranges::fill(scratch_.target, 0.0);
        scratch_.target[example.label] = 1.0;
    } else {
        const double z = running_target_.standardise(example.target);
        scratch_.target[0] =
            std::clamp(z, scratch_.output[0] - largest_error, scratch_.output[0] + largest_error);
    }
}

void AutoEnsemble::update_leaves(const Example& example) {
    for (std::uint32_t place = 0; place < plan().n_places; ++place) {
        if (!shrubs_.is_grown(place)) {
            continue;
        }
        shrubs_.loss(place) =
            loss_forgetting * shrubs_.loss(place) +
            squared_loss(std::span<const float>(prediction(place)), scratch_.target);
        const std::uint32_t leaf = scratch_.leaves[place];
        if (config_.task == Task::classification) {
            shrubs_.counting_leaves(place).learn(leaf, example.label);
        } else {
            shrubs_.averaging_leaves(place).learn(leaf, outcome_for(place, example.target));
        }
    }
}

void AutoEnsemble::update_companions(const Example& example) {
    const LastOutcomes last = last_outcomes();
    for_each_chosen(companions_, plan().companions, [&](auto& companion, std::uint32_t i) {
        companion.learn({example.x, scale_, last}, {.label = example.label,
                                                    .target = scratch_.target,
                                                    .said = prediction(plan().n_places + i),
                                                    .scratch = scratch_.output});
    });
    scale_.learn(example.x);
    if (config_.task == Task::regression) {
        running_target_.learn(example.target);
    }
}

void AutoEnsemble::update_present() {
    n_present_ = 0;
    for (std::uint32_t expert = 0; expert < plan().n_experts; ++expert) {
        if (expert >= plan().n_places || shrubs_.is_grown(expert)) {
            present_[n_present_++] = static_cast<std::uint16_t>(expert);
        }
    }
}

// -- forgetting ----------------------------------------------------------------------------------

void AutoEnsemble::forget_feature(std::uint32_t feature) {
    if (window_.has_values(feature)) {  // growing shrubs may ask for them
        finish_growing();
        window_.forget_feature(feature);
    }
    for (std::uint32_t place = 0; place < plan().n_places; ++place) {
        if (shrubs_.is_grown(place)) {
            shrubs_.forget_feature(place, feature);
        }
    }
    if (are_many(dimensions().n_features)) {
        beds_.merits()[feature] = 0.0F;
    }
    scale_.forget(feature);
    drifts_.forget_feature(feature);
    for_each_chosen(companions_, plan().companions,
                    [&](auto& companion, std::uint32_t) { companion.forget_feature(feature); });
}

void AutoEnsemble::renumber_classes(ClassNumbers now) {
    const bool changes_window = std::ranges::any_of(
        window_.labels().first(window_.size()), [&](auto label) { return now[label] != label; });
    if (changes_window) {
        finish_growing();
    }
    for (std::uint32_t place = 0; place < plan().n_places; ++place) {
        if (shrubs_.is_grown(place)) {
            shrubs_.renumber_classes(place, now);
        }
    }
    if (changes_window) {
        window_.renumber_classes(now);
    }
    drifts_.renumber_classes(now);
    for_each_chosen(companions_, plan().companions,
                    [&](auto& companion, std::uint32_t) { companion.renumber_classes(now); });
}

void AutoEnsemble::count_since_present(std::span<std::uint32_t> since) const {
    for (std::uint32_t feature = 0; feature < since.size(); ++feature) {
        const Window::Values values = window_.values(feature);
        std::uint32_t n = 0;
        while (n < window_.size()) {
            const float value = values[window_.slot(window_.size() - 1 - n)];
            if (value == value) {
                break;
            }
            ++n;
        }
        since[feature] = n;
    }
}

void AutoEnsemble::count_since_class(std::span<std::uint32_t> since,
                                     std::span<std::uint32_t> counts) const {
    std::ranges::fill(since, window_.size());
    std::ranges::fill(counts, 0U);
    for (std::uint32_t age = 0; age < window_.size(); ++age) {
        const std::uint16_t label = window_.labels()[window_.slot(age)];
        since[label] = window_.size() - 1 - age;
        ++counts[label];
    }
}

// -- looking, saving -----------------------------------------------------------------------------

double AutoEnsemble::weight(std::uint32_t expert) const {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < n_present_; ++i) {
        sum += mixtures_.weight(present_[i]);
    }
    return sum > 0.0 ? mixtures_.weight(expert) / sum : 0.0;
}

std::span<const std::uint8_t> AutoEnsemble::all_kinds() const {
    const auto recalled = std::ranges::copy(nominal(), scratch_.kinds.begin()).out;
    std::fill(recalled, scratch_.kinds.end(), config_.task == Task::classification ? 1 : 0);
    return scratch_.kinds;
}

void AutoEnsemble::archive(Archive& archive) {
    archive.value(examples_seen_);
    archive.value(loss_);
    archive.require(is_finite_and_not_negative(loss_));
    archive.array(since_grown_);
    window_.archive(archive, dimensions().n_classes, scratch_.row);
    archive.require(window_.size() <= examples_seen_ &&
                    (window_.size() > 0 || examples_seen_ == 0));
    shrubs_.archive(archive, all_kinds(), examples_seen_, beds_.scratch());
    beds_.archive(archive, window_, shrubs_, config_.seed, examples_seen_);
    mixtures_.archive(archive);
    scale_.archive(archive, examples_seen_);
    for_each_chosen(companions_, plan().companions,
                    [&](auto& companion, std::uint32_t) { companion.archive(archive); });
    drifts_.archive(archive, all_kinds(), dimensions().n_classes, examples_seen_);
    if (config_.task == Task::regression) {
        running_target_.archive(archive, examples_seen_);
        archive.require(archive.ok() && covers_targets());
    }
    score_quantiles_.archive(archive, examples_seen_);
    if (archive.reads() && archive.ok()) {
        update_present();
        mixtures_.restore(present());
    }
}

// Whether no target in the window is beyond those so far.
bool AutoEnsemble::covers_targets() const {
    const double down = running_target_.down();
    for (std::uint32_t age = 0; age < window_.size(); ++age) {
        const double y = window_.targets()[window_.slot(age)];
        if (!running_target_.contains(y) || !(y * down > -4.0 && y * down < 4.0)) {
            return false;
        }
    }
    return true;
}

}  // namespace shrubs
