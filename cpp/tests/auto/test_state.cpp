#include <algorithm>
#include <limits>
#include <vector>

#include "auto_invariants.hpp"
#include "states.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes with(Bytes state, std::size_t offset, T value) {
    std::memcpy(state.data() + offset, &value, sizeof value);
    seal(state);
    return state;
}

StateError error_of(const Bytes& state) {
    return read_header<AutoEnsemble>(state).error;
}

// Whether a state is refused, and by load_state rather than for its header.
bool contents_refused(const Bytes& state) {
    return error_of(state) == StateError::none && !auto_loaded(state);
}

constexpr std::size_t auto_kinds_offset = 6 + 2 + 8 + 1 + 8 + 8 + 1 + 4 + 4 + 4;

// Where things are in the state of a learner without tables. The shrub is the first that splits.
// Behind all others stand the quantiles of the scores.
constexpr std::size_t score_bytes = 4 + 12 * ScoreQuantiles::levels.size();

struct Offsets {
    std::size_t examples_seen, loss, n_examples, examples, weights, losses, scale, target;
    std::size_t shrub = 0, nodes = 0, leaves = 0;
    std::uint32_t place = 0;
    std::vector<std::size_t> beds;

    explicit Offsets(const AutoEnsemble& ensemble) {
        const std::size_t features = ensemble.dimensions().n_features;
        const bool regression = ensemble.config().task == Task::regression;
        const PlanInUse& plan = ensemble.plan();
        const auto leaf_bytes =
            static_cast<std::size_t>(auto_leaf_bytes(ensemble.config().task, plan.width()));
        examples_seen = auto_kinds_offset + features + 8;
        loss = examples_seen + 8;
        n_examples = loss + 8 + std::size_t{4} * plan.n_groups;
        examples = n_examples + 4;
        std::size_t next =
            examples + ensemble.window().size() * (4 * features + (regression ? 8 : 2));
        for (std::uint32_t at = 0; at < plan.n_places; ++at) {
            const std::size_t n_inner = ensemble.shrubs().n_inner(at);
            if (ensemble.shrubs().is_grown(at) && n_inner > 0 && shrub == 0) {
                place = at;
                shrub = next;
                nodes = shrub + 2 + 8 + 8;
                leaves = nodes + 8 * n_inner;
            }
            next += 2;
            if (ensemble.shrubs().is_grown(at)) {
                next += 8 + 8 + 8 * n_inner + leaf_bytes * (n_inner + 1);
            }
        }
        for (std::size_t bed = 0; bed < ensemble.beds().n_slow(); ++bed) {
            beds.push_back(next);
            next += ensemble.beds()[bed].is_free() ? 2 : 2 + 2 + 4 + 4 + 4 + 8 + 8;
        }
        weights = next;
        losses = weights + 4 * static_cast<std::size_t>(plan.ranges.n_weights());
        scale = losses + 8 * 4 * plan.ranges.n;
        target = state_bytes(ensemble, {}) - 4 - score_bytes - 41;
    }
};

AutoKind smallest(Task task) {
    const Dimensions dimensions{2, task == Task::classification ? 2U : 0U, 0};
    return {{task, smallest_auto_arena({.task = task}, dimensions, 1), 5}, dimensions};
}

std::vector<AutoKind> smallest_kinds() {
    return {smallest(Task::classification), smallest(Task::regression)};
}

// Loads what it can of a tampered state and lets it learn on.
void use_if_loaded(const Bytes& state) {
    const auto holder = auto_loaded(state);
    if (!holder) {
        return;
    }
    check_auto_invariants(*holder);
    const Dimensions dimensions = holder->ensemble().dimensions();
    if (holder->ensemble().config().task == Task::classification && dimensions.n_classes == 0) {
        return;
    }
    const Bytes saved = state_of(holder->ensemble());
    const auto again = auto_loaded(saved);
    CHECK(again && state_of(again->ensemble()) == saved);
    ExampleSource source(4, dimensions, 5);
    for (int i = 0; i < 3; ++i) {
        holder->ensemble().learn(source.next());
    }
    check_auto_invariants(*holder);
}

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("an auto state that is loaded is saved as the same bytes, and both learn on alike") {
    for (const AutoKind& kind : auto_kinds()) {
        for (const int n_examples : {0, 1, 5, 70, 400}) {
            const auto holder = auto_taught(kind, n_examples);
            const Bytes state = state_of(holder->ensemble());
            const auto copy = auto_loaded(state);
            CHECK(copy != nullptr);
            CHECK(state_of(copy->ensemble()) == state);
            check_auto_invariants(*copy);
            ExampleSource source(5, kind.dimensions, 8);
            for (int i = 0; i < 40; ++i) {
                const Example example = source.next();
                holder->ensemble().learn(example);
                copy->ensemble().learn(example);
            }
            CHECK(state_of(holder->ensemble()) == state_of(copy->ensemble()));
        }
    }
}

