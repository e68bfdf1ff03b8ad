// Random calls on random learners, from the edges of what is allowed. Seeded, so that a failure
// comes back; `fuzz_state.cpp` is the search without bounds.

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "invariants.hpp"
#include "states.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

template <class T, std::size_t N>
T one_of(Random& random, const std::array<T, N>& choices) {
    return choices[random.below(N)];
}

Kind random_kind(Random& random) {
    Config config;
    config.task = random.below(3) == 0 ? Task::regression : Task::classification;
    const bool classification = config.task == Task::classification;
    config.loss = classification && random.below(3) == 0 ? Loss::cross_entropy : Loss::mse;
    config.splitter = random.below(2) == 0 ? Splitter::best : Splitter::random;
    config.target_scaling = random.below(2) == 0;
    config.max_shrubs = one_of<std::uint32_t>(random, std::array{1U, 2U, 5U, 17U});
    config.window_size = one_of<std::uint32_t>(random, std::array{1U, 2U, 3U, 16U, 40U, 300U});
    config.max_depth = one_of<std::uint32_t>(random, std::array{1U, 2U, 17U, no_limit});
    config.min_samples_leaf = one_of<std::uint32_t>(random, std::array{1U, 1U, 2U, 5U, 65535U});
    config.steps_per_example = one_of<std::uint32_t>(random, std::array{1U, 1U, 3U});
    config.grow_every = one_of<std::uint32_t>(random, std::array{1U, 1U, 4U});
    config.step_size = one_of<double>(random, std::array{1e-300, 0.01, 0.3, 5.0, 1e100});
    config.seed = random.next();
    Dimensions dimensions;
    dimensions.n_features = one_of<std::uint32_t>(random, std::array{0U, 1U, 2U, 5U, 65U, 300U});
    dimensions.n_classes =
        classification ? one_of<std::uint32_t>(random, std::array{1U, 2U, 3U, 11U, 300U}) : 0;
    dimensions.max_features =
        dimensions.n_features == 0 ? 0 : 1 + random.below(dimensions.n_features);
    return {config, dimensions};
}

float random_value(Random& random, bool nominal) {
    constexpr float most = std::numeric_limits<float>::max();
    constexpr float least = std::numeric_limits<float>::denorm_min();
    if (random.below(6) == 0) {
        return missing;
    }
    if (nominal) {
        return one_of<float>(random, std::array{0.0F, 1.0F, 2.0F, 16777215.0F});
    }
    return random.below(2) == 0
               ? one_of<float>(random, std::array{0.0F, 1.0F, -1.0F, most, -most, least, -least})
               : static_cast<float>(random.uniform());
}

double random_target(Random& random) {
    constexpr double most = std::numeric_limits<double>::max();
    constexpr double least = std::numeric_limits<double>::denorm_min();
    return random.below(2) == 0
               ? one_of<double>(random, std::array{0.0, 1.0, -3.0, most, -most, least, -least,
                                                   1e-200, 0x1p1022, -0x1p1023})
               : random.uniform();
}

// One learner through a random life. A twin that was loaded from its state must stay the same.
class Life {
 public:
    explicit Life(std::uint64_t seed) : random_(seed, 0), kind_(random_kind(random_)) {
        for (std::uint32_t i = 0; i < kind_.dimensions.n_features; ++i) {
            nominal_.push_back(random_.below(3) == 0 ? 1 : 0);
        }
        all_missing_ = random_.below(10) == 0;
        learner_ = std::make_unique<LearnerHolder>(kind_.config, kind_.dimensions, nominal_);
    }

    void live(int n_calls) {
        for (int call = 0; call < n_calls; ++call) {
            switch (random_.below(12)) {
                case 0: twin_ = loaded(state_of(learner_->ensemble())); break;
                case 1: plan_anew(); break;
                case 2: check_prediction(learner_->ensemble(), random_row()); break;
                case 3: learner_->scribble_over_scratch(); break;
                default: learn(); break;
            }
        }
        check_invariants(learner_->ensemble());
    }

 private:
    std::vector<float> random_row() {
        std::vector<float> x;
        for (const std::uint8_t nominal : nominal_) {
            x.push_back(all_missing_ ? missing : random_value(random_, nominal != 0));
        }
        return x;
    }

    void learn() {
        const std::vector<float> x = random_row();
        Example example{x, 0, random_target(random_)};
        if (kind_.config.task == Task::classification) {
            example.label = static_cast<std::uint16_t>(random_.below(kind_.dimensions.n_classes));
        }
        std::vector<double> f(std::max(kind_.dimensions.n_classes, 1U));
        learner_->ensemble().predict_next(x, f);
        learner_->ensemble().learn_next(example);
        if (twin_) {
            twin_->ensemble().learn(example);
            CHECK(state_of(learner_->ensemble()) == state_of(twin_->ensemble()));
        }
        check_weights(learner_->ensemble());
        if (random_.below(8) == 0) {
            check_invariants(learner_->ensemble());
        }
    }

    void plan_anew() {
        Dimensions& dimensions = kind_.dimensions;
        const std::uint32_t more = random_.below(3);
        dimensions.n_features += more;
        dimensions.n_classes += kind_.config.task == Task::classification ? random_.below(3) : 0;
        dimensions.max_features =
            dimensions.n_features == 0 ? 0 : 1 + random_.below(dimensions.n_features);
        nominal_.resize(dimensions.n_features, 0);
        learner_ = copied(*learner_, dimensions);
        twin_.reset();
        CHECK(learner_ != nullptr);
    }

    Random random_;
    Kind kind_;
    std::vector<std::uint8_t> nominal_;
    bool all_missing_ = false;
    std::unique_ptr<LearnerHolder> learner_;
    std::unique_ptr<LearnerHolder> twin_;
};

}  // namespace

TEST_CASE("short random lives leave every learner sound") {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Life(seed).live(40);
    }
}

TEST_CASE("long random lives leave every learner sound") {
    for (std::uint64_t seed = 1000; seed < 1020; ++seed) {
        Life(seed).live(500);
    }
}

TEST_CASE("random bytes in place of random bytes never break a loaded learner") {
    Random random(99, 0);
    for (const Kind& kind : all_kinds()) {
        const auto state = state_of(taught(kind, 9)->ensemble());
        for (int repeat = 0; repeat < 300; ++repeat) {
            auto tampered = state;
            for (std::uint32_t i = 0; i <= random.below(6); ++i) {
                tampered[kinds_offset +
                         random.below(static_cast<std::uint32_t>(state.size() - kinds_offset))] =
                    static_cast<std::byte>(random.below(256));
            }
            seal(tampered);
            const auto learner = loaded(tampered);
            if (learner) {
                check_invariants(learner->ensemble());
            }
        }
    }
}
