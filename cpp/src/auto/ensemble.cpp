#include "shrubs/auto/ensemble.hpp"

#include <algorithm>
#include <cfloat>
#include <limits>

#include "shrubs/numerics/exponential.hpp"

namespace shrubs {

namespace {

static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "sums must round to double");

// Of a prediction or an error of a regression, in deviations of the targets.
constexpr double most_deviations = 10.0;
constexpr double largest_error = 3.0;

template <class T>
std::span<T> view(std::span<std::byte> arena, const Region& region) {
    return {reinterpret_cast<T*>(arena.data() + region.offset),
            static_cast<std::size_t>(region.bytes / sizeof(T))};
}

std::uint32_t count(std::span<const std::uint8_t> nominal) {
    return static_cast<std::uint32_t>(std::ranges::count(nominal, 1));
}

std::uint32_t whole_root(std::uint32_t n) {
    std::uint32_t root = 0;
    while ((root + 1) * (root + 1) <= n) {
        ++root;
    }
    return root;
}

}  // namespace

AutoEnsemble::AutoEnsemble(const AutoConfig& config, const Dimensions& dimensions,
                           std::span<const std::uint8_t> nominal, std::span<std::byte> arena)
    : config_(config),
      dimensions_(dimensions),
      plan_(make_auto_plan(config, dimensions, count(nominal))),
      shrubs_(arena.data() + plan_.shrubs.offset) {
    nominal_ = view<std::uint8_t>(arena, plan_.nominal);
    std::ranges::copy(nominal, nominal_.begin());
    window_ = Window({.values = view<float>(arena, plan_.values),
                      .labels = view<std::uint16_t>(arena, plan_.labels),
                      .targets = view<double>(arena, plan_.targets),
                      .sorted = {},
                      .nominal = nominal_},
                     plan_.window_size, dimensions.n_features);
    mixtures_ = Mixtures({.weights = view<double>(arena, plan_.weights),
                          .losses = view<double>(arena, plan_.mixture_losses),
                          .predictions = view<double>(arena, plan_.mixtures),
                          .descended = view<double>(arena, plan_.descended),
                          .kept = view<double>(arena, plan_.kept)},
                         plan_.n_experts, plan_.width);
    scale_ = FeatureScale({.means = view<double>(arena, plan_.means),
                           .variances = view<double>(arena, plan_.variances),
                           .seen = view<std::uint16_t>(arena, plan_.seen),
                           .binary = view<std::uint8_t>(arena, plan_.binary),
                           .standardised = view<float>(arena, plan_.standardised),
                           .nominal = nominal_});
    const std::size_t classes = dimensions.n_classes;
    const std::size_t entries = classes * dimensions.n_features;
    const std::size_t bucket_entries = classes * plan_.n_buckets;
    for (std::uint32_t i = 0; i < plan_.n_bayes; ++i) {
        bayes_[i] = NaiveBayes(
            {.n = view<double>(arena, plan_.bayes_n).subspan(i * classes, classes),
             .means = view<float>(arena, plan_.bayes_means).subspan(i * entries, entries),
             .variances = view<float>(arena, plan_.bayes_variances).subspan(i * entries, entries),
             .buckets = view<float>(arena, plan_.bayes_buckets)
                            .subspan(i * bucket_entries, bucket_entries)},
            bayes_forgetting[i], plan_.n_buckets);
        bayes_[i].begin();
    }
    linear_ = LinearModel({.weights = view<float>(arena, plan_.linear_weights),
                           .squares = view<float>(arena, plan_.linear_squares)},
                          plan_.width, plan_.n_buckets);
    n_inner_ = view<std::uint16_t>(arena, plan_.n_inner).first(plan_.n_places);
    born_ = view<std::uint64_t>(arena, plan_.born);
    losses_ = view<double>(arena, plan_.losses);
    row_ = view<float>(arena, plan_.row);
    leaves_ = view<std::uint16_t>(arena, plan_.leaves);
    predictions_ = view<float>(arena, plan_.predictions);
    output_ = view<double>(arena, plan_.output);
    target_ = view<double>(arena, plan_.target);
    grow_scratch_ = {.order = view<std::uint16_t>(arena, plan_.order),
                     .features = view<std::uint16_t>(arena, plan_.features),
                     .pending = view<PendingNode>(arena, plan_.pending),
                     .left_counts = view<float>(arena, plan_.left_counts)};
    totals_ = view<std::uint32_t>(arena, plan_.totals);
    lefts_ = view<std::uint32_t>(arena, plan_.lefts);
    centred_ = view<double>(arena, plan_.centred);
    std::ranges::fill(n_inner_, not_grown);
    mixtures_.begin();
    scale_.begin();
    update_present();
}