TEST_CASE("a learner of the most extreme targets and values can be saved and loaded") {
    constexpr double most = std::numeric_limits<double>::max();
    for (const double sign : {1.0, -1.0}) {
        AutoHolder holder({.task = Task::regression, .arena_bytes = 1U << 15U}, {1, 0, 0});
        const std::vector<float> x = {std::numeric_limits<float>::max()};
        for (int i = 0; i < 60; ++i) {
            holder.ensemble().learn({x, 0, sign * (i % 3 == 0 ? most : 0x1p1023)});
            CHECK(auto_loaded(state_of(holder.ensemble())) != nullptr);
        }
    }
}

TEST_CASE("an auto header tells configuration, dimensions, kinds and tables") {
    const AutoKind kind = auto_kinds()[0];
    const auto holder = auto_taught(kind);
    const Bytes tables = {std::byte{1}, std::byte{2}, std::byte{3}};
    const Bytes state = state_of(holder->ensemble(), tables);
    const StateHeader<AutoEnsemble> header = read_header<AutoEnsemble>(state);
    CHECK_EQ(header.error, StateError::none);
    CHECK(header.config == kind.config);
    CHECK_EQ(header.dimensions.n_features, kind.dimensions.n_features);
    CHECK_EQ(header.dimensions.n_classes, kind.dimensions.n_classes);
    CHECK(std::ranges::equal(header.nominal, std::vector<std::uint8_t>({0, 0, 1})));
    CHECK(std::ranges::equal(header.tables, tables));
    CHECK(auto_loaded(state) != nullptr);
}

TEST_CASE("a byte flip of an auto state with a checksum that fits never breaks the learner") {
    for (const AutoKind& kind : smallest_kinds()) {
        const Bytes state = state_of(auto_taught(kind, 20)->ensemble());
        for (std::size_t at = 0; at < state.size(); ++at) {
            const std::byte flip{static_cast<std::uint8_t>(at % 3 == 0   ? 1U
                                                           : at % 3 == 1 ? 64U
                                                                         : 255U)};
            use_if_loaded(with(state, at, state[at] ^ flip));
        }
    }
}

TEST_CASE("an auto header outside the limits of the core is invalid") {
    const Bytes state = state_of(auto_taught(auto_kinds()[0])->ensemble());
    CHECK_EQ(error_of(with(state, 16, std::uint8_t{2})), StateError::invalid);     // task
    CHECK_EQ(error_of(with(state, 17, std::uint64_t{100})), StateError::invalid);  // memory
    CHECK_EQ(error_of(with(state, 17, ~std::uint64_t{0})), StateError::invalid);
    CHECK_EQ(error_of(with(state, 33, std::uint8_t{2})), StateError::invalid);       // recalls
    CHECK_EQ(error_of(with(state, 34, std::uint32_t{65536})), StateError::invalid);  // delay
    CHECK_EQ(error_of(with(state, 38, std::uint32_t{16385})), StateError::invalid);  // features
    CHECK_EQ(error_of(with(state, 42, std::uint32_t{65536})), StateError::invalid);  // classes
    CHECK_EQ(error_of(with(state, auto_kinds_offset, std::uint8_t{2})), StateError::invalid);
    CHECK_EQ(error_of(with(state, auto_kinds_offset + 3, ~std::uint64_t{0})), StateError::invalid);
    const Bytes regression = state_of(auto_taught(auto_kinds()[4])->ensemble());
    CHECK_EQ(error_of(with(regression, 42, std::uint32_t{1})), StateError::invalid);
}

TEST_CASE("auto counters that contradict each other are refused") {
    const auto holder = auto_taught(auto_kinds()[0]);
    const Bytes state = state_of(holder->ensemble());
    const Offsets at(holder->ensemble());
    CHECK(contents_refused(with(state, at.examples_seen, std::uint64_t{0})));
    CHECK(contents_refused(with(state, at.examples_seen, std::uint64_t{59})));
    CHECK(contents_refused(with(state, at.n_examples, std::uint32_t{20000})));
    for (const double wrong : {-1.0, not_a_number, infinity}) {
        CHECK(contents_refused(with(state, at.loss, wrong)));
        CHECK(contents_refused(with(state, at.losses, wrong)));
        CHECK(contents_refused(with(state, at.weights, static_cast<float>(wrong))));
        CHECK(contents_refused(with(state, at.shrub + 10, wrong)));
    }
    CHECK(contents_refused(with(state, at.weights, 2.5F)));
    // A shrub that is younger than the learner.
    CHECK(contents_refused(with(state, at.shrub + 2, std::uint64_t{60})));
}

