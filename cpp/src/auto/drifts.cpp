#include "shrubs/auto/drifts.hpp"

#include <algorithm>
#include <limits>

namespace shrubs {

namespace {

// All drifts may take this share of the memory.
constexpr std::uint64_t drift_share = 24;
// By chance, so much evidence comes at most once in as many examples.
constexpr double enough_surprise = 1e6;
constexpr double enough_defeat = 1e3;
constexpr double little_surprise = 100.0;
// Of a target, in deviations: errors of less than an eighth are no defeat.
constexpr double least_square = 0x1p-6;
// Of what the past knows, a class that did not come for this share is known less than it was.
constexpr std::uint64_t absent_share = 8;

static_assert(max_experts < Drifts::look_length);

std::size_t likeliest(std::span<const double> said) {
    return static_cast<std::size_t>(std::ranges::max_element(said) - said.begin());
}

}  // namespace

std::uint32_t Drifts::n_remembered(std::uint64_t arena_bytes) {
    const std::uint64_t fit = arena_bytes / drift_share / sizeof(Drift);
    // One where there is room for two: the last is what most ask for.
    return static_cast<std::uint32_t>(std::min<std::uint64_t>((fit + 1) / 2, max_remembered));
}

Drifts::Memory Drifts::reserve(Arena& arena, const AutoPlan& plan) {
    const std::uint32_t n = plan.n_drifts;
    const std::uint32_t n_known = plan.dimensions.n_features + recalled_features;
    return {.rises = arena.array<Rise>(Purpose::weights, n > 0 ? 2 : 0),
            .means = arena.array<RunningMean>(Purpose::weights, n > 0 ? 2 * plan.width() : 0),
            .last_of = arena.array<std::uint64_t>(Purpose::weights, n > 0 ? plan.width() : 0),
            .looks = arena.array<Look>(Purpose::weights, n > 0 ? 3 : 0),
            .remembered = arena.array<Drift>(Purpose::weights, n),
            .gains = arena.array<double>(Purpose::weights, n > 0 ? n_known : 0),
            .past = arena.array<double>(Purpose::scratch, n > 0 ? plan.width() : 0)};
}

Drifts::Drifts(const Memory& memory) : memory_(memory) {
    begin_evidence();
    std::ranges::fill(memory_.last_of, std::uint64_t{0});
    std::ranges::fill(memory_.looks, Look());
    std::ranges::fill(memory_.remembered, Drift());
}

std::size_t Drifts::n_remembered() const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(n_noticed_, memory_.remembered.size()));
}

const Drift& Drifts::operator[](std::size_t index) const {
    return memory_.remembered[(n_noticed_ - n_remembered() + index) % memory_.remembered.size()];
}

std::uint64_t Drifts::examples_since(std::uint64_t examples_seen) const {
    constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    return n_remembered() == 0 ? never : examples_seen + 1 - (*this)[n_remembered() - 1].began;
}

// -- noticing ------------------------------------------------------------------------------------

void Drifts::watch(Task task, std::span<const double> output, std::span<const double> target,
                   std::uint64_t number, std::uint32_t length) {
    double surprise = 0.0;
    double defeat = 0.0;
    if (task == Task::regression) {
        // Relative, so that noise which comes and goes is no defeat.
        const double miss = past()[0] - target[0];
        const double own_miss = output[0] - target[0];
        surprise = miss < 0.0 ? -miss : miss;
        defeat = (miss * miss - own_miss * own_miss) /
                 (miss * miss + own_miss * own_miss + least_square);
    } else {
        // The squared loss minus what it would be on average if the past were right.
        for (std::size_t c = 0; c < target.size(); ++c) {
            surprise += past()[c] * (past()[c] - target[c]);
        }
        defeat = target[likeliest(output)] - target[likeliest(past())];
    }
    const std::size_t label = task == Task::regression ? 0 : likeliest(target);
    note(label, number, length);
    evidence_ = memory_.rises[0].update(surprise, surprise_of(label));
    const double defeated = memory_.rises[1].update(defeat, defeat_of(label));
    if (defeated >= enough_defeat && evidence_ >= enough_surprise) {
        notice(number);
    }
}

bool Drifts::is_calm() const {
    return !remembers() || (memory_.rises[0].has_enough() && evidence_ < little_surprise);
}

// While a class does not come, the past makes way for others and knows less of it: by the next
// examples of the class it is defeated anyway. What depends on the last examples only, the
// deviation of a block knows.
void Drifts::note(std::size_t label, std::uint64_t number, std::uint32_t length) const {
    std::uint64_t& last = memory_.last_of[label];
    const std::uint64_t known = std::min<std::uint64_t>(length, number);
    if (number - last >
        std::min(known, std::max<std::uint64_t>(known / absent_share, Rise::block))) {
        surprise_of(label) = defeat_of(label) = {};
    }
    last = number;
}

