#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "auto_holders.hpp"
#include "holders.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr float none = std::numeric_limits<float>::quiet_NaN();

// Neighbours on a scale that knows -1 and 1 of every number.
class Village {
 public:
    explicit Village(std::vector<std::uint8_t> nominal, std::uint32_t n_classes = 2,
                     std::uint32_t n = 8)
        : scale_(nominal),
          neighbours_(Neighbours(), {.n_features = static_cast<std::uint32_t>(nominal.size()),
                                     .width = n_classes,
                                     .n_neighbours = n}),
          scratch_(n_classes),
          said_(n_classes) {
        for (int i = 0; i < 1000; ++i) {
            scale_.scale().learn(std::vector<float>(nominal.size(), i % 2 == 0 ? -1.0F : 1.0F));
        }
    }

    const std::vector<float>& predict(const std::vector<float>& x, std::uint32_t lag = 0) {
        neighbours().predict({x, scale_.scale(), last_, lag}, scratch_, said_);
        return said_;
    }
    void learn(const std::vector<float>& x, std::uint16_t label) {
        predict(x);
        neighbours().learn({x, scale_.scale(), last_}, {label, {}, {}, {}});
    }
    Neighbours& neighbours() { return neighbours_.companion(); }
    FeatureScale& scale() { return scale_.scale(); }

 private:
    ScaleHolder scale_;
    CompanionHolder<Neighbours> neighbours_;
    LastOutcomes last_;
    std::vector<double> scratch_;
    std::vector<float> said_;
};

bool is_near(float a, double b) {
    return std::abs(a - b) < 1e-6;
}

}  // namespace

TEST_CASE("neighbours say nothing before the first example") {
    Village village({0});
    CHECK(village.predict({0.0F}) == std::vector<float>(2, 0.5F));
}

TEST_CASE("the nearest vote, each less than the one before it") {
    Village village({0});
    village.learn({-0.5F}, 0);
    village.learn({0.5F}, 1);
    village.learn({1.0F}, 1);
    // The votes are 1 for the first, 1/2 + 1/3 for the others, and 1/4 is spread evenly.
    CHECK(is_near(village.predict({-1.0F})[0], (1.0 + 0.125) / (0.25 + 11.0 / 6.0)));
    CHECK(is_near(village.predict({2.0F})[1], (1.5 + 0.125) / (0.25 + 11.0 / 6.0)));
}

TEST_CASE("of equally near neighbours the newest comes first") {
    Village village({0});
    village.learn({0.5F}, 0);
    village.learn({0.5F}, 1);
    CHECK(village.predict({0.5F})[1] > village.predict({0.5F})[0]);
    village.learn({0.5F}, 0);
    CHECK(village.predict({0.5F})[0] > village.predict({0.5F})[1]);
}

TEST_CASE("the oldest example leaves") {
    Village village({0}, 2, 3);
    village.learn({0.0F}, 0);
    for (int i = 0; i < 3; ++i) {
        village.learn({1.0F}, 1);
    }
    CHECK(village.neighbours().size() == 3);
    CHECK(is_near(village.predict({0.0F})[0], 0.125 / (0.25 + 11.0 / 6.0)));
}

TEST_CASE("what came too late does not vote") {
    Village village({0});
    village.learn({0.0F}, 0);
    village.learn({0.0F}, 1);
    CHECK(village.predict({0.0F}, 1)[0] > 0.8F);
    CHECK(village.predict({0.0F}, 2) == std::vector<float>(2, 0.5F));
    CHECK(village.predict({0.0F}, 9) == std::vector<float>(2, 0.5F));
}

TEST_CASE("another category is a deviation away, and so is a missing value") {
    Village village({0, 1});
    village.learn({0.0F, 7.0F}, 0);
    village.learn({0.9F, 3.0F}, 1);
    CHECK(village.predict({0.0F, 3.0F})[1] > 0.5F);  // 0.9 is less than one
    CHECK(village.predict({-0.2F, 3.0F})[0] > 0.5F);
    Village gaps({0});
    gaps.learn({none}, 0);
    gaps.learn({0.0F}, 1);
    CHECK(gaps.predict({none})[0] > 0.5F);
    CHECK(gaps.predict({1.1F})[0] > 0.5F);
    CHECK(gaps.predict({0.9F})[1] > 0.5F);
}

TEST_CASE("a forgotten class does not vote, and a forgotten feature is missing") {
    Village village({0, 0});
    village.learn({0.0F, 0.0F}, 0);
    village.learn({0.0F, 1.0F}, 1);
    village.neighbours().forget_feature(1);
    CHECK(village.neighbours().value(1, 1) == Neighbours::missing);
    village.neighbours().renumber_classes(std::array<std::uint16_t, 2>{0, gone_class});
    CHECK(is_near(village.predict({0.0F, 1.0F})[0], 1.125 / 1.25));
}