TEST_CASE("a learner that has seen examples but keeps none, or has no classes, is refused") {
    const AutoKind kind = auto_kinds()[0];
    const auto holder = auto_taught(kind, 0);
    const Bytes state = state_of(holder->ensemble());
    CHECK(
        contents_refused(with(state, Offsets(holder->ensemble()).examples_seen, std::uint64_t{5})));
    AutoHolder classless(kind.config, {3, 0, 0});
    const Bytes none = state_of(classless.ensemble());
    CHECK(auto_loaded(none) != nullptr);
    CHECK(contents_refused(
        with(none, Offsets(classless.ensemble()).examples_seen, std::uint64_t{5})));
}

TEST_CASE("auto examples that could not have been learned are refused") {
    const auto holder = auto_taught(auto_kinds()[0]);
    const Bytes state = state_of(holder->ensemble());
    const Offsets at(holder->ensemble());
    CHECK(contents_refused(with(state, at.examples, infinite)));
    CHECK(contents_refused(with(state, at.examples + 12, std::uint16_t{2})));
    const auto regression = auto_taught(auto_kinds()[4]);
    const Offsets in(regression->ensemble());
    const Bytes targets = state_of(regression->ensemble());
    CHECK(contents_refused(with(targets, in.examples + 12, not_a_number)));
    // A target beyond the largest that was ever seen.
    CHECK(contents_refused(with(targets, in.examples + 12, 1e300)));
}

// The first learner in which no shrub grows, so that examples may be changed behind its back.
std::unique_ptr<AutoHolder> settled(const AutoKind& kind) {
    for (int n = 60;; ++n) {
        auto holder = auto_taught(kind, n);
        const Beds& beds = holder->ensemble().beds();
        bool is_settled = true;
        for (std::size_t bed = 0; bed < beds.n_slow(); ++bed) {
            is_settled &= beds[bed].is_free();
        }
        if (is_settled) {
            return holder;
        }
    }
}

TEST_CASE("a negative zero in an auto state is loaded as zero") {
    const auto holder = settled(auto_kinds()[0]);
    const Offsets at(holder->ensemble());
    const Bytes zero = with(state_of(holder->ensemble()), at.examples, 0.0F);
    const Bytes negative = with(zero, at.examples, -0.0F);
    CHECK(state_of(auto_loaded(negative)->ensemble()) == state_of(auto_loaded(zero)->ensemble()));
}

TEST_CASE("auto nodes that are no tree are refused") {
    const auto holder = auto_taught(auto_kinds()[0]);
    const AutoEnsemble& ensemble = holder->ensemble();
    const Bytes state = state_of(ensemble);
    const Offsets at(ensemble);
    const std::uint32_t n_inner = ensemble.shrubs().n_inner(at.place);
    CHECK(at.shrub > 0);
    CHECK(contents_refused(with(state, at.nodes, infinite)));
    CHECK(contents_refused(with(state, at.nodes + 4, std::uint16_t{3})));  // feature
    CHECK(contents_refused(with(state, at.nodes + 6, static_cast<std::uint16_t>(n_inner))));
    CHECK(contents_refused(with(state, at.shrub, std::uint16_t{16384})));
    CHECK(contents_refused(with(state, at.shrub, std::uint16_t{65534})));
    const NewShrub shrub = ensemble.shrubs().shrub(at.place);
    const Node root = read_node(shrub.node_bytes, shrub.nodes, 0);
    const std::uint32_t other = root.split.nominal ? 0 : 0x4000;
    CHECK(contents_refused(
        with(state, at.nodes + 4, static_cast<std::uint16_t>(root.split.feature | other))));
}

TEST_CASE("auto leaves with more examples than a leaf can have are refused") {
    const auto holder = auto_taught(auto_kinds()[0]);
    const Bytes state = state_of(holder->ensemble());
    const Offsets at(holder->ensemble());
    CHECK(contents_refused(with(state, at.leaves, std::uint16_t{65535})));
    CHECK(contents_refused(with(state, at.leaves, std::uint16_t{251})));
    const auto regression = auto_taught(auto_kinds()[4]);
    const Bytes means = state_of(regression->ensemble());
    const Offsets in(regression->ensemble());
    CHECK(contents_refused(with(means, in.leaves, not_a_number)));
    CHECK(contents_refused(with(means, in.leaves + 8, std::uint16_t{0})));
    CHECK(contents_refused(with(means, in.leaves + 8, std::uint16_t{1001})));
}

