#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "auto_holders.hpp"
#include "shrubs/auto/companions/buckets.hpp"
#include "shrubs/auto/companions/naive_bayes.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t n_bayes_buckets = 64;

class Bayes {
 public:
    Bayes(std::vector<std::uint8_t> nominal, std::uint32_t n_classes, double forgetting = 0.998)
        : scale_(nominal),
          bayes_(NaiveBayes("", forgetting),
                 {Task::classification, static_cast<std::uint32_t>(nominal.size()), n_classes,
                  n_bayes_buckets}),
          log_odds_(n_classes),
          shares_(n_classes) {}

    Bayes(const Bayes&) = delete;
    Bayes& operator=(const Bayes&) = delete;

    const std::vector<float>& predict(const std::vector<float>& x) {
        bayes_.companion().predict({x, scale_.scale(), {}}, log_odds_, shares_);
        double sum = 0.0;
        for (const float share : shares_) {
            CHECK(share >= 0.0F && share <= 1.0F);
            sum += share;
        }
        CHECK(std::abs(sum - 1.0) < 1e-6);
        return shares_;
    }
    void learn(const std::vector<float>& x, std::uint16_t label) {
        bayes_.companion().learn({x, scale_.scale(), {}}, {label, {}, {}, {}});
        scale_.scale().learn(x);
    }
    /// It stands at the head of its state.
    double next_weight() {
        Archive counter = Archive::counting();
        bayes_.companion().archive(counter);
        std::vector<std::byte> state(counter.at());
        Archive writer = Archive::writing(state);
        bayes_.companion().archive(writer);
        double weight = 0.0;
        Archive::reading(state).value(weight);
        return weight;
    }

 private:
    ScaleHolder scale_;
    CompanionHolder<NaiveBayes> bayes_;
    std::vector<double> log_odds_;
    std::vector<float> shares_;
};

std::size_t likeliest(const std::vector<float>& shares) {
    return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
}

}  // namespace

TEST_CASE("every float has a bucket") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> values = {0.0F,  -0.0F,    1.0F,      -1.0F,   16777215.0F,
                                       3e38F, infinity, -infinity, missing, 1e-45F};
    for (const float value : values) {
        for (const std::uint32_t n : {1U, 2U, 64U, 4096U}) {
            for (const std::size_t feature : {0U, 1U, 16383U}) {
                CHECK(bucket_of(feature, value, n) < n);
            }
        }
    }
}

TEST_CASE("categories spread over the buckets, and half as many buckets merge them in pairs") {
    std::vector<std::uint32_t> load(256);
    for (std::uint32_t category = 0; category < 4096; ++category) {
        const auto value = static_cast<float>(category);
        ++load[bucket_of(3, value, 256)];
        CHECK_EQ(bucket_of(3, value, 128), bucket_of(3, value, 256) & 127U);
    }
    CHECK(*std::ranges::max_element(load) < 48);
    CHECK(*std::ranges::min_element(load) > 1);
}

TEST_CASE("before the first example all classes are equally likely") {
    Bayes bayes({0, 1}, 4);
    for (const float share : bayes.predict({1.0F, 2.0F})) {
        CHECK_EQ(share, 0.25F);
    }
}

TEST_CASE("naive Bayes learns numbers, zeros and ones, and categories") {
    for (int kind = 0; kind < 3; ++kind) {
        Bayes bayes({static_cast<std::uint8_t>(kind == 2 ? 1 : 0)}, 3);
        Random random(1, static_cast<std::uint64_t>(kind));
        std::uint32_t n_right = 0;
        for (std::uint32_t i = 0; i < 1000; ++i) {
            const auto label = static_cast<std::uint16_t>(random.below(kind == 1 ? 2 : 3));
            const double value = kind == 0   ? 5.0 * label + random.uniform()
                                 : kind == 1 ? label
                                             : 10.0 + label;
            const std::vector<float> x = {static_cast<float>(value)};
            n_right += i >= 500 && likeliest(bayes.predict(x)) == label ? 1U : 0U;
            bayes.learn(x, label);
        }
        CHECK(n_right >= 499);
    }
}

