#include "shrubs/paper/ensemble.hpp"

#include <algorithm>
#include <cfloat>
#include <optional>
#include <utility>

#include "shrubs/paper/prospect.hpp"
#include "shrubs/paper/prox.hpp"

namespace shrubs {

namespace {

// Extended precision would give other bits than other machines (16 extends half precision only).
static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16, "sums must round to double");

// A question waits for memory as long as a few additions take.
constexpr std::uint64_t steps_per_question = 4;

}  // namespace

PaperEnsemble::Memory PaperEnsemble::reserve(Arena& arena, const Plan& plan) {
    const Config& config = plan.config;
    const GrowthPlan& growth = plan.growth;
    const std::uint32_t n_shrubs = config.max_shrubs + 1;
    return {.window = Window::reserve(arena, growth.window()),
            .members = Members::reserve(arena, n_shrubs, growth),
            .loss = make_loss(arena, plan),
            .growth = GrowScratch::reserve(arena, growth),
            .scratch = {.row = arena.array<float>(Purpose::scratch, growth.dimensions.n_features),
                        .found = arena.array<std::uint16_t>(Purpose::scratch, n_shrubs),
                        .descended = arena.array<double>(Purpose::scratch, n_shrubs),
                        .order = arena.array<std::uint16_t>(Purpose::scratch, n_shrubs)}};
}

MemoryReport PaperEnsemble::report(const Config& config, const Dimensions& dimensions) {
    Arena counter;
    reserve(counter, make_plan(config, dimensions));
    return counter.report();
}

PaperEnsemble::PaperEnsemble(const Config& config, const Dimensions& dimensions,
                             std::span<const std::uint8_t> nominal, std::span<std::byte> arena)
    : PaperEnsemble(make_plan(config, dimensions), nominal, Arena(arena)) {}

PaperEnsemble::PaperEnsemble(const Plan& plan, std::span<const std::uint8_t> nominal, Arena arena)
    : PaperEnsemble(plan, nominal, reserve(arena, plan)) {}

PaperEnsemble::PaperEnsemble(const Plan& plan, std::span<const std::uint8_t> nominal,
                             const Memory& memory)
    : config_(plan.config),
      plan_(plan.growth),
      window_(memory.window, plan_.window_size, plan_.dimensions.n_features),
      members_(memory.members, plan_.leaves, plan_.node_bytes, std::ranges::count(nominal, 1) == 0),
      loss_(memory.loss),
      growth_(memory.growth),
      scratch_(memory.scratch) {
    std::ranges::copy(nominal, memory.window.nominal.begin());
    growth_.begin();
}

void PaperEnsemble::learn(const Example& example) {
    members_.find_leaves(example.x, scratch_.found);
    step(example);
}

// Algorithm 1, lines 3 to 12. `found` holds the leaf of the example in each member.
void PaperEnsemble::step(const Example& example) {
    update_window(example);
    watch_for_freezing();
    const bool has_newcomer = examples_seen_ % config_.grow_every == 0 || members_.size() == 0;
    Newcomer newcomer{.is_member = !has_newcomer};
    for (std::uint32_t i = 0; i < config_.steps_per_example; ++i) {
        // Steps that are certain to cut the newcomer leave its weight at 0, as if it joined later.
        if (!newcomer.is_member && !is_hopeless(newcomer)) {
            add_newcomer(newcomer);
        }
        descend({n_descended_, members_.size()});
        project();
    }
    if (has_newcomer && newcomer.is_member) {
        was_cut_ = members_.weights()[members_.size() - 1] == 0.0;
    }
    prune();
    ++examples_seen_;
}

// Lines 3 to 5, and the caches that go with the window.
void PaperEnsemble::update_window(const Example& example) {
    on_loss([&](auto& loss) {
        if constexpr (requires { loss.add(fit(), Seen{}); }) {
            const Seen entering{scratch_.found, example.label};
            window_.is_full() ? loss.slide(fit(), entering, oldest()) : loss.add(fit(), entering);
        }
    });
    const std::uint32_t slot = window_.add(example);
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        members_.leaf_ids(i).set(slot, scratch_.found[i]);
    }
    on_loss([&](auto& loss) {
        if constexpr (requires { loss.update(window_); }) {
            loss.update(window_);
        }
    });
    n_descended_ = 0;
    n_ordered_ = 0;
}

// The example that is about to leave the window.
Seen PaperEnsemble::oldest() {
    const std::uint32_t slot = window_.slot(0);
    // The order is free until the prox.
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        scratch_.order[i] = static_cast<std::uint16_t>(members_.leaf_ids(i).get(slot));
    }
    return {scratch_.order, window_.labels()[slot]};
}

// No shrub grown on this window, however good, can get more weight in one step from 0 than
// step_size * largest_descent. If all members of a full ensemble end up with more, or if the prox
// takes more off every weight, it is certain to cut the newcomer, which need not be grown.
bool PaperEnsemble::is_hopeless(Newcomer& newcomer) {
    const bool is_full = members_.size() == config_.max_shrubs;
    if (config_.task != Task::classification || !(is_full || may_give_up())) {
        return false;
    }
    descend({0, members_.size()});
    n_descended_ = members_.size();
    const auto descended = scratch_.descended.first(n_descended_);
    newcomer.least = find_least(descended);
    const double bound = on_loss([&](auto& loss) {
        if constexpr (requires { loss.largest_descent_of_newcomer(fit()); }) {
            if (newcomer.is_begun) {
                return loss.largest_descent_of_newcomer(fit());
            }
        }
        return loss.largest_descent(fit());
    });
    return is_too_small(config_.step_size * bound, newcomer.least);
}

