#include <algorithm>
#include <limits>
#include <vector>

#include "invariants.hpp"
#include "shrubs/state/state.hpp"
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
    return read_header<PaperEnsemble>(state).error;
}

// Whether a state is refused, and by load_state rather than for its header.
bool contents_refused(const Bytes& state) {
    return error_of(state) == StateError::none && !loaded(state);
}

// Where things are in the state of a learner without tables.
struct Offsets {
    std::size_t examples_seen, stuck_for, frozen, n_examples, examples, shrubs, weight, n_inner,
        nodes;

    explicit Offsets(const PaperEnsemble& ensemble) {
        const std::size_t features = ensemble.dimensions().n_features;
        const std::size_t label = ensemble.config().task == Task::classification ? 2 : 8;
        examples_seen = kinds_offset + features + 8;
        stuck_for = examples_seen + 8;
        frozen = stuck_for + 4;
        n_examples = frozen + 1;
        examples = n_examples + 4;
        shrubs = examples + ensemble.window().size() * (4 * features + label);
        weight = shrubs + 4;
        n_inner = weight + 8 + 8;
        nodes = n_inner + 2;
    }
    std::size_t leaves(const PaperEnsemble& ensemble) const {
        return nodes + std::size_t{ensemble.members().n_inner(0)} * 8;
    }
};

// Loads what it can of a tampered state and lets it learn on.
void use_if_loaded(const Bytes& state) {
    const auto holder = loaded(state);
    if (!holder || holder->ensemble().config().steps_per_example > 10) {
        return;
    }
    check_invariants(holder->ensemble());
    const Dimensions dimensions = holder->ensemble().dimensions();
    if (holder->ensemble().config().task == Task::classification && dimensions.n_classes == 0) {
        return;
    }
    ExampleSource source(4, dimensions, 5);
    for (int i = 0; i < 3; ++i) {
        holder->ensemble().learn(source.next());
        check_invariants(holder->ensemble());
    }
}

constexpr float infinite = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("a state that is loaded is saved as the same bytes") {
    for (const Kind& kind : all_kinds()) {
        const auto holder = taught(kind);
        const Bytes state = state_of(holder->ensemble());
        const auto copy = loaded(state);
        CHECK(copy != nullptr);
        CHECK(state_of(copy->ensemble()) == state);
        check_invariants(copy->ensemble());
    }
}

TEST_CASE("a learner that has seen nothing can be saved and loaded") {
    for (const Kind& kind : all_kinds()) {
        const Bytes state = state_of(taught(kind, 0)->ensemble());
        CHECK(loaded(state) && state_of(loaded(state)->ensemble()) == state);
    }
}

TEST_CASE("a loaded learner goes on as if it had never been saved") {
    for (const Kind& kind : all_kinds()) {
        const auto holder = taught(kind);
        const auto copy = loaded(state_of(holder->ensemble()));
        ExampleSource source(5, kind.dimensions, 8);
        for (int i = 0; i < 40; ++i) {
            const Example example = source.next();
            holder->ensemble().learn(example);
            copy->ensemble().learn(example);
            CHECK(state_of(holder->ensemble()) == state_of(copy->ensemble()));
        }
    }
}

TEST_CASE("caches that take too many steps are refused before the first of them") {
    for (const Kind& kind : all_kinds()) {
        const auto holder = taught(kind);
        const Bytes state = state_of(holder->ensemble());
        const auto header = read_header<PaperEnsemble>(state);
        const std::uint64_t steps = holder->ensemble().restoring_steps();
        const auto load = [&](std::uint64_t max_steps, std::uint32_t& n_pauses) {
            LearnerHolder copy(kind.config, kind.dimensions,
                               {header.nominal.begin(), header.nominal.end()});
            return load_state(state, header, copy.ensemble(), max_steps, [&] { ++n_pauses; });
        };
        std::uint32_t n_pauses = 0;
        CHECK_EQ(load(steps - 1, n_pauses), StateError::too_long);
        CHECK_EQ(n_pauses, 0U);
        CHECK_EQ(load(steps, n_pauses), StateError::none);
        CHECK_EQ(n_pauses, holder->ensemble().window().size());
    }
}