// The first learner in which a shrub grows on all of a window, and the bed it grows in.
std::pair<std::unique_ptr<AutoHolder>, std::size_t> growing(const AutoKind& kind) {
    for (int n = 60;; ++n) {
        auto holder = auto_taught(kind, n);
        const Beds& beds = holder->ensemble().beds();
        for (std::size_t bed = 0; bed < beds.n_slow(); ++bed) {
            if (!beds[bed].is_free()) {
                return {std::move(holder), bed};
            }
        }
    }
}

TEST_CASE("growing shrubs that no stream leads to are refused") {
    {
        const auto [holder, bed] = growing(auto_kinds()[0]);
        const Bytes state = state_of(holder->ensemble());
        CHECK(auto_loaded(state) != nullptr);
        const std::size_t at = Offsets(holder->ensemble()).beds[bed];
        CHECK(contents_refused(with(state, at, std::uint16_t{200})));        // group
        CHECK(contents_refused(with(state, at + 2, std::uint16_t{60000})));  // place
        CHECK(contents_refused(with(state, at + 4, std::uint32_t{0})));      // length
        CHECK(contents_refused(with(state, at + 4, std::uint32_t{60000})));
        CHECK(contents_refused(with(state, at + 8, std::uint32_t{60000})));      // age
        CHECK(contents_refused(with(state, at + 12, std::uint64_t{1} << 60U)));  // began
        CHECK(contents_refused(with(state, at + 20, std::uint64_t{1} << 60U)));  // visited
    }
}

TEST_CASE("companions that no stream leads to are refused") {
    const auto holder = auto_taught(auto_kinds()[0], 30);
    const Bytes state = state_of(holder->ensemble());
    const Offsets at(holder->ensemble());
    const std::size_t variances = at.scale + 3 * 8;
    const std::size_t seen = variances + 3 * 8;
    const std::size_t binary = seen + 3 * 2;
    const std::size_t bayes = binary + 3;
    for (const double wrong : {not_a_number, infinity, 1e300, -1e300}) {
        CHECK(contents_refused(with(state, at.scale, wrong)));
        CHECK(contents_refused(with(state, variances, wrong)));
    }
    CHECK(contents_refused(with(state, variances, -1.0)));
    CHECK(contents_refused(with(state, seen, std::uint16_t{61})));
    CHECK(contents_refused(with(state, binary, std::uint8_t{2})));
    for (const double wrong : {0.5, 2.5, not_a_number}) {
        CHECK(contents_refused(with(state, bayes, wrong)));
    }
    for (const double wrong : {-1.0, not_a_number, infinity}) {
        CHECK(contents_refused(with(state, bayes + 8, wrong)));  // weight of a class
    }
    CHECK(contents_refused(with(state, bayes + 8 + 2 * 8, infinite)));  // a mean
    // Before the drifts stand squares of gradients, neighbours of three values and a label, and
    // what follows one, two and three labels.
    Archive drift_bytes = Archive::counting();
    Drifts(holder->ensemble().drifts()).archive(drift_bytes, {}, 2, 30);
    const std::size_t end = state.size() - 4 - score_bytes - drift_bytes.at();
    const std::size_t follows = end - std::size_t{3} * 2 * 256;
    const auto* const neighbours = std::get<neighbours_companion>(holder->ensemble().companions());
    const std::size_t squares = follows - 4 - neighbours->size() * std::size_t{3 + 2};
    CHECK(contents_refused(with(state, squares - 4, -1.0F)));
    CHECK(contents_refused(with(state, squares - 4, infinite)));
    CHECK(contents_refused(with(state, follows - 2, std::uint16_t{60000})));
    CHECK(contents_refused(with(state, follows, std::uint16_t{251})));
    CHECK(contents_refused(with(state, end - 2, std::uint16_t{0xFFFF})));
}

TEST_CASE("a scale of targets that contradicts the stream is refused") {
    const auto holder = auto_taught(auto_kinds()[4]);
    const Bytes state = state_of(holder->ensemble());
    const std::size_t at = Offsets(holder->ensemble()).target;
    CHECK(contents_refused(with(state, at, std::int32_t{1023})));
    CHECK(contents_refused(with(state, at, std::int32_t{-1000})));
    CHECK(contents_refused(with(state, at + 4, std::uint32_t{59})));
    CHECK(contents_refused(with(state, at + 8, 5.0)));
    CHECK(contents_refused(with(state, at + 16, -0.5)));
    CHECK(contents_refused(with(state, at + 24, 1e300)));
    CHECK(contents_refused(with(state, at + 32, -1e300)));
}