// -- predicting ----------------------------------------------------------------------------------

void AutoEnsemble::predict_distribution(std::span<const float> x, std::span<double> f) const {
    if (examples_seen_ == 0 || n_present_ == 0) {
        std::ranges::fill(f, f.empty() ? 0.0 : 1.0 / static_cast<double>(f.size()));
        return;
    }
    evaluate(x);
    copy_probabilities(f);
}

double AutoEnsemble::predict_value(std::span<const float> x) const {
    if (examples_seen_ == 0 || n_present_ == 0) {
        return 0.0;
    }
    evaluate(x);
    return running_target_.restore(output_[0]);
}

void AutoEnsemble::predict_next(std::span<const float> x, std::span<double> f) {
    evaluate(x);
    const bool knows_nothing = examples_seen_ == 0 || n_present_ == 0;
    if (config_.task == Task::regression) {
        f[0] = knows_nothing ? 0.0 : running_target_.restore(output_[0]);
    } else if (knows_nothing) {
        std::ranges::fill(f, 1.0 / static_cast<double>(f.size()));
    } else {
        copy_probabilities(f);
    }
}

// Predictions of experts are rounded to single precision, so their mix sums to one only nearly.
void AutoEnsemble::copy_probabilities(std::span<double> f) const {
    double sum = 0.0;
    for (const double p : output_) {
        sum += p;
    }
    std::ranges::transform(output_, f.begin(), [&](double p) { return p / sum; });
}

void AutoEnsemble::evaluate(std::span<const float> x) const {
    if (plan_.width == 0) {  // no class yet
        return;
    }
    predict_shrubs(x);
    predict_companions(x);
    mixtures_.mix(predictions_, {present_.data(), n_present_}, output_);
}

void AutoEnsemble::predict_shrubs(std::span<const float> x) const {
    for (const ShrubGroup& group : plan_.all_groups()) {
        for (std::uint32_t i = 0; i < group.n_places; ++i) {
            const std::uint32_t place = group.first_place + i;
            if (!is_grown(place)) {
                continue;
            }
            const std::uint32_t leaf = find_leaf(NodeBytes::wide, nodes(place), n_inner_[place], x);
            leaves_[place] = static_cast<std::uint16_t>(leaf);
            if (config_.task == Task::classification) {
                CountingLeaves(leaves(place), plan_.width).predict(leaf, prediction(place));
            } else {
                const double z =
                    running_target_.standardise(AveragingLeaves(leaves(place)).mean(leaf));
                prediction(place)[0] =
                    static_cast<float>(std::clamp(z, -most_deviations, most_deviations));
            }
        }
    }
}

void AutoEnsemble::predict_companions(std::span<const float> x) const {
    std::uint32_t expert = plan_.n_places;
    for (std::uint32_t i = 0; i < plan_.n_bayes; ++i) {
        bayes_[i].predict(x, scale_, output_, prediction(expert++));
    }
    if (plan_.has_linear) {
        linear_.score(x, scale_.standardise(x), scale_, output_);
        if (config_.task == Task::classification) {
            softmax(output_);
        } else {
            output_[0] = std::clamp(output_[0], -most_deviations, most_deviations);
        }
        std::ranges::transform(output_, prediction(expert).begin(),
                               [](double value) { return static_cast<float>(value); });
    }
}

// -- learning ------------------------------------------------------------------------------------

