#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "shrubs/auto/mixtures.hpp"
#include "shrubs/auto/weight_lanes.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/paper/prox.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::size_t n_mixtures = auto_step_sizes.size();

// Four times the same, side by side.
std::vector<float> projected(const std::vector<float>& weights) {
    std::vector<float> four;
    for (const float weight : weights) {
        four.insert(four.end(), n_mixtures, weight);
    }
    project_simplex(four);
    std::vector<float> result;
    for (std::size_t i = 0; i < four.size(); i += n_mixtures) {
        CHECK(std::count(four.data() + i, four.data() + i + n_mixtures, four[i]) == n_mixtures);
        result.push_back(four[i]);
    }
    return result;
}

// Mixtures of some experts, all of them present unless told otherwise.
class Mix {
 public:
    Mix(std::size_t n_experts, std::size_t width)
        : n_experts_(n_experts),
          weights_(n_mixtures * n_experts),
          losses_(n_mixtures),
          shares_(n_mixtures),
          predictions_(n_mixtures * width),
          descended_(n_mixtures * n_experts),
          f_(width),
          present_(n_experts),
          mixtures_({weights_, losses_, shares_, predictions_, descended_},
                    {.ranges = {{{0, static_cast<std::uint32_t>(n_experts)}}}, .n = 1}, width) {
        std::iota(present_.begin(), present_.end(), std::uint16_t{0});
        mixtures_.begin();
    }

    Mix(const Mix&) = delete;
    Mix& operator=(const Mix&) = delete;

    Mixtures& mixtures() { return mixtures_; }
    void set_loss(std::size_t k, double loss) { losses_[k] = loss; }
    std::vector<std::uint16_t>& present() { return present_; }

    const std::vector<double>& predict(const std::vector<float>& experts) {
        mixtures_.mix(experts, present_, f_);
        return f_;
    }
    void learn(const std::vector<float>& experts, const std::vector<double>& target) {
        predict(experts);
        mixtures_.learn(experts, present_, target);
        check();
    }
    void check() const {
        double shares = 0.0;
        for (std::size_t k = 0; k < n_mixtures; ++k) {
            shares += mixtures_.share(k);
            double total = 0.0;
            for (const std::uint16_t i : present_) {
                CHECK(mixtures_.weight(k, i) >= 0.0);
                total += mixtures_.weight(k, i);
            }
            CHECK(std::abs(total - 1.0) < 1e-6);  // of numbers in single precision
        }
        CHECK(std::abs(shares - 1.0) < 1e-12);
    }

 private:
    std::size_t n_experts_;
    std::vector<float> weights_;
    std::vector<double> losses_;
    std::vector<double> shares_;
    std::vector<float> predictions_, descended_;
    std::vector<double> f_;
    std::vector<std::uint16_t> present_;
    Mixtures mixtures_;
};

}  // namespace

TEST_CASE("the projection of each of four lists is the one with a sort") {
    Random random(1, 0);
    for (int repeat = 0; repeat < 3000; ++repeat) {
        const std::size_t n = 1 + random.below(60);
        const double spread = repeat % 3 == 0 ? 0.02 : 4.0;
        std::vector<float> four(n_mixtures * n);
        for (float& weight : four) {
            weight = static_cast<float>(random.below(4) == 0 ? 0.25 * random.below(4)
                                                             : spread * (random.uniform() - 0.4));
        }
        std::vector<float> result = four;
        project_simplex(result);
        for (std::size_t list = 0; list < n_mixtures; ++list) {
            std::vector<double> expected(n);
            for (std::size_t i = 0; i < n; ++i) {
                expected[i] = four[i * n_mixtures + list];
            }
            std::vector<std::uint16_t> order(n);
            project_sparse_simplex(expected, n, order);
            for (std::size_t i = 0; i < n; ++i) {
                CHECK(std::abs(result[i * n_mixtures + list] - expected[i]) < 1e-6);
            }
        }
    }
}

TEST_CASE("the projection may begin with what makes some of the weights sum to one") {
    Random random(4, 0);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const std::size_t n = 1 + random.below(30);
        std::vector<float> lanes(n * n_mixtures);
        std::ranges::generate(lanes, [&] { return static_cast<float>(random.uniform() - 0.4); });
        std::vector<float> expected = lanes;
        project_simplex(expected);
        auto bound = FourFloats::all(-1.0F);
        const std::size_t n_some = 1 + random.below(static_cast<std::uint32_t>(n));
        for (std::size_t i = 0; i < n_some; ++i) {
            bound = bound + FourFloats::load(lanes.data() + i * n_mixtures);
        }
        project(lanes.data(), n, bound / FourFloats::all(static_cast<float>(n_some)));
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            CHECK(std::abs(lanes[i] - expected[i]) < 1e-6F);
        }
    }
}

