#include "shrubs/paper/ensemble.hpp"

#include <algorithm>
#include <cfloat>

#include "shrubs/paper/prox.hpp"

namespace shrubs {

namespace {

// Extended precision would give other bits than other machines (16 extends half precision only).
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "sums must round to double");

// Rounding may lift a computed weight a little above the bound that holds for the exact one.
constexpr double safety = 1e-9;

}  // namespace

PaperEnsemble::Memory PaperEnsemble::reserve(Arena& arena, const Plan& plan) {
    const Config& config = plan.config;
    const GrowthPlan& growth = plan.growth;
    const std::uint32_t n_shrubs = config.max_shrubs + 1;
    const std::uint32_t n_classes = growth.dimensions.n_classes;
    const bool gram = uses_gram(config);
    const bool softmax = config.task == Task::classification && !gram;
    return {.window = Window::reserve(arena, {.task = config.task,
                                              .window_size = config.window_size,
                                              .n_features = growth.dimensions.n_features,
                                              .is_sorted = config.splitter == Splitter::best,
                                              .has_rows = growth.is_incremental}),
            .members = Members::reserve(arena, n_shrubs, growth),
            .gram = Gram::reserve(arena, gram ? n_shrubs : 0, n_classes),
            .growth = GrowScratch::reserve(arena, growth),
            .scratch = {
                .row = arena.array<float>(Purpose::scratch, growth.dimensions.n_features),
                .found = arena.array<std::uint16_t>(Purpose::scratch, n_shrubs),
                .descended = arena.array<double>(Purpose::scratch, n_shrubs),
                .order = arena.array<std::uint16_t>(Purpose::scratch, n_shrubs),
                .probabilities = arena.array<double>(Purpose::scratch, softmax ? n_classes : 0)}};
}

MemoryReport PaperEnsemble::report(const Config& config, const Dimensions& dimensions) {
    Arena counter;
    reserve(counter, make_plan(config, dimensions));
    return counter.report();
}

PaperEnsemble::PaperEnsemble(const Config& config, const Dimensions& dimensions,
                             std::span<const std::uint8_t> nominal, std::span<std::byte> arena)
    : config_(config), dimensions_(dimensions) {
    const Plan plan = make_plan(config, dimensions);
    Arena all(arena);
    const Memory memory = reserve(all, plan);
    std::ranges::copy(nominal, memory.window.nominal.begin());
    window_ = Window(memory.window, config.window_size, dimensions.n_features);
    members_ = Members(memory.members, plan.growth.leaves, plan.growth.node_bytes,
                       std::ranges::count(nominal, 1) == 0);
    gram_ = Gram(memory.gram);
    gram_.clear();
    growth_ = memory.growth;
    growth_.last.forget();
    SplitSearch::fill_inverse(growth_.search.inverse);
    scratch_ = memory.scratch;
}

void PaperEnsemble::learn(const Example& example) {
    members_.find_leaves(example.x, scratch_.found);
    step(example);
}

void PaperEnsemble::predict_next(std::span<const float> x, std::span<double> f) {
    members_.find_leaves(x, scratch_.found);
    if (config_.task == Task::classification) {
        members_.predict_distribution(scratch_.found, f);
    } else {
        f[0] = members_.predict_value(scratch_.found);
    }
}

void PaperEnsemble::predict_distribution(std::span<const float> x, std::span<double> f) const {
    members_.find_leaves(x, scratch_.found);
    members_.predict_distribution(scratch_.found, f);
}

double PaperEnsemble::predict_value(std::span<const float> x) const {
    members_.find_leaves(x, scratch_.found);
    return members_.predict_value(scratch_.found);
}