void AutoEnsemble::learn(const Example& example) {
    evaluate(example.x);
    learn_next(example);
}

void AutoEnsemble::learn_next(const Example& example) {
    set_target(example);
    if (n_present_ > 0) {
        loss_ = loss_forgetting * loss_ + squared_loss(output_, target_);
        mixtures_.learn(predictions_, {present_.data(), n_present_}, target_);
    }
    update_leaves(example);
    update_companions(example);
    update_window(example);
    grow_due(example);
    mixtures_.restore({present_.data(), n_present_});
    ++examples_seen_;
}

// What a perfect expert would have said. An outlier counts as a smaller one.
void AutoEnsemble::set_target(const Example& example) {
    if (config_.task == Task::classification) {
        std::ranges::fill(target_, 0.0);
        target_[example.label] = 1.0;
    } else {
        const double z = running_target_.standardise(example.target);
        target_[0] = std::clamp(z, output_[0] - largest_error, output_[0] + largest_error);
    }
}

void AutoEnsemble::update_leaves(const Example& example) {
    for (std::uint32_t place = 0; place < plan_.n_places; ++place) {
        if (!is_grown(place)) {
            continue;
        }
        double loss = 0.0;
        const std::span<const float> said = prediction(place);
        for (std::size_t c = 0; c < said.size(); ++c) {
            const double difference = said[c] - target_[c];
            loss += difference * difference;
        }
        losses_[place] = loss_forgetting * losses_[place] + loss;
        if (config_.task == Task::classification) {
            CountingLeaves(leaves(place), plan_.width).learn(leaves_[place], example.label);
        } else {
            AveragingLeaves(leaves(place)).learn(leaves_[place], example.target);
        }
    }
}

void AutoEnsemble::update_companions(const Example& example) {
    if (plan_.has_linear) {
        const std::span<const float> said = prediction(plan_.n_experts - 1);
        for (std::size_t c = 0; c < said.size(); ++c) {
            output_[c] = std::clamp(said[c] - target_[c], -largest_error, largest_error);
        }
        linear_.learn(example.x, scale_.standardise(example.x), scale_, output_);
    }
    for (std::uint32_t i = 0; i < plan_.n_bayes; ++i) {
        bayes_[i].learn(example.x, scale_, example.label);
    }
    scale_.learn(example.x);
    if (config_.task == Task::regression) {
        running_target_.learn(example.target);
    }
}

void AutoEnsemble::update_window(const Example& example) {
    if (window_.is_full()) {
        window_.pop_first();
    }
    window_.append(example.x, example.label, example.target);
}

void AutoEnsemble::update_present() {
    n_present_ = 0;
    for (std::uint32_t expert = 0; expert < plan_.n_experts; ++expert) {
        if (expert >= plan_.n_places || is_grown(expert)) {
            present_[n_present_++] = static_cast<std::uint16_t>(expert);
        }
    }
}

// -- growing -------------------------------------------------------------------------------------

// Shrubs whose turn it is. While fewer examples are kept than a window is long, it takes all of
// them.
void AutoEnsemble::grow_due(const Example& example) {
    for (std::uint32_t g = 0; g < plan_.n_groups; ++g) {
        const ShrubGroup& group = plan_.groups[g];
        const std::uint32_t length = std::min(group.length, window_.size());
        ++since_grown_[g];
        const bool is_due = since_grown_[g] >= length / shrubs_per_window;
        if (group.reactive) {
            const std::uint32_t place = group.first_place;
            if (!is_grown(place) || (is_due && was_wrong(place, example))) {
                grow_at(g, place, length);
            }
        } else if (is_due) {
            grow_at(g, worst_place(group), length);
        }
    }
}

bool AutoEnsemble::was_wrong(std::uint32_t place, const Example& example) const {
    const std::span<const float> said = prediction(place);
    if (config_.task == Task::classification) {
        return std::ranges::max_element(said) - said.begin() != example.label;
    }
    const double error = said[0] - target_[0];
    return error * error > loss_ * (1.0 - loss_forgetting);
}