TEST_CASE("the projection keeps what is on the simplex and gives a single weight everything") {
    CHECK_EQ(projected({0.5F, 0.25F, 0.25F}), std::vector<float>({0.5F, 0.25F, 0.25F}));
    CHECK_EQ(projected({-3.0F}), std::vector<float>({1.0F}));
    CHECK_EQ(projected({0.0F, 5.0F}), std::vector<float>({0.0F, 1.0F}));
}

TEST_CASE("before the first example all experts weigh the same") {
    Mix mix(4, 1);
    CHECK(std::abs(mix.predict({1.0F, 2.0F, 3.0F, 6.0F})[0] - 3.0) < 1e-6);
    mix.check();
    for (std::size_t expert = 0; expert < 4; ++expert) {
        CHECK(std::abs(mix.mixtures().weight(expert) - 0.25) < 1e-12);
    }
}

TEST_CASE("an expert that is not present is not heard") {
    Mix mix(3, 1);
    mix.present() = {0, 2};
    CHECK(std::abs(mix.predict({1.0F, 1e30F, 3.0F})[0] - 2.0) < 1e-6);
}

TEST_CASE("the best of the experts wins in every mixture") {
    Mix mix(5, 3);
    Random random(2, 0);
    for (int i = 0; i < 20000; ++i) {
        const std::uint32_t truth = random.below(3);
        std::vector<float> experts;
        for (std::uint32_t expert = 0; expert < 5; ++expert) {
            // Expert 3 is right nine times in ten, the others guess.
            const std::uint32_t said =
                expert == 3 && random.below(10) != 0 ? truth : random.below(3);
            for (std::uint32_t c = 0; c < 3; ++c) {
                experts.push_back(c == said ? 1.0F : 0.0F);
            }
        }
        std::vector<double> target(3);
        target[truth] = 1.0;
        mix.learn(experts, target);
    }
    for (std::size_t expert = 0; expert < 5; ++expert) {
        CHECK(expert == 3 || mix.mixtures().weight(3) > 5.0 * mix.mixtures().weight(expert));
    }
    CHECK(mix.mixtures().weight(3) > 0.8);
}

TEST_CASE("large steps follow a change that small steps miss, and get the say") {
    Mix mix(2, 1);
    double error = 0.0;
    for (int i = 0; i < 2000; ++i) {
        // The experts take turns at being right, fifty examples each.
        const bool first = i / 50 % 2 == 0;
        const std::vector<float> experts = {first ? 1.0F : 0.0F, first ? 0.0F : 1.0F};
        error += i < 1000 ? 0.0 : std::abs(mix.predict(experts)[0] - 1.0);
        mix.learn(experts, {1.0});
    }
    CHECK(error / 1000 < 0.1);
    CHECK(mix.mixtures().share(n_mixtures - 1) > mix.mixtures().share(0));
}

TEST_CASE("a newcomer starts with nothing and earns its weight") {
    Mix mix(3, 1);
    for (int i = 0; i < 50; ++i) {
        mix.learn({0.0F, 0.2F, 1.0F}, {1.0});
    }
    CHECK(mix.mixtures().weight(2) > 0.5);
    mix.mixtures().forget(2);
    mix.mixtures().restore(mix.present());
    for (int i = 0; i < 300; ++i) {
        mix.learn({0.0F, 0.2F, 1.0F}, {1.0});
    }
    CHECK(mix.mixtures().weight(2) > 0.5);
}

TEST_CASE("a newcomer is not heard before it has earned a weight") {
    Mix mix(3, 1);
    mix.mixtures().forget(2);
    CHECK_EQ(mix.mixtures().weight(2), 0.0);
    CHECK(std::abs(mix.predict({0.0F, 0.2F, 1.0F})[0] - 0.1) < 1e-7);
}

TEST_CASE("when all that a mixture trusted is gone, it trusts all alike") {
    Mix mix(3, 1);
    for (std::size_t expert = 0; expert < 3; ++expert) {
        mix.mixtures().forget(expert);
    }
    mix.mixtures().restore(mix.present());
    CHECK(std::abs(mix.predict({1.0F, 2.0F, 6.0F})[0] - 3.0) < 1e-6);
    mix.check();
}

