#include <cmath>
#include <limits>
#include <vector>

#include "auto_holders.hpp"
#include "shrubs/auto/companions/linear_model.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

constexpr std::uint32_t n_buckets = 16;

class Linear {
 public:
    Linear(std::vector<std::uint8_t> nominal, Task task, std::uint32_t width)
        : scale_(nominal),
          linear_({}, {task, static_cast<std::uint32_t>(nominal.size()), width, n_buckets}),
          scratch_(width),
          said_(width) {}

    Linear(const Linear&) = delete;
    Linear& operator=(const Linear&) = delete;

    std::vector<float>& predict(const std::vector<float>& x) {
        linear_.companion().predict({x, scale_.scale(), {}}, scratch_, said_);
        return said_;
    }
    /// After `predict` of the same x.
    void learn(const std::vector<float>& x, const std::vector<double>& target) {
        linear_.companion().learn({x, scale_.scale(), {}},
                                  {.target = target, .said = said_, .scratch = scratch_});
        scale_.scale().learn(x);
    }

 private:
    ScaleHolder scale_;
    CompanionHolder<LinearModel> linear_;
    std::vector<double> scratch_;
    std::vector<float> said_;
};

}  // namespace

TEST_CASE("a linear model learns a line") {
    Linear linear({0, 0}, Task::regression, 1);
    Random random(1, 0);
    double error = 0.0;
    for (int i = 0; i < 6000; ++i) {
        const double a = random.uniform();
        const double b = random.uniform();
        const std::vector<float> x = {static_cast<float>(a), static_cast<float>(100.0 * b)};
        const double target = 2.0 * a - b;
        const double difference = linear.predict(x)[0] - target;
        error += i < 5000 ? 0.0 : std::abs(difference);
        linear.learn(x, {target});
    }
    CHECK(error / 1000 < 0.05);
}

TEST_CASE("a linear model tells classes and categories apart") {
    Linear linear({1}, Task::classification, 2);
    Random random(2, 0);
    int n_right = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::uint32_t category = random.below(3);
        const std::vector<float> x = {static_cast<float>(5 + category)};
        const std::size_t label = category == 1 ? 1 : 0;
        n_right += linear.predict(x)[label] > 0.5F && i >= 500 ? 1 : 0;
        linear.learn(x, {label == 0 ? 1.0 : 0.0, label == 1 ? 1.0 : 0.0});
    }
    CHECK_EQ(n_right, 500);
}

TEST_CASE("a step goes towards the target, and a missing value takes no part in it") {
    Linear linear({0, 0}, Task::regression, 1);
    for (const std::vector<float>& x : {std::vector{1.0F, 4.0F}, std::vector{3.0F, 8.0F}}) {
        const double said = linear.predict(x)[0];
        linear.learn(x, {said});  // no error, no step
    }
    linear.predict({5.0F, missing});
    linear.learn({5.0F, missing}, {-1.0});
    // The constant and the first feature have negative weights, the second has none.
    const float both = linear.predict({5.0F, missing})[0];
    const float constant = linear.predict({missing, missing})[0];
    CHECK(both < constant && constant < 0.0F);
    CHECK_EQ(linear.predict({missing, 100.0F})[0], constant);
}

TEST_CASE("no stream makes the predictions infinite") {
    constexpr float largest = std::numeric_limits<float>::max();
    Linear linear({0, 1}, Task::regression, 1);
    Random random(3, 0);
    for (int i = 0; i < 5000; ++i) {
        const std::vector<float> x = {random.below(2) == 0 ? largest : -largest,
                                      random.below(5) == 0 ? missing : largest};
        CHECK(std::abs(linear.predict(x)[0]) <= 10.0F);
        linear.learn(x, {random.below(2) == 0 ? 1e9 : -1e9});
    }
}