TEST_CASE("a header tells configuration, dimensions, kinds and tables") {
    const Kind kind = all_kinds()[3];
    const auto holder = taught(kind);
    const Bytes tables = {std::byte{1}, std::byte{2}, std::byte{3}};
    const Bytes state = state_of(holder->ensemble(), tables);
    const StateHeader<PaperEnsemble> header = read_header<PaperEnsemble>(state);
    CHECK_EQ(header.error, StateError::none);
    CHECK(header.config == kind.config);
    CHECK_EQ(header.dimensions.n_features, kind.dimensions.n_features);
    CHECK_EQ(header.dimensions.n_classes, kind.dimensions.n_classes);
    CHECK_EQ(header.dimensions.max_features, kind.dimensions.max_features);
    CHECK(std::ranges::equal(header.nominal, std::vector<std::uint8_t>({0, 0, 1})));
    CHECK(std::ranges::equal(header.tables, tables));
    CHECK(loaded(state) != nullptr);
}

TEST_CASE("a byte flip with a checksum that fits never breaks the learner") {
    for (const Kind& kind : all_kinds()) {
        const Bytes state = state_of(taught(kind, 7)->ensemble());
        for (std::size_t at = 0; at < state.size(); ++at) {
            for (const std::uint8_t flip : {1, 64, 128, 255}) {
                use_if_loaded(with(state, at, state[at] ^ std::byte{flip}));
            }
        }
    }
}

TEST_CASE("a state of version 1 loads as one that considers a newcomer at every example") {
    const auto holder = taught(all_kinds()[0]);
    const std::vector<std::byte> now = state_of(holder->ensemble());
    // Version 1 had no field between the dimensions and the kinds of the features.
    std::vector<std::byte> then = now;
    then[6] = std::byte{1};
    const auto end = then.begin() + static_cast<std::ptrdiff_t>(kinds_offset);
    then.erase(end - 4, end);
    seal(then);
    const auto copy = loaded(then);
    CHECK(copy != nullptr);
    CHECK(state_of(copy->ensemble()) == now);
}

TEST_CASE("a header outside the limits of the core is invalid") {
    const Bytes state = state_of(taught(all_kinds()[0])->ensemble());
    CHECK_EQ(error_of(with(state, 16, std::uint8_t{3})), StateError::invalid);   // method
    CHECK_EQ(error_of(with(state, 17, std::uint8_t{2})), StateError::invalid);   // task
    CHECK_EQ(error_of(with(state, 18, std::uint8_t{2})), StateError::invalid);   // loss
    CHECK_EQ(error_of(with(state, 19, std::uint8_t{2})), StateError::invalid);   // splitter
    CHECK_EQ(error_of(with(state, 20, std::uint8_t{6})), StateError::invalid);   // cache
    CHECK_EQ(error_of(with(state, 21, std::uint32_t{0})), StateError::invalid);  // max_shrubs
    CHECK_EQ(error_of(with(state, 25, std::uint32_t{0})), StateError::invalid);  // window_size
    CHECK_EQ(error_of(with(state, 41, -1.0)), StateError::invalid);              // step_size
    CHECK_EQ(error_of(with(state, kinds_offset, std::uint8_t{2})), StateError::invalid);
    CHECK_EQ(error_of(with(state, kinds_offset + 2, ~std::uint64_t{0})), StateError::invalid);
}

