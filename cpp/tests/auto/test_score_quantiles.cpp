#include <cmath>
#include <limits>
#include <vector>

#include "shrubs/auto/score_quantiles.hpp"
#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr double largest_score = std::numeric_limits<double>::max();
constexpr double smallest_score = std::numeric_limits<double>::denorm_min();

// The largest distance of a share of covered scores over 5,000 in a row to the coverage.
double worst_share(const std::vector<double>& scores, double coverage) {
    constexpr std::size_t stretch = 5000;
    ScoreQuantiles quantiles;
    std::vector<int> covered;
    double worst = 0.0;
    int n = 0;
    for (const double score : scores) {
        covered.push_back(score <= quantiles.at(coverage) ? 1 : 0);
        quantiles.learn(score, 1e-12);
        n += covered.back();
        if (covered.size() >= stretch) {
            worst = std::max(worst, std::fabs(n / 5000.0 - coverage));
            n -= covered[covered.size() - stretch];
        }
    }
    return worst;
}

template <class Scale>
std::vector<double> scores_of(Scale scale) {
    std::vector<double> scores;
    Random random(5, 0);
    for (int t = 0; t < 20'000; ++t) {
        scores.push_back(scale(t) * -std::log(1.0 - random.uniform()));
    }
    return scores;
}

// What is kept, as it stands in a file.
std::vector<std::byte> bytes_of(ScoreQuantiles quantiles) {
    Archive counter = Archive::counting();
    quantiles.archive(counter, 100);
    std::vector<std::byte> bytes(counter.at());
    Archive archive = Archive::writing(bytes);
    quantiles.archive(archive, 100);
    return bytes;
}

bool are_valid(std::span<const std::byte> bytes, std::uint64_t examples_seen) {
    Archive archive = Archive::reading(bytes);
    ScoreQuantiles().archive(archive, examples_seen);
    return archive.at_end();
}

}  // namespace

TEST_CASE("nothing bounds the scores before the first") {
    CHECK(std::isinf(ScoreQuantiles().at(0.5)));
}

TEST_CASE("a share of the scores is covered through changes of their scale") {
    for (const double coverage : {0.05, 0.5, 0.8, 0.9, 0.95, 0.99}) {
        CHECK(worst_share(scores_of([](int) { return 1.0; }), coverage) < 0.01);
        CHECK(worst_share(scores_of([](int t) { return t / 3000 % 2 == 0 ? 1.0 : 1e3; }),
                          coverage) < 0.01);
        CHECK(worst_share(scores_of([](int t) { return std::exp(t / 2000.0); }), coverage) < 0.01);
        CHECK(worst_share(scores_of([](int t) { return std::exp(-t / 2000.0); }), coverage) < 0.01);
    }
}

TEST_CASE("scores that jump after thousands of zeros are covered soon") {
    ScoreQuantiles quantiles;
    for (int t = 0; t < 5000; ++t) {
        quantiles.learn(0.0, 0x1p-50);
    }
    int missed = 0;
    for (int t = 0; t < 100; ++t) {
        missed += 1.0 + t % 7 > quantiles.at(0.9) ? 1 : 0;
        quantiles.learn(1.0 + t % 7, 0x1p-50);
    }
    CHECK(missed < 40);
}

TEST_CASE("a larger coverage never has a smaller bound") {
    ScoreQuantiles quantiles;
    for (const double score : scores_of([](int t) { return t % 100 == 0 ? 50.0 : 1.0; })) {
        quantiles.learn(score, 0.0);
        double last = 0.0;
        for (const double coverage : {0.01, 0.05, 0.2, 0.45, 0.8, 0.88, 0.9, 0.97, 0.99, 0.9999}) {
            CHECK(quantiles.at(coverage) >= last);
            last = quantiles.at(coverage);
        }
    }
}

TEST_CASE("bounds stay finite for the largest and smallest scores") {
    ScoreQuantiles quantiles;
    for (int t = 0; t < 2000; ++t) {
        quantiles.learn(t % 3 == 0 ? std::numeric_limits<double>::infinity() : smallest_score, 0.0);
        CHECK(quantiles.at(0.999) <= largest_score);
        CHECK(quantiles.at(1e-300) >= 0.0);
        CHECK(are_valid(bytes_of(quantiles), 2000));
    }
}

TEST_CASE("the most likely class is in every set, and one without any chance can be") {
    ScoreQuantiles quantiles;
    for (int t = 0; t < 2000; ++t) {
        quantiles.learn(class_score(0.0, false), 1.0);
    }
    CHECK(class_score(0.0, false) <= quantiles.at(0.9));
    for (int t = 0; t < 2000; ++t) {
        quantiles.learn(class_score(0.6, true), 1.0);
    }
    CHECK(class_score(0.6, true) <= quantiles.at(0.05));
    CHECK(class_score(0.5, false) > quantiles.at(0.9));
}

TEST_CASE("what scores cannot have left behind is refused") {
    ScoreQuantiles quantiles;
    quantiles.learn(1.0, 0.0);
    quantiles.learn(2.0, 0.0);
    const std::vector<std::byte> good = bytes_of(quantiles);
    CHECK(are_valid(good, 2));
    CHECK(!are_valid(good, 1));
    // The highest byte of how many were seen, and of the position, extreme, run and debt of one.
    for (const std::size_t at : {3U, 7U, 11U, 13U, 15U}) {
        std::vector<std::byte> bad = good;
        bad[at] = std::byte{0x81};
        CHECK(!are_valid(bad, 2));
    }
}
