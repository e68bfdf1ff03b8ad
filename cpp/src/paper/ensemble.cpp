#include "shrubs/paper/ensemble.hpp"

#include <algorithm>
#include <cfloat>

#include "shrubs/paper/prox.hpp"

namespace shrubs {

namespace {

template <class T>
std::span<T> view(std::span<std::byte> arena, const Region& region) {
    return {reinterpret_cast<T*>(arena.data() + region.offset),
            static_cast<std::size_t>(region.bytes / sizeof(T))};
}

// Extended precision would give other bits than other machines (16 extends half precision only).
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "sums must round to double");

// Rounding may lift a computed weight a little above the bound that holds for the exact one.
constexpr double safety = 1e-9;

}  // namespace

PaperEnsemble::PaperEnsemble(const Config& config, const Dimensions& dimensions,
                             std::span<const std::uint8_t> nominal, std::span<std::byte> arena)
    : config_(config), dimensions_(dimensions) {
    const Plan plan = make_plan(config, dimensions);
    node_bytes_ = plan.node_bytes;
    nominal_ = view<std::uint8_t>(arena, plan.nominal);
    std::ranges::copy(nominal, nominal_.begin());
    window_ = Window({.values = view<float>(arena, plan.values),
                      .labels = view<std::uint16_t>(arena, plan.labels),
                      .targets = view<double>(arena, plan.targets),
                      .sorted = view<std::uint16_t>(arena, plan.sorted),
                      .nominal = nominal_,
                      .n_distinct = view<std::uint16_t>(arena, plan.n_distinct),
                      .pivots = view<float>(arena, plan.pivots),
                      .n_lower = view<std::uint16_t>(arena, plan.n_lower),
                      .rows = view<std::uint8_t>(arena, plan.rows)},
                     config.window_size, dimensions.n_features);
    const std::size_t places = std::size_t{config.max_shrubs} + 1;
    members_ = Members({.nodes = arena.data() + plan.nodes.offset,
                        .leaves = arena.data() + plan.leaves.offset,
                        .leaf_ids = arena.data() + plan.leaf_ids.offset,
                        .n_inner = view<std::uint16_t>(arena, plan.n_inner).first(places),
                        .born = view<std::uint64_t>(arena, plan.born),
                        .places = view<std::uint16_t>(arena, plan.places).first(places),
                        .weights = view<double>(arena, plan.weights),
                        .node_stride = static_cast<std::size_t>(plan.nodes.bytes / places),
                        .leaf_stride = static_cast<std::size_t>(plan.leaves.bytes / places),
                        .leaf_id_stride = static_cast<std::size_t>(plan.leaf_ids.bytes / places),
                        .wide_leaf_ids = LeafIds::needs_wide(plan.max_leaves)},
                       plan.layout, plan.node_bytes, std::ranges::count(nominal_, 1) == 0);
    gram_ = Gram({.products = view<double>(arena, plan.products),
                  .rights = view<double>(arena, plan.rights),
                  .by_class = view<std::int32_t>(arena, plan.by_class)});
    gram_.clear();
    grow_scratch_ = {.members = view<std::uint16_t>(arena, plan.members),
                     .sorted = view<std::uint16_t>(arena, plan.grow_sorted),
                     .right = view<std::uint16_t>(arena, plan.right),
                     .goes_left = view<std::uint8_t>(arena, plan.goes_left),
                     .permutation = view<std::uint16_t>(arena, plan.permutation),
                     .pending = view<PendingNode>(arena, plan.pending),
                     .totals = view<std::uint32_t>(arena, plan.totals),
                     .lefts = view<std::uint32_t>(arena, plan.lefts),
                     .distribution = view<std::int32_t>(arena, plan.distribution),
                     .centred = view<double>(arena, plan.centred),
                     .search = {.lanes = view<std::uint16_t>(arena, plan.lanes),
                                .features = view<std::uint16_t>(arena, plan.lane_features),
                                .n_lanes = view<std::uint16_t>(arena, plan.n_lanes),
                                .n_kept = plan.kept_levels,
                                .inverse = view<float>(arena, plan.inverse),
                                .bounds = view<float>(arena, plan.bounds),
                                .counts = view<std::uint16_t>(arena, plan.counts),
                                .lane_scores = view<float>(arena, plan.lane_scores),
                                .group_scores = view<float>(arena, plan.group_scores),
                                .scores = view<float>(arena, plan.scores),
                                .kinds = view<FeatureKind>(arena, plan.kinds),
                                .classes = view<std::uint16_t>(arena, plan.classes),
                                .moves = view<std::uint8_t>(arena, plan.moves),
                                .bytes = view<std::uint8_t>(arena, plan.bytes),
                                .counts_two = view<std::uint16_t>(arena, plan.counts_two),
                                .totals = view<std::uint32_t>(arena, plan.totals),
                                .lefts = view<std::uint32_t>(arena, plan.lefts),
                                .spare = view<std::uint16_t>(arena, plan.right)},
                     .growing = view<GrowingNode>(arena, plan.growing),
                     .middles = view<std::uint16_t>(arena, plan.middles),
                     .last = LastShrub({.nodes = view<std::byte>(arena, plan.last_nodes),
                                        .leaves = view<std::byte>(arena, plan.last_leaves),
                                        .middles = view<std::uint16_t>(arena, plan.last_middles),
                                        .leaf_of = view<std::uint16_t>(arena, plan.last_leaf_of),
                                        .ends = view<std::uint16_t>(arena, plan.last_ends),
                                        .new_leaf = view<std::uint16_t>(arena, plan.new_leaf),
                                        .new_sizes = view<std::uint16_t>(arena, plan.new_sizes),
                                        .facts = view<std::uint64_t>(arena, plan.last_facts)},
                                       plan.node_bytes),
                     .left_counts = view<float>(arena, plan.left_counts)};
    grow_scratch_.last.forget();
    SplitSearch::fill_inverse(grow_scratch_.search.inverse);
    row_ = view<float>(arena, plan.row);
    found_ = view<std::uint16_t>(arena, plan.found);
    descended_ = view<double>(arena, plan.descended);
    order_ = view<std::uint16_t>(arena, plan.order);
    probabilities_ = view<double>(arena, plan.probabilities);
}

