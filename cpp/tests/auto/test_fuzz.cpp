// Random calls on random learners that need no tuning, from the edges of what is allowed. Seeded,
// so that a failure comes back; `fuzz_state.cpp` is the search without bounds.

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "auto_invariants.hpp"
#include "states.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

template <class T, std::size_t N>
T one_of(Random& random, const std::array<T, N>& choices) {
    return choices[random.below(N)];
}

float random_value(Random& random, bool nominal) {
    constexpr float most = std::numeric_limits<float>::max();
    if (random.below(6) == 0) {
        return missing;
    }
    if (nominal) {
        return one_of<float>(random, std::array{0.0F, 1.0F, 2.0F, 16777215.0F});
    }
    return random.below(2) == 0
               ? one_of<float>(random, std::array{0.0F, 1.0F, -1.0F, most, -most, 1e-45F, -1e-45F})
               : static_cast<float>(random.uniform());
}

double random_target(Random& random) {
    constexpr double most = std::numeric_limits<double>::max();
    return random.below(2) == 0
               ? one_of<double>(random, std::array{0.0, 1.0, -3.0, most, -most, 5e-324, -5e-324,
                                                   1e-200, 0x1p1022, -0x1p1023})
               : random.uniform();
}

// One learner through a random life. A twin that was loaded from its state must stay the same.
class Life {
 public:
    explicit Life(std::uint64_t seed) : random_(seed, 0) {
        config_.task = random_.below(3) == 0 ? Task::regression : Task::classification;
        config_.seed = random_.next();
        dimensions_.n_features = one_of<std::uint32_t>(random_, std::array{0U, 1U, 2U, 5U, 40U});
        dimensions_.n_classes = config_.task == Task::classification
                                    ? one_of<std::uint32_t>(random_, std::array{1U, 2U, 3U, 20U})
                                    : 0;
        for (std::uint32_t i = 0; i < dimensions_.n_features; ++i) {
            nominal_.push_back(random_.below(3) == 0 ? 1 : 0);
        }
        all_missing_ = random_.below(10) == 0;
        config_.arena_bytes = random_memory();
        learner_ = std::make_unique<AutoHolder>(config_, dimensions_, nominal_);
    }

    void live(int n_calls) {
        for (int call = 0; call < n_calls; ++call) {
            switch (random_.below(16)) {
                case 0: load_twin(); break;
                case 1: plan_anew(); break;
                case 2: check_auto_prediction(learner_->ensemble(), random_row()); break;
                case 3: learner_->scribble_over_scratch(); break;
                default: learn(); break;
            }
        }
        check_auto_invariants(*learner_);
    }

 private:
    std::uint64_t random_memory() {
        const std::uint64_t least =
            smallest_auto_arena({.task = config_.task}, dimensions_, count_nominal(nominal_));
        return one_of<std::uint64_t>(random_,
                                     std::array{least, least + 1, least + least / 7, 2 * least});
    }

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
        if (config_.task == Task::classification) {
            example.label = static_cast<std::uint16_t>(random_.below(dimensions_.n_classes));
        }
        std::vector<double> f(std::max(dimensions_.n_classes, 1U));
        learner_->ensemble().predict_next(x, f);
        learner_->ensemble().learn_next(example);
        if (twin_) {
            twin_->ensemble().learn(example);
            CHECK(state_of(learner_->ensemble()) == state_of(twin_->ensemble()));
        }
        if (random_.below(8) == 0) {
            check_auto_invariants(*learner_);
        }
    }

    void load_twin() {
        twin_ = auto_loaded(state_of(learner_->ensemble()));
        CHECK(twin_ != nullptr);
    }

    void plan_anew() {
        dimensions_.n_features += random_.below(3);
        dimensions_.n_classes += config_.task == Task::classification ? random_.below(3) : 0;
        nominal_.resize(dimensions_.n_features, static_cast<std::uint8_t>(random_.below(2)));
        config_.arena_bytes = random_memory();
        auto larger = std::make_unique<AutoHolder>(config_, dimensions_, nominal_);
        larger->ensemble().copy_from(learner_->ensemble());
        CHECK(learner_->fences_stand());
        learner_ = std::move(larger);
        twin_.reset();
        check_auto_invariants(*learner_);
    }

    Random random_;
    AutoConfig config_;
    Dimensions dimensions_;
    std::vector<std::uint8_t> nominal_;
    bool all_missing_ = false;
    std::unique_ptr<AutoHolder> learner_;
    std::unique_ptr<AutoHolder> twin_;
};

}  // namespace

TEST_CASE("short random lives leave every auto learner sound") {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        Life(seed).live(40);
    }
}

TEST_CASE("long random lives leave every auto learner sound") {
    for (std::uint64_t seed = 1000; seed < 1012; ++seed) {
        Life(seed).live(400);
    }
}

TEST_CASE("random bytes in place of random bytes never break a loaded auto learner") {
    Random random(99, 0);
    for (const Task task : {Task::classification, Task::regression}) {
        for (const int n_examples : {3, 40}) {
            const Dimensions dimensions{2, task == Task::classification ? 3U : 0U, 0};
            const AutoKind kind{
                {task, smallest_auto_arena({.task = task}, dimensions, 1) + 2000, 1}, dimensions};
            const auto state = state_of(auto_taught(kind, n_examples)->ensemble());
            for (int repeat = 0; repeat < 400; ++repeat) {
                auto tampered = state;
                for (std::uint32_t i = 0; i <= random.below(6); ++i) {
                    tampered[16 + random.below(static_cast<std::uint32_t>(state.size() - 20))] =
                        static_cast<std::byte>(random.below(256));
                }
                seal(tampered);
                const auto learner = auto_loaded(tampered);
                if (!learner) {
                    continue;
                }
                check_auto_invariants(*learner);
                if (task == Task::regression || learner->ensemble().dimensions().n_classes > 0) {
                    ExampleSource source(4, learner->ensemble().dimensions(), 5);
                    learner->ensemble().learn(source.next());
                    check_auto_invariants(*learner);
                }
            }
        }
    }
}
