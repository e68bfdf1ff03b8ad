#include "shrubs/numerics/exponential.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace shrubs {

namespace {

// 1/i! for i = 13, ..., 0: on |r| <= ln(2)/2 the first term left out is below 1e-17.
constexpr std::array<double, 14> taylor = {1.0 / 6227020800.0,
                                           1.0 / 479001600.0,
                                           1.0 / 39916800.0,
                                           1.0 / 3628800.0,
                                           1.0 / 362880.0,
                                           1.0 / 40320.0,
                                           1.0 / 5040.0,
                                           1.0 / 720.0,
                                           1.0 / 120.0,
                                           1.0 / 24.0,
                                           1.0 / 6.0,
                                           1.0 / 2.0,
                                           1.0,
                                           1.0};

constexpr double log2_e = 1.4426950408889634;
// ln(2) in two parts: the product of the first with a small integer is exact.
constexpr double ln2_high = 0.693147180369123816490;
constexpr double ln2_low = 1.90821492927058770002e-10;

double power_of_two(std::int64_t k) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52U);
}

std::int64_t round_down(double x) {
    const auto truncated = static_cast<std::int64_t>(x);
    return static_cast<double>(truncated) > x ? truncated - 1 : truncated;
}

}  // namespace

double exponential(double x) {
    if (x < -700.0) {
        return 0.0;
    }
    const std::int64_t k = round_down(x * log2_e + 0.5);
    const auto kd = static_cast<double>(k);
    const double r = (x - kd * ln2_high) - kd * ln2_low;
    double p = taylor[0];
    for (std::size_t i = 1; i < taylor.size(); ++i) {
        p = p * r + taylor[i];
    }
    return p * power_of_two(k);
}

void softmax(std::span<double> scores) {
    const double largest = *std::ranges::max_element(scores);
    double sum = 0.0;
    for (double& score : scores) {
        score = exponential(score - largest);
        sum += score;
    }
    for (double& score : scores) {
        score /= sum;
    }
}

}  // namespace shrubs