void PaperEnsemble::learn(const Example& example) {
    members_.find_leaves(example.x, found_);
    step(example);
}

void PaperEnsemble::predict_next(std::span<const float> x, std::span<double> f) {
    members_.find_leaves(x, found_);
    if (config_.task == Task::classification) {
        members_.predict_distribution(found_, f);
    } else {
        f[0] = members_.predict_value(found_);
    }
}

void PaperEnsemble::predict_distribution(std::span<const float> x, std::span<double> f) const {
    members_.find_leaves(x, found_);
    members_.predict_distribution(found_, f);
}

double PaperEnsemble::predict_value(std::span<const float> x) const {
    members_.find_leaves(x, found_);
    return members_.predict_value(found_);
}

// Algorithm 1, lines 3 to 12. `found_` holds the leaf of the example in each member.
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
    members_.layout().for_each_entry(members_.leaves(0), found_[0],
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
            // `order_` is free until the prox.
            for (std::uint32_t i = 0; i < members_.size(); ++i) {
                order_[i] = static_cast<std::uint16_t>(members_.leaf_ids(i).get(leaving));
            }
            gram_.slide(members_, {found_, example.label}, {order_, window_.labels()[leaving]});
        } else {
            gram_.add(members_, {found_, example.label}, 1.0);
        }
    }
    const std::uint32_t slot = slides ? window_.slide(example.x, example.label, example.target)
                                      : window_.append(example.x, example.label, example.target);
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        members_.leaf_ids(i).set(slot, found_[i]);
    }
    if (config_.task == Task::regression) {
        scale_ = scale_targets(window_, grow_scratch_.centred);
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
        bound = cross_entropy_gradient(members_, window_, all, probabilities_, descended_);
        take_step(all);
    }
    n_descended_ = members_.size();
    const double lightest =
        *std::min_element(descended_.begin(), descended_.begin() + n_descended_);
    return config_.step_size * bound * (1.0 + safety) + safety <= lightest;
}

// Lines 6 to 8.
void PaperEnsemble::add_newcomer() {
    NewShrub shrub = next_shrub();
    grow({window_, config_, dimensions_, members_.layout(), scale_},
         Random(config_.seed, examples_seen_), grow_scratch_, shrub,
         members_.leaf_ids(members_.size()));
    members_.append(shrub.n_inner, examples_seen_);
    if (uses_gram(config_)) {
        gram_.add_newcomer(members_, window_, grow_scratch_.right);
    }
}

// Line 9, into `descended_`.
void PaperEnsemble::descend(MemberRange range) {
    n_descended_ = 0;
    if (range.from == range.to) {
        return;
    }
    if (config_.task == Task::regression) {
        regression_gradient(members_, window_, scale_, grow_scratch_.centred, descended_);
    } else if (uses_gram(config_)) {
        mse_gradient(members_, gram_, window_.size(), range, descended_);
    } else {
        cross_entropy_gradient(members_, window_, range, probabilities_, descended_);
    }
    take_step(range);
}

void PaperEnsemble::take_step(MemberRange range) {
    for (std::uint32_t i = range.from; i < range.to; ++i) {
        double change = config_.step_size * descended_[i];
        if (config_.task == Task::regression) {
            change = config_.target_scaling ? change / scale_.variance : change * scale_.squared();
        }
        descended_[i] = std::clamp(members_.weights()[i] - change, -1e300, 1e300);
    }
}

// Lines 10 and 11.
void PaperEnsemble::project() {
    const auto weights = members_.weights().first(members_.size());
    std::copy_n(descended_.begin(), weights.size(), weights.begin());
    project_sparse_simplex(weights, config_.max_shrubs, order_);
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

NewShrub PaperEnsemble::next_shrub() {
    return {members_.nodes(members_.size()), members_.leaves(members_.size()), node_bytes_, 0};
}

void PaperEnsemble::restore_shrub(const NewShrub& shrub, double weight, std::uint64_t born) {
    members_.append(shrub.n_inner, born);
    members_.weights()[members_.size() - 1] = weight;
}

// Recomputes all caches from the window and the shrubs.
void PaperEnsemble::finish_restoring(std::uint64_t examples_seen, std::uint32_t stuck_for,
                                     bool frozen) {
    examples_seen_ = examples_seen;
    stuck_for_ = stuck_for;
    frozen_ = frozen;
    for (std::uint32_t age = 0; age < window_.size(); ++age) {
        const std::uint32_t slot = window_.slot(age);
        window_.copy_example(slot, row_);
        members_.find_leaves(row_, found_);
        for (std::uint32_t i = 0; i < members_.size(); ++i) {
            members_.leaf_ids(i).set(slot, found_[i]);
        }
        if (uses_gram(config_)) {
            gram_.add(members_, {found_, window_.labels()[slot]}, 1.0);
        }
    }
}

}  // namespace shrubs