TEST_CASE("weights stay a distribution while experts come and go") {
    constexpr std::size_t n_experts = 12;
    Mix mix(n_experts, 2);
    Random random(5, 0);
    for (int i = 0; i < 3000; ++i) {
        std::vector<float> experts(2 * n_experts);
        for (float& value : experts) {
            value = static_cast<float>(20.0 * random.uniform() - 10.0);
        }
        if (random.below(10) == 0) {
            mix.mixtures().forget(random.below(n_experts));
        }
        mix.present().clear();
        for (std::uint16_t expert = 0; expert < n_experts; ++expert) {
            if (random.below(3) != 0 || expert == i % n_experts) {
                mix.present().push_back(expert);
            }
        }
        mix.mixtures().restore(mix.present());
        mix.learn(experts, {random.uniform(), -random.uniform()});
    }
}

TEST_CASE("the greatest difference of losses leaves the shares a distribution") {
    Mix mix(2, 1);
    Mix extreme(2, 1);
    extreme.set_loss(0, std::numeric_limits<double>::max());
    mix.mixtures().copy_losses(extreme.mixtures());
    CHECK_EQ(mix.mixtures().share(0), 0.0);
    mix.check();
}

TEST_CASE("the mixtures of a range hear its experts alone, and the best range gets the say") {
    const ExpertRanges ranges{.ranges = {{{0, 4}, {0, 3}, {3, 1}}}, .n = 3};
    std::vector<float> weights(static_cast<std::size_t>(ranges.n_weights()));
    CHECK_EQ(weights.size(), 8 * n_mixtures);
    std::vector<double> losses(3 * n_mixtures), shares(3 * n_mixtures);
    std::vector<float> predictions(3 * n_mixtures), descended(4 * n_mixtures);
    Mixtures mixtures({weights, losses, shares, predictions, descended}, ranges, 1);
    mixtures.begin();
    const std::vector<std::uint16_t> present = {0, 1, 3};
    std::vector<double> f(1);
    for (int i = 0; i < 300; ++i) {
        const auto wrong = static_cast<float>(i % 2);
        const std::vector<float> experts = {wrong, 1.0F - wrong, 9.0F, 0.5F};
        mixtures.mix(experts, present, f);
        mixtures.learn(experts, present, std::vector<double>{0.5});
    }
    CHECK(std::abs(f[0] - 0.5) < 1e-6);
    CHECK_EQ(mixtures.weight(n_mixtures, 3), 0.0);      // has no part in the second range
    CHECK_EQ(mixtures.weight(2 * n_mixtures, 3), 1.0);  // is the third
    CHECK(mixtures.weight(3) > mixtures.weight(0));
}

TEST_CASE("two ranges side by side have the bits of one after the other") {
    constexpr std::uint32_t n_experts = 21;
    const ExpertRanges ranges{.ranges = {{{0, n_experts}, {4, 14}, {18, 3}}}, .n = 3};
    for (const std::size_t width : {1U, 2U, 5U, 11U}) {
        std::array<std::vector<double>, 2> results;
        for (const bool wide : {false, true}) {
            allow_avx2(wide);
            std::vector<float> weights(ranges.n_weights());
            std::vector<double> losses(3 * n_mixtures), shares(3 * n_mixtures);
            std::vector<float> predictions(3 * width * n_mixtures);
            std::vector<float> descended(n_experts * n_mixtures);
            Mixtures mixtures({weights, losses, shares, predictions, descended}, ranges, width);
            mixtures.begin();
            Random random(width, 3);
            for (int t = 0; t < 200; ++t) {
                std::vector<std::uint16_t> present;
                for (std::uint16_t i = 0; i < n_experts; ++i) {
                    // Sometimes there is nobody in the second range.
                    const bool is_away = t % 10 == 9 && ranges.ranges[1].contains(i);
                    if (!is_away && (i >= 18 || random.below(4) != 0)) {
                        present.push_back(i);
                    }
                }
                std::vector<float> said(n_experts * width);
                for (float& value : said) {
                    value = static_cast<float>(random.uniform() * 2.0 - 0.5);
                }
                std::vector<double> target(width);
                target[random.below(static_cast<std::uint32_t>(width))] = 1.0;
                mixtures.restore(present);
                std::vector<double> f(width);
                mixtures.mix(said, present, f);
                mixtures.learn(said, present, target);
                results[wide].insert(results[wide].end(), f.begin(), f.end());
                results[wide].insert(results[wide].end(), weights.begin(), weights.end());
                results[wide].insert(results[wide].end(), losses.begin(), losses.end());
            }
        }
        CHECK(results[0] == results[1]);
    }
    allow_avx2(true);
}