// A free place, or that of the lightest shrub; of equals, the one with the largest loss.
std::uint32_t AutoEnsemble::worst_place(const ShrubGroup& group) const {
    std::uint32_t worst = group.first_place;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < group.n_places; ++i) {
        const std::uint32_t place = group.first_place + i;
        if (!is_grown(place)) {
            return place;
        }
        const double weight = mixtures_.weight(place);
        if (weight < least || (weight == least && losses_[place] > losses_[worst])) {
            least = weight;
            worst = place;
        }
    }
    return worst;
}

void AutoEnsemble::grow_at(std::uint32_t g, std::uint32_t place, std::uint32_t length) {
    const ShrubGroup& group = plan_.groups[g];
    const bool grows_anew = group.reactive && is_grown(place);
    Random random(config_.seed, examples_seen_ * most_groups + g);
    const std::uint32_t n_features = dimensions_.n_features;
    const std::array<std::uint32_t, 3> tried = {n_features, std::max(whole_root(n_features), 1U),
                                                (n_features + 1) / 2};
    const LastExamples limits{
        .length = length,
        .max_leaves = group.max_leaves,
        .min_samples_split = std::max(2U, 3 * length / (2 * group.max_leaves)),
        .max_features = tried[random.below(3)]};
    std::byte* nodes = this->nodes(place);
    std::byte* leaves = this->leaves(place);
    if (config_.task == Task::classification) {
        Gini gini(window_.labels(), totals_, lefts_);
        const CountingLeaves counting(leaves, plan_.width);
        n_inner_[place] = static_cast<std::uint16_t>(
            grow_on_last(window_, limits, grow_scratch_, gini, random, nodes,
                         [&](std::uint32_t leaf, std::span<const std::uint16_t>) {
                             for (std::size_t c = 0; c < plan_.width; ++c) {
                                 counting.set(leaf, c, static_cast<std::uint16_t>(totals_[c]));
                             }
                         }));
    } else {
        for (std::uint32_t age = window_.size() - length; age < window_.size(); ++age) {
            const std::uint32_t slot = window_.slot(age);
            centred_[slot] =
                window_.targets()[slot] * running_target_.down() - running_target_.mean();
        }
        Variance variance(window_.targets(), centred_);
        const AveragingLeaves averaging(leaves);
        n_inner_[place] = static_cast<std::uint16_t>(
            grow_on_last(window_, limits, grow_scratch_, variance, random, nodes,
                         [&](std::uint32_t leaf, std::span<const std::uint16_t> members) {
                             averaging.set(leaf, 0.0, 0);
                             for (const std::uint16_t slot : members) {
                                 averaging.learn(leaf, window_.targets()[slot]);
                             }
                         }));
    }
    since_grown_[g] = 0;
    born_[place] = examples_seen_;
    if (!grows_anew) {
        losses_[place] = loss_;
        mixtures_.forget(place);
    }
    update_present();
}

// -- looking -------------------------------------------------------------------------------------

std::uint32_t AutoEnsemble::n_shrubs() const {
    return n_present_ - (plan_.n_experts - plan_.n_places);
}

double AutoEnsemble::weight(std::uint32_t expert) const {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < n_present_; ++i) {
        sum += mixtures_.weight(present_[i]);
    }
    return sum > 0.0 ? mixtures_.weight(expert) / sum : 0.0;
}

const ShrubGroup& AutoEnsemble::group_of(std::uint32_t place) const {
    std::uint32_t g = 0;
    while (place >= plan_.groups[g].first_place + plan_.groups[g].n_places) {
        ++g;
    }
    return plan_.groups[g];
}

std::byte* AutoEnsemble::nodes(std::uint32_t place) const {
    const ShrubGroup& group = group_of(place);
    return shrubs_ + group.offset + (place - group.first_place) * group.stride;
}

std::byte* AutoEnsemble::leaves(std::uint32_t place) const {
    return nodes(place) + (group_of(place).max_leaves - std::size_t{1}) *
                              static_cast<std::size_t>(NodeBytes::wide);
}

}  // namespace shrubs