TEST_CASE("counters that contradict the configuration are refused") {
    const auto holder = taught(all_kinds()[0]);
    const Bytes state = state_of(holder->ensemble());
    const Offsets at(holder->ensemble());
    CHECK(contents_refused(with(state, at.stuck_for, std::uint32_t{7})));
    CHECK(contents_refused(with(state, at.frozen, std::uint8_t{2})));
    CHECK(contents_refused(with(state, at.n_examples, std::uint32_t{7})));
    CHECK(contents_refused(with(state, at.shrubs, std::uint32_t{4})));
}

TEST_CASE("examples that could not have been learned are refused") {
    const auto holder = taught(all_kinds()[0]);
    const Bytes state = state_of(holder->ensemble());
    const Offsets at(holder->ensemble());
    CHECK(contents_refused(with(state, at.examples, infinite)));
    CHECK(contents_refused(with(state, at.examples + 8, std::uint16_t{2})));
    const auto regression = taught(all_kinds()[6]);
    const Offsets in(regression->ensemble());
    CHECK(contents_refused(with(state_of(regression->ensemble()), in.examples + 8,
                                std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("a negative zero is loaded as zero") {
    const auto holder = taught(all_kinds()[0]);
    const Offsets at(holder->ensemble());
    const Bytes zero = with(state_of(holder->ensemble()), at.examples, 0.0F);
    const Bytes negative = with(zero, at.examples, -0.0F);
    CHECK(state_of(loaded(negative)->ensemble()) == state_of(loaded(zero)->ensemble()));
}

TEST_CASE("weights off the simplex are refused") {
    const auto holder = taught(all_kinds()[0]);
    const Bytes state = state_of(holder->ensemble());
    const Offsets at(holder->ensemble());
    const double weight = holder->ensemble().members().weights()[0];
    for (const double wrong :
         {0.0, -weight, weight + 0.01, std::numeric_limits<double>::quiet_NaN(),
          std::numeric_limits<double>::infinity()}) {
        CHECK(contents_refused(with(state, at.weight, wrong)));
    }
}

TEST_CASE("nodes that are no tree are refused") {
    const auto holder = taught(all_kinds()[0]);
    const PaperEnsemble& ensemble = holder->ensemble();
    const Bytes state = state_of(ensemble);
    const Offsets at(ensemble);
    const std::uint32_t n_inner = ensemble.members().n_inner(0);
    CHECK(n_inner > 0);
    CHECK(contents_refused(with(state, at.nodes, infinite)));
    CHECK(contents_refused(with(state, at.nodes + 4, std::uint16_t{2})));  // feature
    CHECK(contents_refused(with(state, at.nodes + 6, static_cast<std::uint16_t>(n_inner))));
    CHECK(contents_refused(with(state, at.n_inner, std::uint16_t{6})));
    CHECK(contents_refused(with(state, at.n_inner, std::uint16_t{65535})));
    // A node that is nominal where its feature is not.
    const Node root = read_node(ensemble.members().node_bytes(), ensemble.members().nodes(0), 0);
    const std::uint32_t other = root.split.nominal ? 0 : 0x4000;
    CHECK(contents_refused(
        with(state, at.nodes + 4, static_cast<std::uint16_t>(root.split.feature | other))));
}

TEST_CASE("a shrub deeper than max_depth is refused") {
    // XOR grows a full tree of three nodes; its root has one node on each side. Told that both are
    // on the same side, they form a chain of depth three.
    Config config;
    config.max_depth = 2;
    config.window_size = 4;
    LearnerHolder holder(config, {2, 2, 2});
    for (const std::uint16_t i : {0, 1, 2, 3}) {
        const std::vector<float> x = {i < 2 ? 0.0F : 1.0F, static_cast<float>(i % 2)};
        holder.ensemble().learn({x, static_cast<std::uint16_t>(i == 1 || i == 2), 0.0});
    }
    const Members& members = holder.ensemble().members();
    const std::uint32_t youngest = members.size() - 1;
    CHECK_EQ(members.n_inner(youngest), 3U);
    // The leaves come last: four of one entry, 2 + 4 bytes each, after three nodes.
    const Bytes state = state_of(holder.ensemble());
    const std::size_t root = state.size() - 4 - std::size_t{4} * 6 - std::size_t{3} * 8;
    CHECK_EQ(static_cast<int>(state[root + 6]), 1);
    CHECK(contents_refused(with(state, root + 6, std::uint16_t{0})));
    CHECK(contents_refused(with(state, root + 6, std::uint16_t{2})));
}

TEST_CASE("leaves off the simplex are refused") {
    const auto holder = taught(all_kinds()[0]);
    const Bytes state = state_of(holder->ensemble());
    const std::size_t leaf = Offsets(holder->ensemble()).leaves(holder->ensemble());
    // A leaf is: entries (2 bytes), then class and share of each.
    CHECK(contents_refused(with(state, leaf, std::uint16_t{0})));
    CHECK(contents_refused(with(state, leaf, std::uint16_t{65535})));
    CHECK(contents_refused(with(state, leaf + 2, std::uint16_t{2})));
    CHECK(contents_refused(with(state, leaf + 4, std::uint16_t{32767})));
}

TEST_CASE("a leaf with a class twice or with more entries than examples is refused") {
    // Without features, labels 0 and 1 in a window of two: the last leaf is half and half.
    Config config;
    config.window_size = 2;
    LearnerHolder holder(config, {0, 20, 0});
    holder.ensemble().learn({{}, 0, 0.0});
    holder.ensemble().learn({{}, 1, 0.0});
    const auto with_leaf = [&](const std::vector<std::uint16_t>& leaf) {
        Bytes state = state_of(holder.ensemble());
        state.resize(state.size() - 4 - std::size_t{5} * 2);
        const auto bytes = std::as_bytes(std::span(leaf));
        state.insert(state.end(), bytes.begin(), bytes.end());
        state.resize(state.size() + 4);
        seal(state);
        return state;
    };
    CHECK(with_leaf({2, 0, 16384, 1, 16384}) == state_of(holder.ensemble()));
    CHECK(loaded(with_leaf({2, 0, 16384, 7, 16384})) != nullptr);
    CHECK(contents_refused(with_leaf({2, 0, 16384, 0, 16384})));
    CHECK(contents_refused(with_leaf({3, 0, 16384, 1, 16383, 2, 1})));
}

TEST_CASE("a state loaded with more features and classes predicts the same") {
    for (const Kind& kind : all_kinds()) {
        const auto holder = taught(kind);
        Dimensions larger = kind.dimensions;
        larger.n_features += 66;
        larger.max_features += 1;
        const bool regression = kind.config.task == Task::regression;
        larger.n_classes += regression ? 0 : 30;
        const auto copy = copied(*holder, larger);
        CHECK(copy != nullptr);
        check_invariants(copy->ensemble());
        ExampleSource source(6, kind.dimensions, 8);
        for (int i = 0; i < 20; ++i) {
            const Example example = source.next();
            std::vector<float> wide(example.x.begin(), example.x.end());
            wide.resize(larger.n_features, missing);
            if (regression) {
                CHECK_EQ(predicted_value(holder->ensemble(), example.x),
                         predicted_value(copy->ensemble(), wide));
                continue;
            }
            std::vector<double> f(larger.n_classes);
            std::vector<double> g(larger.n_classes);
            holder->ensemble().predict(example.x, std::span(f).first(kind.dimensions.n_classes));
            copy->ensemble().predict(wide, g);
            CHECK_EQ(f, g);
        }
    }
}

TEST_CASE("older examples miss the features that came later") {
    const Kind kind = all_kinds()[0];
    const auto holder = taught(kind);
    const auto copy = copied(*holder, Dimensions{3, 2, 3});
    const Window& window = copy->ensemble().window();
    CHECK_EQ(window.size(), 6U);
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const float value = window.values(2)[window.slot(age)];
        CHECK(value != value);
    }
}
