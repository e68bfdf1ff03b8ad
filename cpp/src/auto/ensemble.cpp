#include "shrubs/auto/ensemble.hpp"

#include <algorithm>
#include <cfloat>
#include <functional>
#include <limits>

#include "shrubs/numerics/exponential.hpp"

namespace shrubs {

namespace {

static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "sums must round to double");

std::uint32_t count(std::span<const std::uint8_t> nominal) {
    return static_cast<std::uint32_t>(std::ranges::count(nominal, 1));
}

double squared(double x) {
    return x * x;
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
        .scale = FeatureScale::reserve(arena, n_features),
        .beds = Beds::reserve(arena, plan),
        .drifts = Drifts::reserve(arena, plan),
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
        companion.reserve(counter, plan.companion_sizes());
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
    for_each_chosen(companions_, plan.companions, [&](auto& companion, std::uint32_t) {
        companion.begin(companion.reserve(all, plan.companion_sizes()), plan.companion_sizes());
    });
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
    scratch_ = memory.scratch;
    update_present();
}

// -- predicting ----------------------------------------------------------------------------------

void AutoEnsemble::predict(std::span<const float> x, std::span<double> f) const {
    evaluate(x);
    if (!knows_nothing()) {
        restore(f);
    } else if (config_.task == Task::regression) {
        f[0] = 0.0;
    } else {
        std::ranges::fill(f, 1.0 / static_cast<double>(f.size()));
    }
}

// What was mixed as a prediction. Those of the experts are rounded to single precision, so that
// their mix sums to one only nearly.
void AutoEnsemble::restore(std::span<double> f) const {
    if (config_.task == Task::regression) {
        f[0] = running_target_.bounded(running_target_.restore(scratch_.output[0]));
        return;
    }
    double sum = 0.0;
    for (const double p : scratch_.output) {
        sum += p;
    }
    std::ranges::transform(scratch_.output, f.begin(), [&](double p) { return p / sum; });
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
        companion.predict({x, scale_, last}, scratch_.output, prediction(plan().n_places + i));
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
        .predict({x, scale_, LastOutcomes{}}, {&scratch, 1}, {&said, 1});
    return running_target_.restore(said);
}

// What a leaf of this shrub has to learn from the example at hand.
double AutoEnsemble::outcome_for(std::uint32_t place, double target) const {
    if (leans(place)) {
        return kept_finite(target - leaned_on());
    }
    return shrubs_.group_of(place).recalls ? kept_finite(target - last_target()) : target;
}

double AutoEnsemble::last_target() const {
    return window_.size() == 0 ? 0.0 : window_.targets()[window_.slot(window_.size() - 1)];
}

std::array<float, recalled_features> AutoEnsemble::recalled() const {
    const std::uint32_t n = window_.size();
    if (n < recalled_features) {
        constexpr float missing = std::numeric_limits<float>::quiet_NaN();
        return {missing, missing};
    }
    const std::uint32_t last = window_.slot(n - 1);
    const std::uint32_t before = window_.slot(n - 2);
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
    LastOutcomes last{.n = std::min(window_.size(), LastOutcomes::most)};
    for (std::uint32_t i = 0; i < last.n; ++i) {
        const std::uint32_t slot = window_.slot(window_.size() - 1 - i);
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
    evaluate(example.x);
    learn_next(example);
}

void AutoEnsemble::learn_next(const Example& example) {
    if (!knows_nothing()) {
        learn_score(example);
    }
    set_target(example);
    if (n_present_ > 0) {
        watch_drift();
        loss_ = loss_forgetting * loss_ +
                squared_loss(std::span<const double>(scratch_.output), scratch_.target);
        mixtures_.learn(scratch_.predictions, present(), scratch_.target);
    }
    update_leaves(example);
    update_companions(example);
    for (std::size_t bed = 0; bed < beds_.n_slow(); ++bed) {
        if (beds_.is_in_danger(bed, window_, shrubs_)) {
            tend(bed, Beds::all_values);
        }
    }
    window_.add(example);
    grow_due(example);
    mixtures_.restore(present());
    look();
    ++examples_seen_;
}

// How far the prediction was from what came. A distance that rounding explains is none.
void AutoEnsemble::learn_score(const Example& example) {
    const std::span<double> said = scratch_.target;
    restore(said);
    if (config_.task == Task::classification) {
        const auto top = std::ranges::max_element(said) - said.begin();
        score_quantiles_.learn(class_score(said[example.label], top == example.label), 1.0);
        return;
    }
    const double distance = example.target - said[0];
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

// -- growing -------------------------------------------------------------------------------------

// Shrubs whose turn it is begin to grow, and all that have begun grow a little. While fewer
// examples are kept than a window is long, it takes all of them.
void AutoEnsemble::grow_due(const Example& example) {
    for (std::uint32_t g = 0; g < plan().n_groups; ++g) {
        const ShrubGroup& group = plan().groups[g];
        // The two oldest examples have lost what came before them.
        const std::uint32_t n_lost = group.recalls ? recalled_features : 0;
        if (window_.size() <= n_lost) {
            continue;
        }
        const std::uint32_t most = window_.capacity() - window_.capacity() / growing_share;
        const std::uint32_t length =
            std::min<std::uint32_t>(group.length, std::min(most, window_.size()) - n_lost);
        ++since_grown_[g];
        const bool is_due = since_grown_[g] >= length / group.shrubs_per_window();
        if (group.reactive) {
            const std::uint32_t place = group.first_place;
            if (!shrubs_.is_grown(place) || (is_due && was_wrong(place, example))) {
                start(g, place, length);
            }
        } else if (is_due && beds_[group.bed].is_free() &&
                   (since_grown_[g] >= slower_if_light * length / group.shrubs_per_window() ||
                    has_its_share(group))) {
            start(g, worst_place(group), length);
        }
    }
    // The shortest windows first: they are soon done, and the longest can wait.
    std::uint64_t n_values =
        growing_rate * beds_.n_slow() * (std::uint64_t{dimensions().n_features} + 3);
    for (std::size_t bed = 0; bed < beds_.n_slow() && n_values > 0; ++bed) {
        if (!beds_[bed].is_free()) {
            n_values -= std::min(n_values, tend(bed, n_values));
        }
    }
}

// Whether its shrubs weigh as much in the prediction as others do in the mean.
bool AutoEnsemble::has_its_share(const ShrubGroup& group) const {
    double weight = 0.0;
    for (std::uint32_t i = 0; i < group.n_places; ++i) {
        weight += mixtures_.weight(group.first_place + i);
    }
    return weight * plan().n_places >= group.n_places;
}

bool AutoEnsemble::was_wrong(std::uint32_t place, const Example& example) const {
    const std::span<const float> said = prediction(place);
    if (config_.task == Task::classification) {
        return std::ranges::max_element(said) - said.begin() != example.label;
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

// A reactive shrub stays to the mixtures what it was.
void AutoEnsemble::start(std::uint32_t g, std::uint32_t place, std::uint32_t length) {
    const ShrubGroup& group = plan().groups[g];
    beds_.sow(group.bed,
              {.group = static_cast<std::uint16_t>(g),
               .place = static_cast<std::uint16_t>(place),
               .length = length,
               .began = examples_seen_,
               .down = running_target_.down(),
               .relative = group.recalls || leans(place),
               .first_slot = window_.slot(window_.size() - length)},
              window_, config_.seed);
    since_grown_[g] = 0;
    if (!group.reactive || !shrubs_.is_grown(place)) {
        mixtures_.forget(place);
        shrubs_.loss(place) = loss_;
    }
    shrubs_.clear(place);
    update_present();
    // What is left of a target changes with the linear model: none of a regression waits.
    if (config_.task == Task::regression) {
        centre_targets(place, length);
    }
    if (group.reactive || config_.task == Task::regression) {
        tend(group.bed, Beds::all_values);
    }
}

// The targets of the last examples, from their mean; or how they changed, or what the linear model
// leaves of them.
void AutoEnsemble::centre_targets(std::uint32_t place, std::uint32_t length) {
    const double down = running_target_.down();
    const RecalledValues changes(window_, 0, down);
    const std::span<float> row = scratch_.recalling.first(dimensions().n_features);
    for (std::uint32_t age = window_.size() - length; age < window_.size(); ++age) {
        const std::uint32_t slot = window_.slot(age);
        const double target = window_.targets()[slot];
        if (shrubs_.group_of(place).recalls) {
            beds_.centred()[slot] = changes.changed(slot) * down;
        } else if (leans(place)) {
            window_.copy_example(slot, row);
            beds_.centred()[slot] = kept_finite(target - linear_target(row)) * down;
        } else {
            beds_.centred()[slot] = target * down - running_target_.mean();
        }
    }
}

// Returns how many values were visited.
std::uint64_t AutoEnsemble::tend(std::size_t bed, std::uint64_t n_values) {
    const std::uint64_t before = beds_[bed].n_visited;
    if (beds_.tend(bed, n_values, window_, shrubs_)) {
        const GrowingShrub& shrub = beds_[bed];
        shrubs_.set(shrub.place, shrub.n_inner, shrub.began);
        if (!shrubs_.group_of(shrub.place).reactive) {
            shrubs_.loss(shrub.place) = loss_;
        }
        beds_.clear(bed);
        update_present();
    }
    return beds_[bed].n_visited - before;
}

// All of it, before examples leave that a shrub needs.
void AutoEnsemble::finish_growing() {
    for (std::size_t bed = 0; bed < beds_.n_slow(); ++bed) {
        if (!beds_[bed].is_free()) {
            tend(bed, Beds::all_values);
        }
    }
}

// -- drifts --------------------------------------------------------------------------------------

// What the shrubs of the longest window say stands for the past. Of those that know what a target
// was, those that lean on the linear model and all others, the past is as good as the best.
void AutoEnsemble::watch_drift() {
    const std::span<double> past = drifts_.past();
    if (!drifts_.remembers() || !mean_of(past_group(false), false, past)) {
        return;
    }
    if (config_.task == Task::regression) {
        const auto take_if_better = [&](const ShrubGroup* group, bool leaning) {
            double said = 0.0;
            if (group != nullptr && mean_of(group, leaning, {&said, 1}) &&
                squared(said - scratch_.target[0]) < squared(past[0] - scratch_.target[0])) {
                past[0] = said;
            }
        };
        take_if_better(past_group(false), true);
        take_if_better(past_group(true), false);
    }
    drifts_.watch(config_.task, scratch_.output, scratch_.target, examples_seen_ + 1);
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

// -- forgetting ----------------------------------------------------------------------------------

void AutoEnsemble::forget_feature(std::uint32_t feature) {
    for (std::uint32_t place = 0; place < plan().n_places; ++place) {
        if (shrubs_.is_grown(place)) {
            shrubs_.forget_feature(place, feature);
        }
    }
    scale_.forget(feature);
    drifts_.forget_feature(feature);
    for_each_chosen(companions_, plan().companions,
                    [&](auto& companion, std::uint32_t) { companion.forget_feature(feature); });
}

void AutoEnsemble::forget_class(std::uint16_t label) {
    finish_growing();
    for (std::uint32_t place = 0; place < plan().n_places; ++place) {
        if (shrubs_.is_grown(place)) {
            shrubs_.forget_class(place, label);
        }
    }
    window_.remove_class(label);
    drifts_.forget_class(label);
    for_each_chosen(companions_, plan().companions,
                    [&](auto& companion, std::uint32_t) { companion.forget_class(label); });
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

// -- looking, saving, moving ---------------------------------------------------------------------

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
    archive.array(std::span(since_grown_).first(plan().n_groups));
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

void AutoEnsemble::copy_from(const AutoEnsemble& other) {
    if (other.examples_seen_ == 0) {
        return;  // it knows as little
    }
    examples_seen_ = other.examples_seen_;
    loss_ = other.loss_;
    running_target_ = other.running_target_;
    score_quantiles_ = other.score_quantiles_;
    window_.copy_from(other.window_, scratch_.row);
    // Places that stay empty weigh as those of a new learner: a state tells nothing of its past.
    for (std::uint32_t expert = plan().n_places; expert < plan().n_experts; ++expert) {
        mixtures_.forget(expert);
    }
    copy_shrubs_from(other);
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

// A shrub that is growing in `other` is grown as far here, if all of its examples are.
void AutoEnsemble::copy_growing_from(const AutoEnsemble& other, std::uint32_t from,
                                     std::uint32_t to) {
    const ShrubGroup& group = plan().groups[to];
    const ShrubGroup& old = other.plan().groups[from];
    const GrowingShrub& shrub = other.beds_[old.bed];
    const std::uint32_t n_lost = group.recalls ? recalled_features : 0;
    const std::uint32_t n_left_behind = other.window_.size() - window_.size();
    const std::uint32_t age = other.window_.age(shrub.first_slot);
    if (old.reactive || shrub.group != from || age < n_left_behind + n_lost) {
        return;
    }
    beds_.sow(
        group.bed,
        {.group = static_cast<std::uint16_t>(to),
         .place = static_cast<std::uint16_t>(group.first_place + shrub.place - old.first_place),
         .length = shrub.length,
         .began = shrub.began,
         .first_slot = window_.slot(age - n_left_behind)},
        window_, config_.seed);
    mixtures_.forget(beds_[group.bed].place);
    tend(group.bed, shrub.n_visited);
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
        for (std::uint32_t i = 0; i < group.n_places; ++i) {
            const std::uint32_t from = old->first_place + i;
            const std::uint32_t to = group.first_place + i;
            if (leans(to) == other.leans(from) && shrubs_.copy_from(other.shrubs_, from, to)) {
                mixtures_.copy_weight(other.mixtures_, from, to);
            }
        }
    }
}

}  // namespace shrubs
