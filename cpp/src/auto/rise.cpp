#include "shrubs/auto/rise.hpp"

#include <algorithm>

#include "shrubs/numerics/exponential.hpp"
#include "shrubs/numerics/quick_math.hpp"

namespace shrubs {

namespace {

// Deviations beyond this count as so many.
constexpr double max_deviations = 4.0;
constexpr double least_variance = 1e-12;
constexpr double largest_evidence = 1e15;

// e^(rate * z - cost) is at most 1 on average where z has mean 0, variance 1 and is at most
// `max_deviations` c: cost = (e^(rate * c) - 1 - rate * c) / c^2.
struct Bet {
    double rate;
    double cost;
};
constexpr std::array<Bet, 3> bets = {
    {{0.2, 0.02659630803077924}, {0.5, 0.27431600618316565}, {1.0, 3.0998843770715148}}};
constexpr Bet middle = bets[1];

}  // namespace

double Rise::update(double x, RunningMean& mean) {
    if (has_enough() && mean.n >= fewest_of_kind) {
        const double variance = std::max({variance_, block_variance_, least_variance});
        const double z = (x - mean.value) * inverse_root(variance);
        bet(std::clamp(z, -max_deviations, max_deviations));
    }
    learn(x, mean);
    return (evidence_[0] + evidence_[1] + evidence_[2]) / 3.0;
}

void Rise::bet(double z) {
    for (std::size_t i = 0; i < n_bets; ++i) {
        const double factor = exponential(bets[i].rate * z - bets[i].cost);
        evidence_[i] = std::min((1.0 + evidence_[i]) * factor, largest_evidence);
    }
    risen_ += middle.rate * z - middle.cost;
    ++length_;
    if (!(risen_ > 0.0)) {
        risen_ = 0.0;
        length_ = 0;
    }
}

void Rise::learn(double x, RunningMean& mean) {
    n_ = std::min(n_ + 1, longest);
    mean.n = std::min(mean.n + 1, longest);
    const double share = 2.0 / (n_ + 1.0);
    const double difference = x - mean.value;
    mean.value += 2.0 / (mean.n + 1.0) * difference;
    variance_ += share * (difference * difference * (1.0 - share) - variance_);
    block_sum_ += x - mean.value;
    if (++n_in_block_ == block) {
        const double square = block_sum_ * block_sum_ / block;
        block_variance_ += 2.0 / (n_ / block + 1.0) * (square - block_variance_);
        block_sum_ = 0.0;
        n_in_block_ = 0;
    }
}

// Nothing that is read may grow beyond what there are numbers for.
void Rise::archive(Archive& archive) {
    constexpr double square = 4.0 * largest * largest;
    archive.value(n_);
    archive.value(n_in_block_);
    archive.value(length_);
    archive.value(variance_);
    archive.value(block_sum_);
    archive.value(block_variance_);
    archive.value(risen_);
    archive.array(std::span<double>(evidence_),
                  [](double evidence) { return evidence >= 0.0 && evidence <= largest_evidence; });
    archive.require(n_ <= longest && n_in_block_ == (n_ < longest ? n_ % block : n_in_block_) &&
                    n_in_block_ < block && is_within(variance_, square) && variance_ >= 0.0 &&
                    is_within(block_sum_, 2.0 * largest * block) &&
                    is_within(block_variance_, square * block) && block_variance_ >= 0.0 &&
                    is_finite_and_not_negative(risen_));
}

}  // namespace shrubs
