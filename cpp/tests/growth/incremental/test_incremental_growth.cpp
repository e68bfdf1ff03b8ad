// Growing with caches gives the shrubs of the plain search, bit for bit.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "holders.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// What the values of a feature look like.
enum class Values : std::uint8_t {
    continuous,
    few,      // four different ones
    rounded,  // some are equal
    binary,
    seldom,  // mostly zero, so that it is constant, binary or more from time to time
    constant,
    holes,  // continuous, some missing
    missing_only,
    counts,     // few whole numbers
    codes,      // nominal, five categories
    two_codes,  // nominal, two categories
    odd_codes,  // nominal, and not numbered
};
constexpr std::uint32_t n_kinds = 12;

float draw(Values kind, Random& random) {
    const double uniform = random.uniform();
    switch (kind) {
        case Values::continuous: return static_cast<float>(uniform);
        case Values::few: return static_cast<float>(random.below(4)) - 1.0F;
        case Values::rounded: return static_cast<float>(static_cast<int>(40.0 * uniform));
        case Values::binary: return uniform < 0.4 ? -2.5F : 3.0F;
        case Values::seldom:
            return uniform < 0.97 ? 0.0F : static_cast<float>(random.below(3)) - 1.0F;
        case Values::constant: return 7.0F;
        case Values::holes: return uniform < 0.1 ? missing : static_cast<float>(uniform);
        case Values::missing_only: return missing;
        case Values::counts: return static_cast<float>(20 + random.below(8));
        case Values::codes: return static_cast<float>(random.below(5));
        case Values::odd_codes: return std::array{-0.0F, 1.0F, 2.5F, 7e4F}[random.below(4)];
        case Values::two_codes: break;
    }
    return uniform < 0.5 ? 3.0F : 8.0F;
}

// Labels follow some features, drift, and have noise; later classes come late.
class MixedSource {
 public:
    MixedSource(std::uint64_t seed, std::vector<Values> kinds, std::uint32_t n_classes)
        : random_(seed, 1), kinds_(std::move(kinds)), x_(kinds_.size()), n_classes_(n_classes) {}

    Example next() {
        double sum = 0.0;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            x_[i] = draw(kinds_[i], random_);
            if (x_[i] == x_[i] && (i + n_given_ / 150) % 3 == 0) {
                sum += x_[i];
            }
        }
        ++n_given_;
        const std::uint32_t known = std::min(n_classes_, 1 + n_given_ / 20);
        const auto rule = static_cast<std::uint32_t>(std::abs(3.0 * sum));
        const std::uint32_t label = random_.below(10) == 0 ? random_.below(known) : rule % known;
        return {x_, static_cast<std::uint16_t>(label), 0.0};
    }

 private:
    Random random_;
    std::vector<Values> kinds_;
    std::vector<float> x_;
    std::uint32_t n_classes_;
    std::uint32_t n_given_ = 0;
};

template <class Ensemble>
bool same_members(const Ensemble& a, const Ensemble& b) {
    const Members& ours = a.members();
    const Members& theirs = b.members();
    if (ours.size() != theirs.size()) {
        return false;
    }
    std::vector<std::int32_t> q(ours.layout().n_classes());
    std::vector<std::int32_t> r(q.size());
    for (std::uint32_t i = 0; i < ours.size(); ++i) {
        const auto bytes =
            std::size_t{ours.n_inner(i)} * static_cast<std::size_t>(ours.node_bytes());
        if (ours.n_inner(i) != theirs.n_inner(i) || ours.born(i) != theirs.born(i) ||
            std::bit_cast<std::uint64_t>(ours.weights()[i]) !=
                std::bit_cast<std::uint64_t>(theirs.weights()[i]) ||
            (bytes > 0 && std::memcmp(ours.nodes(i), theirs.nodes(i), bytes) != 0)) {
            return false;
        }
        for (std::uint32_t leaf = 0; leaf <= ours.n_inner(i); ++leaf) {
            ours.layout().get_distribution(ours.leaves(i), leaf, q);
            theirs.layout().get_distribution(theirs.leaves(i), leaf, r);
            if (q != r) {
                return false;
            }
        }
        for (std::uint32_t age = 0; age < a.window().size(); ++age) {
            const std::uint32_t slot = a.window().slot(age);
            if (ours.leaf_ids(i).get(slot) != theirs.leaf_ids(i).get(slot)) {
                return false;
            }
        }
    }
    return true;
}

template <class Ensemble>
struct Case {
    typename Ensemble::Configuration config;
    std::vector<Values> kinds;
    std::uint32_t n_classes;
    std::uint32_t n_examples;
    std::uint32_t max_features = 0;  ///< 0: all
};