TEST_CASE("two categories are counted like zeros and ones until a third comes") {
    Bayes nominal({1}, 2);
    Bayes numeric({0}, 2);
    Random random(2, 0);
    for (int i = 0; i < 300; ++i) {
        const std::vector<float> x = {static_cast<float>(random.below(2))};
        const auto label = static_cast<std::uint16_t>(random.below(4) == 0 ? 1.0F - x[0] : x[0]);
        CHECK_EQ(nominal.predict(x), numeric.predict(x));
        nominal.learn(x, label);
        numeric.learn(x, label);
    }
    nominal.learn({2.0F}, 0);
    // The buckets were counted all the time.
    CHECK(nominal.predict({1.0F})[1] > 0.6F);
    CHECK(nominal.predict({0.0F})[0] > 0.6F);
}

TEST_CASE("missing values say nothing") {
    Bayes bayes({0, 0}, 2);
    for (int i = 0; i < 100; ++i) {
        bayes.learn({static_cast<float>(i % 2), missing}, static_cast<std::uint16_t>(i % 2));
    }
    const std::vector<float> all = bayes.predict({1.0F, missing});
    CHECK(all[1] > 0.9F);
    CHECK(std::abs(bayes.predict({missing, missing})[0] - 0.5F) < 0.05F);
    // A feature that no class was ever seen with says almost nothing.
    CHECK(std::abs(bayes.predict({1.0F, 55.0F})[1] - all[1]) < 1e-3F);
}

TEST_CASE("old examples are forgotten") {
    Bayes bayes({0}, 2, 0.98);
    for (int i = 0; i < 3000; ++i) {
        bayes.learn({static_cast<float>(i % 2) + 0.25F}, static_cast<std::uint16_t>(i % 2));
    }
    CHECK_EQ(likeliest(bayes.predict({1.25F})), 1U);
    for (int i = 0; i < 600; ++i) {
        bayes.learn({static_cast<float>(i % 2) + 0.25F}, static_cast<std::uint16_t>(1 - i % 2));
    }
    CHECK_EQ(likeliest(bayes.predict({1.25F})), 0U);
}

TEST_CASE("scaling all counts back changes no prediction noticeably") {
    Bayes bayes({0, 0, 1}, 3, 0.998);
    Random random(3, 0);
    int n_scaled = 0;
    const std::vector<float> x = {0.4F, 1.0F, 3.0F};
    for (int i = 0; i < 1000; ++i) {
        const auto label = static_cast<std::uint16_t>(random.below(3));
        const double before = bayes.next_weight();
        const std::vector<float> f = bayes.predict(x);
        bayes.learn({static_cast<float>(random.uniform() + label), static_cast<float>(label % 2),
                     static_cast<float>(random.below(5))},
                    label);
        CHECK(bayes.next_weight() >= 1.0 && bayes.next_weight() <= 1.26);
        if (bayes.next_weight() < before && i > 300) {
            ++n_scaled;
            const std::vector<float> g = bayes.predict(x);
            for (std::size_t c = 0; c < 3; ++c) {
                CHECK(std::abs(f[c] - g[c]) < 0.05F);
            }
        }
    }
    CHECK(n_scaled > 3);
}

TEST_CASE("extreme values leave the classes' probabilities a distribution") {
    constexpr float most = std::numeric_limits<float>::max();
    const std::array<float, 8> extremes = {most, -most, 3e38F,   1e-45F,
                                           0.0F, 1.0F,  missing, 16777215.0F};
    Bayes bayes({0, 0, 1}, 3);
    Random random(4, 0);
    const auto row = [&] {
        return std::vector<float>{extremes[random.below(8)], extremes[random.below(8)],
                                  extremes[random.below(8)]};
    };
    for (int i = 0; i < 3000; ++i) {
        bayes.predict(row());
        bayes.learn(row(), static_cast<std::uint16_t>(random.below(3)));
    }
}

TEST_CASE("zeros and ones say the same however many are taken at a time") {
    Random random(5, 0);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::uint32_t n_classes = 2 + random.below(12);
        std::vector<std::uint8_t> nominal(1 + random.below(70));
        for (std::uint8_t& kind : nominal) {
            kind = random.below(2) == 0 ? 1 : 0;
        }
        Bayes bayes(nominal, n_classes);
        std::vector<float> x(nominal.size());
        for (int i = 0; i < 60; ++i) {
            for (std::size_t f = 0; f < x.size(); ++f) {
                x[f] = static_cast<float>(random.below(f % 9 == 8 ? 4 : 2));
                x[f] = random.below(20) == 0 ? missing : x[f];
            }
            allow_avx2(false);
            const std::vector<float> expected = bayes.predict(x);
            allow_avx2(true);
            CHECK(bayes.predict(x) == expected);
            bayes.learn(x, static_cast<std::uint16_t>(random.below(n_classes)));
        }
    }
}
