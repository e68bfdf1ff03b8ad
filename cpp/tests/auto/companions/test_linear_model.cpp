#include <cmath>
#include <limits>
#include <vector>

#include "auto_holders.hpp"
#include "shrubs/auto/companions/linear_model.hpp"
#include "shrubs/numerics/exponential.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t n_buckets = 16;

class Linear {
 public:
    Linear(std::vector<std::uint8_t> nominal, std::size_t width)
        : scale_(nominal),
          weights_((nominal.size() + 1 + n_buckets) * width),
          squares_(weights_.size()),
          scores_(width),
          linear_({weights_, squares_}, width, n_buckets) {}

    Linear(const Linear&) = delete;
    Linear& operator=(const Linear&) = delete;

    std::vector<double>& score(const std::vector<float>& x) {
        linear_.score(x, scale_.scale().standardise(x), scale_.scale(), scores_);
        return scores_;
    }
    void learn(const std::vector<float>& x, const std::vector<double>& gradient) {
        linear_.learn(x, scale_.scale().standardise(x), scale_.scale(), gradient);
        scale_.scale().learn(x);
    }
    const std::vector<float>& weights() const { return weights_; }

 private:
    ScaleHolder scale_;
    std::vector<float> weights_, squares_;
    std::vector<double> scores_;
    LinearModel linear_;
};

}  // namespace

TEST_CASE("a linear model learns a line") {
    Linear linear({0, 0}, 1);
    Random random(1, 0);
    double error = 0.0;
    for (int i = 0; i < 6000; ++i) {
        const double a = random.uniform();
        const double b = random.uniform();
        const std::vector<float> x = {static_cast<float>(a), static_cast<float>(100.0 * b)};
        const double difference = linear.score(x)[0] - (2.0 * a - b);
        error += i < 5000 ? 0.0 : std::abs(difference);
        linear.learn(x, {difference});
    }
    CHECK(error / 1000 < 0.05);
}

TEST_CASE("a linear model tells classes and categories apart") {
    Linear linear({1}, 2);
    Random random(2, 0);
    int n_right = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::uint32_t category = random.below(3);
        const std::vector<float> x = {static_cast<float>(5 + category)};
        const std::size_t label = category == 1 ? 1 : 0;
        std::vector<double> f = linear.score(x);
        softmax(f);
        n_right += i >= 500 && f[label] > 0.5 ? 1 : 0;
        f[label] -= 1.0;
        linear.learn(x, f);
    }
    CHECK_EQ(n_right, 500);
}

TEST_CASE("a step goes against the gradient, and a missing value takes no part in it") {
    Linear linear({0, 0}, 1);
    linear.learn({1.0F, 4.0F}, {0.0});
    linear.learn({3.0F, 8.0F}, {0.0});
    linear.learn({5.0F, missing}, {1.0});
    CHECK(linear.weights()[0] < 0.0F);
    CHECK_EQ(linear.weights()[1], 0.0F);
    CHECK(linear.weights()[2] < 0.0F);  // the constant
}

TEST_CASE("no stream makes the scores infinite") {
    constexpr float most = std::numeric_limits<float>::max();
    Linear linear({0, 1}, 2);
    Random random(3, 0);
    for (int i = 0; i < 5000; ++i) {
        const std::vector<float> x = {random.below(2) == 0 ? most : -most,
                                      random.below(5) == 0 ? missing : most};
        const auto& scores = linear.score(x);
        CHECK(std::isfinite(scores[0]) && std::isfinite(scores[1]));
        linear.learn(x, {random.below(2) == 0 ? 3.0 : -3.0, 3.0});
    }
}