template <class Ensemble>
void check_caches_change_nothing(const Case<Ensemble>& test) {
    const auto n_features = static_cast<std::uint32_t>(test.kinds.size());
    const Dimensions dimensions{n_features, test.n_classes,
                                test.max_features == 0 ? n_features : test.max_features};
    std::vector<std::uint8_t> nominal;
    for (const Values kind : test.kinds) {
        nominal.push_back(kind >= Values::codes ? 1 : 0);
    }
    auto config = test.config;
    config.cache = Cache::none;
    HolderOf<Ensemble> plain(config, dimensions, nominal);
    config.cache = Cache::all;
    HolderOf<Ensemble> cached(config, dimensions, nominal);
    HolderOf<Ensemble> narrow(config, dimensions, nominal);
    MixedSource source(config.seed, test.kinds, test.n_classes);
    bool same = true;
    for (std::uint32_t i = 0; i < test.n_examples && same; ++i) {
        const Example example = source.next();
        plain.ensemble().learn(example);
        cached.scribble_over_scratch();
        cached.ensemble().learn(example);
        allow_avx2(false);
        narrow.ensemble().learn(example);
        allow_avx2(true);
        same = same_members(cached.ensemble(), plain.ensemble()) &&
               same_members(narrow.ensemble(), plain.ensemble());
    }
    CHECK(same);
}

using TreeCase = Case<WindowedTree>;
using EnsembleCase = Case<PaperEnsemble>;

TreeConfig tree(std::uint32_t window_size) {
    return {.only_on_error = false, .window_size = window_size};
}

Config ensemble(std::uint32_t window_size) {
    Config config;
    config.max_shrubs = 6;
    config.window_size = window_size;
    config.step_size = 0.3;
    return config;
}

// Any parameters and kinds of features.
template <class Ensemble>
Case<Ensemble> drawn(Random& random, std::uint64_t seed, typename Ensemble::Configuration config) {
    config.seed = seed;
    config.max_depth = random.below(3) == 0 ? 1 + random.below(5) : no_limit;
    config.min_samples_leaf = random.below(2) == 0 ? 1 + random.below(6) : 1;
    Case<Ensemble> test{config, {}, 2 + random.below(9), 250};
    const std::uint32_t n_features = 1 + random.below(21);
    for (std::uint32_t i = 0; i < n_features; ++i) {
        test.kinds.push_back(static_cast<Values>(random.below(n_kinds)));
    }
    return test;
}

// The same, with some of the features tried in each node.
template <class Ensemble>
Case<Ensemble> drawn_sampled(Random& random, std::uint64_t seed,
                             const typename Ensemble::Configuration& config) {
    Case<Ensemble> test = drawn<Ensemble>(random, seed, config);
    test.config.min_samples_leaf = 1;
    test.kinds.push_back(Values::continuous);
    test.max_features = 1 + random.below(static_cast<std::uint32_t>(test.kinds.size()) - 1);
    return test;
}

}  // namespace

TEST_CASE("shrubs grown with caches are the same where features are drawn") {
    Random random(4, 0);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const std::uint32_t window_size = 1 + random.below(90);
        seed % 2 == 0 ? check_caches_change_nothing(
                            drawn_sampled<PaperEnsemble>(random, seed, ensemble(window_size)))
                      : check_caches_change_nothing(
                            drawn_sampled<WindowedTree>(random, seed, tree(window_size)));
    }
}

TEST_CASE("shrubs grown with caches are the same where features of few whole numbers are drawn") {
    for (const std::uint32_t max_features : {1U, 3U}) {
        for (const std::uint32_t n_classes : {2U, 5U}) {
            const std::vector<Values> kinds = {Values::counts, Values::continuous, Values::counts,
                                               Values::codes,  Values::rounded,    Values::counts};
            check_caches_change_nothing(TreeCase{tree(300), kinds, n_classes, 500, max_features});
            // No feature is left that needs an order.
            check_caches_change_nothing(TreeCase{tree(200), std::vector<Values>(4, Values::counts),
                                                 n_classes, 300, max_features});
        }
    }
}

TEST_CASE("shrubs grown from bits are the same") {
    for (const Splitter splitter : {Splitter::best, Splitter::random}) {
        for (const std::uint32_t max_features : {1U, 4U, 12U}) {
            for (const std::uint32_t window_size : {30U, 300U}) {
                // Now and then a feature has a third value.
                std::vector<Values> kinds(max_features == 1 ? 70 : 20, Values::binary);
                kinds[3] = kinds[11] = Values::two_codes;
                kinds[5] = Values::constant;
                kinds[17] = Values::seldom;
                TreeCase test{tree(window_size), kinds, 6, 400, max_features};
                test.config.splitter = splitter;
                check_caches_change_nothing(test);
                test.kinds[8] = Values::holes;
                test.n_examples = 100;
                check_caches_change_nothing(test);
            }
        }
    }
}

TEST_CASE("shrubs grown with caches are the same where labels do not fit beside slots") {
    const std::vector<Values> kinds = {Values::binary, Values::continuous, Values::two_codes,
                                       Values::codes, Values::binary};
    TreeCase test{tree(1100), kinds, 60, 1200};
    test.config.only_on_error = true;
    test.config.max_depth = 4;
    check_caches_change_nothing(test);
}