// Of a full ensemble the lightest member will do, if nobody looks closer.
double PaperEnsemble::find_least(std::span<const double> descended) {
    if (!may_give_up()) {
        return *std::ranges::min_element(descended);
    }
    const std::uint32_t n_ordered = std::exchange(n_ordered_, members_.size());
    return find_least_weight(descended, config_.max_shrubs, scratch_.order, n_ordered);
}

// Whether to look at the leaves of a newcomer while it grows: if it is likely to be cut, has
// nothing in common with others, and there are few members to compare it with.
bool PaperEnsemble::may_give_up() const {
    constexpr std::uint32_t min_window = 16;
    constexpr std::uint32_t max_members = 256;
    constexpr double max_step_size = 1000.0;  // rounding has to stay well below what is allowed for
    return was_cut_ && std::holds_alternative<MseLoss>(loss_) && members_.size() > 0 &&
           (plan_.samples_features() || config_.splitter == Splitter::random) &&
           plan_.window_size >= min_window && config_.step_size <= max_step_size &&
           members_.size() <= max_members;
}

// Lines 6 to 8, unless the newcomer is given up.
void PaperEnsemble::add_newcomer(Newcomer& newcomer) {
    NewShrub shrub = members_.newcomer();
    std::optional<Prospect> prospect;
    auto* mse = std::get_if<MseLoss>(&loss_);
    if (mse != nullptr && may_give_up() && !newcomer.is_begun) {
        prospect.emplace(*mse, fit(), Prospect::Aim{config_.step_size, newcomer.least});
        shrub.watch = prospect->watch();
    }
    const auto* error = std::get_if<TargetError>(&loss_);
    grow(window_, plan_, error != nullptr ? error->targets() : ScaledTargets{},
         Random(config_.seed, examples_seen_), growth_, shrub);
    newcomer.is_begun = shrub.is_given_up;
    newcomer.is_member = !shrub.is_given_up;
    if (shrub.is_given_up) {
        return;
    }
    if (prospect) {
        prospect->finish();
    }
    members_.append(shrub.n_inner, examples_seen_);
    on_loss([&](auto& loss) {
        if constexpr (requires { loss.add_newcomer(fit(), growth_.right); }) {
            if (!prospect) {
                loss.add_newcomer(fit(), growth_.right);
            }
        }
    });
}

// Line 9, into `descended`.
void PaperEnsemble::descend(MemberRange range) {
    n_descended_ = 0;
    if (range.from == range.to) {
        return;
    }
    on_loss([&](auto& loss) {
        loss.gradient(fit(), range, scratch_.descended);
        for (std::uint32_t i = range.from; i < range.to; ++i) {
            const double change = loss.rescale(config_.step_size * scratch_.descended[i]);
            scratch_.descended[i] = std::clamp(members_.weights()[i] - change, -1e300, 1e300);
        }
    });
}

// Lines 10 and 11.
void PaperEnsemble::project() {
    const auto weights = members_.weights().first(members_.size());
    std::copy_n(scratch_.descended.begin(), weights.size(), weights.begin());
    const std::uint32_t n_ordered = std::exchange(n_ordered_, members_.size());
    project_sparse_simplex(weights, config_.max_shrubs, scratch_.order, n_ordered);
}

// Line 12.
void PaperEnsemble::prune() {
    for (std::uint32_t i = members_.size(); i-- > 0;) {
        if (members_.weights()[i] == 0.0) {
            on_loss([&](auto& loss) {
                if constexpr (requires { loss.remove(i, i); }) {
                    loss.remove(i, members_.size());
                }
            });
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
    const double per_step = on_loss(
        [&](auto& loss) { return loss.largest_change(config_.step_size, dimensions().n_classes); });
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
    window_.archive(archive, dimensions().n_classes, scratch_.row);
    members_.archive(archive, window_.nominal(), config_.max_depth, growth_);
}

void PaperEnsemble::copy_from(const PaperEnsemble& other) {
    examples_seen_ = other.examples_seen_;
    stuck_for_ = other.stuck_for_;
    frozen_ = other.frozen_;
    window_.copy_from(other.window_, scratch_.row);
    members_.copy_from(other.members_, growth_.distribution);
    for (std::uint32_t age = 0; age < window_.size(); ++age) {
        restore(age);
    }
}

void PaperEnsemble::restore(std::uint32_t age) {
    const std::uint32_t slot = window_.slot(age);
    window_.copy_example(slot, scratch_.row);
    members_.find_leaves(scratch_.row, scratch_.found);
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        members_.leaf_ids(i).set(slot, scratch_.found[i]);
    }
    on_loss([&](auto& loss) {
        if constexpr (requires { loss.add(fit(), Seen{}); }) {
            loss.add(fit(), {scratch_.found, window_.labels()[slot]});
        }
    });
}

std::uint64_t PaperEnsemble::restoring_steps() const {
    std::uint64_t per_example = 0;
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
        per_example += steps_per_question * members_.depth(i, growth_.pending) + 1;
    }
    if (std::holds_alternative<MseLoss>(loss_)) {
        per_example += Gram::max_additions(members_);
    }
    return per_example * window_.size();
}

}  // namespace shrubs