TEST_CASE("neighbours go on with more features and classes, and fewer examples") {
    Village old({0});
    for (int i = 0; i < 5; ++i) {
        old.learn({0.25F * static_cast<float>(i)}, static_cast<std::uint16_t>(i % 2));
    }
    Village larger({0, 0}, 3, 3);
    larger.neighbours().copy_from(old.neighbours());
    CHECK(larger.neighbours().size() == 3);
    for (std::uint32_t back = 0; back < 3; ++back) {
        CHECK(larger.neighbours().label(back) == old.neighbours().label(back));
        CHECK(larger.neighbours().value(back, 0) == old.neighbours().value(back, 0));
        CHECK(larger.neighbours().value(back, 1) == Neighbours::missing);
    }
}

TEST_CASE("of many features those that tell are compared, with what the window knows of them") {
    constexpr std::uint32_t d = 48;  // with columns: 0, 3, 6, ... 45
    Village village(std::vector<std::uint8_t>(d, 0));
    WindowHolder window(2, std::vector<std::uint8_t>(d, 0), Task::classification, Splitter::random);
    const auto row = [](float told, float noise) {
        std::vector<float> x(d, noise);
        x[1] = told;
        return x;
    };
    for (int i = 0; i < 4; ++i) {
        const std::vector<float> x = row(i % 2 == 0 ? -1.0F : 1.0F, i < 2 ? 1.0F : -1.0F);
        village.learn(x, static_cast<std::uint16_t>(i % 2));
        window.add(x, static_cast<float>(i % 2));
    }
    Neighbours& neighbours = village.neighbours();
    CHECK_EQ(neighbours.features().size(), 16U);
    CHECK_EQ(neighbours.features()[1], 3U);
    const std::vector<std::uint16_t> telling = {3, 1};
    FeatureScale& scale = village.scale();
    neighbours.compare_by(telling, window.window(), scale);
    CHECK_EQ(neighbours.features()[0], 1U);  // instead of 0
    CHECK(neighbours.tells(0) && neighbours.tells(1) && !neighbours.tells(2));
    CHECK_EQ(neighbours.value(0, 0), 169U);  // a deviation, 42, above 127.5
    CHECK_EQ(neighbours.value(1, 0), 85U);
    CHECK_EQ(neighbours.value(2, 0), Neighbours::missing);  // not in the window any more
    CHECK(village.predict(row(1.0F, -1.0F))[1] > 0.5F);
    CHECK(village.predict(row(-1.0F, -1.0F))[0] > 0.5F);
    neighbours.forget_feature(1);
    CHECK_EQ(neighbours.value(0, 0), Neighbours::missing);
    neighbours.forget_feature(0);
    neighbours.compare_by({}, window.window(), scale);
    CHECK(neighbours.tells(2));  // nothing is known to tell
}

TEST_CASE("values far away are a byte too") {
    Village village({0});
    village.learn({3e38F}, 0);
    village.learn({-3e38F}, 1);
    CHECK(village.neighbours().value(1, 0) == 254);
    CHECK(village.neighbours().value(0, 0) == 0);
    CHECK(village.predict({100.0F})[0] > 0.5F);
}

TEST_CASE("categories are compared one by one") {
    constexpr std::uint32_t n = 100;
    Random random(6, 0);
    for (const std::uint32_t n_features : {1U, 24U, 32U}) {
        Village village(std::vector<std::uint8_t>(n_features, 1), 2, n);
        std::vector<std::pair<std::vector<float>, std::uint16_t>> kept;  // the newest first
        std::vector<float> x(n_features);
        for (std::uint32_t i = 0; i < 3 * n; ++i) {
            for (float& value : x) {
                value = static_cast<float>(random.below(3));
            }
            std::vector<std::pair<std::uint32_t, std::uint32_t>> far;
            for (std::uint32_t k = 0; k < kept.size(); ++k) {
                std::uint32_t n_far = 0;
                for (std::uint32_t f = 0; f < n_features; ++f) {
                    n_far += kept[k].first[f] == x[f] ? 0 : 1;
                }
                far.emplace_back(n_far, k);
            }
            std::ranges::sort(far);
            double votes = 0.0;
            double ones = 0.0;
            for (std::size_t k = 0; k < std::min(far.size(), Neighbours::votes.size()); ++k) {
                votes += Neighbours::votes[k];
                ones += kept[far[k].second].second == 1 ? Neighbours::votes[k] : 0.0;
            }
            allow_avx2(i % 2 == 0);
            CHECK(is_near(village.predict(x)[1], (ones + 0.125) / (votes + 0.25)));
            const auto label = static_cast<std::uint16_t>(random.below(2));
            village.learn(x, label);
            kept.insert(kept.begin(), {x, label});
            kept.resize(std::min<std::size_t>(kept.size(), n));
        }
    }
    allow_avx2(true);
}