TEST_CASE("shrubs grown with caches are the same where single precision is too short") {
    std::vector<Values> kinds(6, Values::binary);
    kinds[2] = Values::continuous;
    kinds[4] = Values::rounded;
    TreeCase test{tree(4500), kinds, 3, 4600};
    test.config.only_on_error = true;
    test.config.max_depth = 2;
    check_caches_change_nothing(test);
}

TEST_CASE("shrubs grown with caches are the same for every kind of feature") {
    for (std::uint32_t kind = 0; kind < n_kinds; ++kind) {
        for (const std::uint32_t n_classes : {2U, 3U, 7U, 12U}) {
            const std::vector<Values> kinds(5, static_cast<Values>(kind));
            check_caches_change_nothing(TreeCase{tree(40), kinds, n_classes, 200});
        }
    }
}

TEST_CASE("shrubs grown with caches are the same for mixed features and any parameters") {
    Random random(3, 0);
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const std::uint32_t window_size = 1 + random.below(90);
        TreeConfig config = tree(window_size);
        switch (random.below(3)) {
            case 0:
                check_caches_change_nothing(
                    drawn<PaperEnsemble>(random, seed, ensemble(window_size)));
                break;
            case 1: config.only_on_error = true; [[fallthrough]];
            default: check_caches_change_nothing(drawn<WindowedTree>(random, seed, config));
        }
    }
}

TEST_CASE("shrubs grown with caches are the same in large windows") {
    for (const std::uint32_t n_classes : {2U, 5U, 9U}) {
        const std::vector<Values> kinds = {Values::continuous, Values::rounded, Values::binary,
                                           Values::continuous, Values::holes,   Values::codes,
                                           Values::continuous, Values::few,     Values::continuous,
                                           Values::two_codes};
        check_caches_change_nothing(TreeCase{tree(600), kinds, n_classes, 700});
    }
}

TEST_CASE("shrubs grown with caches are the same where whole blocks of features are left out") {
    for (const std::uint32_t n_classes : {2U, 3U, 5U}) {
        for (const std::uint32_t max_depth : {2U, 6U}) {
            TreeCase test{tree(150), std::vector<Values>(35, Values::continuous), n_classes, 600};
            test.kinds[33] = Values::rounded;
            test.config.max_depth = max_depth;
            check_caches_change_nothing(test);
            check_caches_change_nothing(EnsembleCase{ensemble(130), test.kinds, n_classes, 600});
        }
    }
}

TEST_CASE("shrubs grown with caches are the same where cuts between equal values seem the best") {
    for (const std::uint32_t n_classes : {2U, 4U}) {
        TreeCase test{tree(400), std::vector<Values>(20, Values::continuous), n_classes, 700};
        for (const std::size_t feature : {0U, 3U, 9U, 10U, 18U}) {
            test.kinds[feature] = Values::rounded;
        }
        check_caches_change_nothing(test);
        test.max_features = 4;
        check_caches_change_nothing(test);
    }
}

TEST_CASE("features that are copies of each other leave the first one the winner") {
    // All features tie in every node, also where it is too large to tell by rounded scores.
    const Dimensions dimensions{9, 3, 9};
    TreeConfig config = tree(200);
    config.cache = Cache::all;
    TreeHolder holder(config, dimensions);
    Random random(5, 0);
    for (int i = 0; i < 300; ++i) {
        const float value = static_cast<float>(random.uniform());
        const std::vector<float> x(9, value);
        holder.ensemble().learn(
            {x, static_cast<std::uint16_t>(static_cast<std::uint32_t>(9.0F * value) % 3), 0.0});
    }
    const Members& members = holder.ensemble().members();
    CHECK(members.n_inner(0) > 5);
    for (std::uint32_t i = 0; i < members.n_inner(0); ++i) {
        CHECK_EQ(read_node(members.node_bytes(), members.nodes(0), i).split.feature, 0U);
    }
}

TEST_CASE("a learner that was saved goes on as if it had not been") {
    Config config = ensemble(50);
    config.step_size = 0.1;
    config.cache = Cache::all;
    const Dimensions dimensions{4, 3, 4};
    LearnerHolder straight(config, dimensions);
    auto saved = std::make_unique<LearnerHolder>(config, dimensions);
    MixedSource source(9, {Values::continuous, Values::binary, Values::few, Values::continuous}, 3);
    for (int i = 0; i < 300; ++i) {
        const Example example = source.next();
        straight.ensemble().learn(example);
        saved->ensemble().learn(example);
        if (i % 37 == 0) {
            const auto state = state_of(saved->ensemble());
            auto loaded = std::make_unique<LearnerHolder>(config, dimensions);
            const StateHeader<PaperEnsemble> header = read_header<PaperEnsemble>(state);
            CHECK(header.config == config);
            CHECK(load_state(state, header, loaded->ensemble()) == StateError::none);
            saved = std::move(loaded);
        }
        CHECK(state_of(straight.ensemble()) == state_of(saved->ensemble()));
    }
}