// Algorithm 1, lines 3 to 12. `found` holds the leaf of the example in each member.
void PaperEnsemble::step(const Example& example) {
    const bool keep_tree = keeps_tree(example);
    update_window(example);
    if (config_.method != Method::shrub_ensemble) {
        if (!keep_tree) {
            replace_tree();
        }
        ++examples_seen_;
        return;
    }
    watch_for_freezing();
    bool is_awaited = examples_seen_ % config_.grow_every == 0 || members_.size() == 0;
    for (std::uint32_t i = 0; i < config_.steps_per_example; ++i) {
        // Steps that are certain to cut the newcomer leave its weight at 0, as if it joined later.
        if (is_awaited && !newcomer_is_hopeless()) {
            add_newcomer();
            is_awaited = false;
        }
        descend({n_descended_, members_.size()});
        project();
    }
    prune();
    ++examples_seen_;
}

// Whether the one tree was right about the new example and may stay.
bool PaperEnsemble::keeps_tree(const Example& example) const {
    if (config_.method != Method::tree_on_error || members_.size() == 0) {
        return false;
    }
    std::uint32_t best = 0;
    std::int32_t largest = -1;
    members_.layout().for_each_entry(members_.leaves(0), scratch_.found[0],
                                     [&](std::uint32_t c, std::int32_t q) {
                                         if (q > largest) {
                                             largest = q;
                                             best = c;
                                         }
                                     });
    return best == example.label;
}

void PaperEnsemble::replace_tree() {
    add_newcomer();
    if (members_.size() > 1) {
        members_.remove(0);
    }
    members_.weights()[0] = 1.0;
}

// Lines 3 to 5, and the caches that go with the window.
void PaperEnsemble::update_window(const Example& example) {
    const bool slides = window_.is_full();
    if (uses_gram(config_)) {
        if (slides) {
            const std::uint32_t leaving = window_.slot(0);
            // `order` is free until the prox.
            for (std::uint32_t i = 0; i < members_.size(); ++i) {
                scratch_.order[i] = static_cast<std::uint16_t>(members_.leaf_ids(i).get(leaving));
            }
            gram_.slide(members_, {scratch_.found, example.label},
                        {scratch_.order, window_.labels()[leaving]});
        } else {
            gram_.add(members_, {scratch_.found, example.label}, 1.0);
        }
    }
    const std::uint32_t slot = slides ? window_.slide(example.x, example.label, example.target)
                                      : window_.append(example.x, example.label, example.target);
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        members_.leaf_ids(i).set(slot, scratch_.found[i]);
    }
    if (config_.task == Task::regression) {
        scale_ = scale_targets(window_, growth_.centred);
    }
    n_descended_ = 0;
}

// No shrub grown on this window, however good, can get more weight in one step from 0 than
// step_size * largest_descent. If all members of a full ensemble end up with more, the prox is
// certain to cut the newcomer, and it need not be grown.
bool PaperEnsemble::newcomer_is_hopeless() {
    if (config_.task != Task::classification || members_.size() < config_.max_shrubs) {
        return false;
    }
    double bound = 0.0;
    const MemberRange all{0, members_.size()};
    if (uses_gram(config_)) {
        bound = largest_mse_descent(members_, gram_, window_.size());
        descend(all);
    } else {
        bound = cross_entropy_gradient(members_, window_, all, scratch_.probabilities,
                                       scratch_.descended);
        take_step(all);
    }
    n_descended_ = members_.size();
    const double lightest =
        *std::min_element(scratch_.descended.begin(), scratch_.descended.begin() + n_descended_);
    return config_.step_size * bound * (1.0 + safety) + safety <= lightest;
}

// Lines 6 to 8.
void PaperEnsemble::add_newcomer() {
    NewShrub shrub = members_.newcomer();
    grow(window_, config_, dimensions_, members_.layout(), scale_,
         Random(config_.seed, examples_seen_), growth_, shrub, members_.leaf_ids(members_.size()));
    members_.append(shrub.n_inner, examples_seen_);
    if (uses_gram(config_)) {
        gram_.add_newcomer(members_, window_, growth_.right);
    }
}