void Drifts::begin_evidence() {
    evidence_ = 0.0;
    std::ranges::fill(memory_.rises, Rise());
    std::ranges::fill(memory_.means, RunningMean());
}

void Drifts::notice(std::uint64_t number) {
    const std::uint64_t began = number - memory_.rises[0].length();
    const Look& last = memory_.looks[1];
    memory_.remembered[n_noticed_ % memory_.remembered.size()] = {
        .noticed = number,
        .began = began + 1,
        .evidence = evidence_,
        .before = last.begun + look_length <= began ? last : memory_.looks[2],
        .after = {}};
    ++n_noticed_;
    begin_evidence();
}

// -- looking -------------------------------------------------------------------------------------

void Drifts::begin_look(std::uint64_t number) const {
    look() = {.begun = number};
    std::ranges::fill(memory_.gains, 0.0);
}

void Drifts::end_look() const {
    if (look().begun == 0) {
        return;
    }
    for (std::size_t i = 0; i < n_remembered(); ++i) {
        Drift& drift = memory_.remembered[i];
        if (drift.after.begun == 0 && look().begun >= drift.noticed + look_length) {
            drift.after = look();
        }
    }
    memory_.looks[2] = memory_.looks[1];
    memory_.looks[1] = look();
    look() = {};
}

template <class Visit>
void Drifts::for_each_look(Visit visit) const {
    for (Look& look : memory_.looks) {
        visit(look);
    }
    for (Drift& drift : memory_.remembered) {
        visit(drift.before);
        visit(drift.after);
    }
}

// -- forgetting, saving, moving ------------------------------------------------------------------

void Drifts::forget_feature(std::uint32_t feature) const {
    for_each_look([&](Look& look) { look.forget_feature(feature); });
    if (remembers()) {
        memory_.gains[feature] = 0.0;
    }
}

void Drifts::renumber_classes(ClassNumbers now) const {
    for_each_look([&](Look& look) { look.renumber_classes(now); });
    for (std::size_t c = 0; c < now.size() && remembers(); ++c) {
        if (now[c] != c && now[c] != gone_class) {
            surprise_of(now[c]) = surprise_of(c);
            defeat_of(now[c]) = defeat_of(c);
            memory_.last_of[now[c]] = memory_.last_of[c];
        }
        if (now[c] != c) {
            surprise_of(c) = defeat_of(c) = {};
        }
    }
}

void Drifts::archive(Archive& archive, std::span<const std::uint8_t> nominal,
                     std::uint32_t n_classes, std::uint64_t examples_seen) {
    if (!remembers()) {
        return;
    }
    archive.value(n_noticed_);
    archive.value(evidence_);
    archive.require(n_noticed_ <= examples_seen && is_finite_and_not_negative(evidence_));
    for (Rise& rise : memory_.rises) {
        rise.archive(archive);
    }
    for (RunningMean& mean : memory_.means) {
        archive.value(mean.value);
        archive.value(mean.n);
        archive.require(is_within(mean.value, Rise::largest) && mean.n <= Rise::longest);
    }
    archive.array(memory_.last_of, [&](std::uint64_t last) { return last <= examples_seen; });
    archive.array(memory_.gains, is_finite_and_not_negative);
    for (Drift& drift : memory_.remembered.first(archive.ok() ? n_remembered() : 0)) {
        archive.value(drift.noticed);
        archive.value(drift.began);
        archive.value(drift.evidence);
        archive.require(drift.began >= 1 && drift.began <= drift.noticed &&
                        drift.noticed <= examples_seen &&
                        is_finite_and_not_negative(drift.evidence));
    }
    for_each_look([&](Look& look) {
        if (archive.ok()) {
            look.archive(archive, nominal, n_classes);
            archive.require(look.begun <= examples_seen);
        }
    });
}

void Drifts::copy_from(const Drifts& other) {
    if (!remembers() || !other.remembers()) {
        return;
    }
    evidence_ = other.evidence_;
    std::ranges::copy(other.memory_.rises, memory_.rises.begin());
    const std::size_t n_classes = std::min(other.memory_.last_of.size(), memory_.last_of.size());
    std::ranges::copy(other.memory_.means.first(2 * n_classes), memory_.means.begin());
    std::ranges::copy(other.memory_.last_of.first(n_classes), memory_.last_of.begin());
    std::ranges::copy(other.memory_.looks, memory_.looks.begin());
    look() = {};  // the places of its shrubs have changed
    const std::size_t n = std::min(other.n_remembered(), memory_.remembered.size());
    for (std::size_t i = 0; i < n; ++i) {
        memory_.remembered[i] = other[other.n_remembered() - n + i];
    }
    n_noticed_ = n;
}

}  // namespace shrubs