// Line 9, into `descended`.
void PaperEnsemble::descend(MemberRange range) {
    n_descended_ = 0;
    if (range.from == range.to) {
        return;
    }
    if (config_.task == Task::regression) {
        regression_gradient(members_, window_, scale_, growth_.centred, scratch_.descended);
    } else if (uses_gram(config_)) {
        mse_gradient(members_, gram_, window_.size(), range, scratch_.descended);
    } else {
        cross_entropy_gradient(members_, window_, range, scratch_.probabilities,
                               scratch_.descended);
    }
    take_step(range);
}

void PaperEnsemble::take_step(MemberRange range) {
    for (std::uint32_t i = range.from; i < range.to; ++i) {
        double change = config_.step_size * scratch_.descended[i];
        if (config_.task == Task::regression) {
            change = config_.target_scaling ? change / scale_.variance : change * scale_.squared();
        }
        scratch_.descended[i] = std::clamp(members_.weights()[i] - change, -1e300, 1e300);
    }
}

// Lines 10 and 11.
void PaperEnsemble::project() {
    const auto weights = members_.weights().first(members_.size());
    std::copy_n(scratch_.descended.begin(), weights.size(), weights.begin());
    project_sparse_simplex(weights, config_.max_shrubs, scratch_.order);
}

// Line 12.
void PaperEnsemble::prune() {
    for (std::uint32_t i = members_.size(); i-- > 0;) {
        if (members_.weights()[i] == 0.0) {
            if (uses_gram(config_)) {
                gram_.remove(i, members_.size());
            }
            members_.remove(i);
        }
    }
}

// In one step a newcomer gets at most 2 step_size / C (mse) or step_size (cross-entropy), and a
// member loses at most as much. In each further step the prox may take as much again, so s steps
// cannot bring them together while the smallest weight exceeds 2 s times that.
void PaperEnsemble::watch_for_freezing() {
    if (config_.task != Task::classification || members_.size() < config_.max_shrubs) {
        stuck_for_ = 0;
        return;
    }
    const double per_step = config_.loss == Loss::mse
                                ? 2.0 * config_.step_size / dimensions_.n_classes
                                : config_.step_size;
    const auto weights = members_.weights().first(members_.size());
    const bool stuck =
        2.0 * per_step * config_.steps_per_example < *std::ranges::min_element(weights);
    stuck_for_ = stuck ? std::min(stuck_for_ + 1, config_.window_size) : 0;
    frozen_ = frozen_ || stuck_for_ >= config_.window_size;
}

void PaperEnsemble::archive(Archive& archive) {
    archive.value(examples_seen_);
    archive.value(stuck_for_);
    auto frozen = static_cast<std::uint8_t>(frozen_);
    archive.value(frozen);
    archive.require(frozen <= 1 && stuck_for_ <= config_.window_size);
    frozen_ = frozen != 0;
    window_.archive(archive, dimensions_.n_classes, scratch_.row);
    members_.archive(archive, window_.nominal(), config_.max_depth, growth_);
    if (archive.reads() && archive.ok()) {
        restore_caches();
    }
}

void PaperEnsemble::copy_from(const PaperEnsemble& other) {
    examples_seen_ = other.examples_seen_;
    stuck_for_ = other.stuck_for_;
    frozen_ = other.frozen_;
    window_.copy_from(other.window_, scratch_.row);
    members_.copy_from(other.members_, growth_.distribution);
    restore_caches();
}

void PaperEnsemble::restore_caches() {
    for (std::uint32_t age = 0; age < window_.size(); ++age) {
        const std::uint32_t slot = window_.slot(age);
        window_.copy_example(slot, scratch_.row);
        members_.find_leaves(scratch_.row, scratch_.found);
        for (std::uint32_t i = 0; i < members_.size(); ++i) {
            members_.leaf_ids(i).set(slot, scratch_.found[i]);
        }
        if (uses_gram(config_)) {
            gram_.add(members_, {scratch_.found, window_.labels()[slot]}, 1.0);
        }
    }
}

}  // namespace shrubs
