#include "shrubs/auto/score_quantiles.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "shrubs/numerics/quick_math.hpp"

namespace shrubs {

namespace {

constexpr std::size_t n_levels = ScoreQuantiles::levels.size();
// Of a thousandth of a miss: an eighth of a doubling for a whole one.
constexpr std::int64_t usual_step = 128;
// The first steps are larger.
constexpr std::uint32_t settled = 32;
constexpr std::int32_t max_debt = 32'000;
constexpr std::int32_t debt_share = 4;
// A run less likely than this is no chance.
constexpr double rare = 0.001;
constexpr std::int32_t highest = 0x7FEFFFFF;
constexpr double least_probability = 0x1p-64;

// The upper half of its bits.
std::int32_t position(double score) {
    return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(score) >> 32U);
}

// The largest score at a position.
double value_at(std::int32_t place) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(place) << 32U | 0xFFFFFFFFU);
}

constexpr std::int16_t rare_run(double share) {
    std::int16_t length = 1;
    for (double likelihood = share; likelihood > rare; likelihood *= share) {
        ++length;
    }
    return length;
}

struct Runs {
    std::array<std::int16_t, n_levels> hits{};
    std::array<std::int16_t, n_levels> misses{};
};
constexpr Runs rare_runs = [] {
    Runs runs;
    for (std::size_t j = 0; j < n_levels; ++j) {
        runs.hits[j] = rare_run(ScoreQuantiles::levels[j] / 1000.0);
        runs.misses[j] = rare_run((1000 - ScoreQuantiles::levels[j]) / 1000.0);
    }
    return runs;
}();

// Where the logarithm of a quantile is a straight line for many kinds of scores.
double abscissa(double coverage) {
    return quick_logarithm(-quick_logarithm(1.0 - coverage));
}

}  // namespace

double class_score(double probability, bool is_most_likely) {
    return is_most_likely ? 1.0 : 1.0 / std::max(probability, least_probability);
}

void ScoreQuantiles::learn(double score, double least) {
    const std::int32_t found = position(std::min(score, std::numeric_limits<double>::max()));
    const std::int32_t lowest = position(least);
    std::array<std::int32_t, n_levels> places{};
    for (std::size_t j = 0; j < n_levels; ++j) {
        if (seen_ == 0) {
            quantiles_[j].place = found;
        } else {
            follow(quantiles_[j], j, found,
                   usual_step * std::max<std::uint32_t>(settled / seen_, 1));
        }
        if (quantiles_[j].place < lowest) {  // what it cannot pay is not owed
            quantiles_[j].place = lowest;
            quantiles_[j].debt = 0;
        }
        places[j] = quantiles_[j].place;
    }
    // A larger coverage must not have the smaller bound.
    // By a comparison of our own: for its default one, libc++ calls a function of its library.
    std::ranges::sort(places, [](std::int32_t a, std::int32_t b) { return a < b; });
    for (std::size_t j = 0; j < n_levels; ++j) {
        quantiles_[j].place = places[j];
    }
    seen_ = std::min(seen_ + 1, settled);
}

// Rises after a miss, falls after a hit, pays back what is owed, and follows at once a run that
// cannot be chance.
void ScoreQuantiles::follow(Quantile& quantile, std::size_t level, std::int32_t score,
                            std::int64_t step) {
    const bool missed = score > quantile.place;
    const std::int32_t pace = missed ? levels[level] : levels[level] - 1000;
    const std::int32_t run = missed ? std::max<std::int32_t>(quantile.run, 0) + 1
                                    : std::min<std::int32_t>(quantile.run, 0) - 1;
    if (run == 1 || run == -1) {
        quantile.extreme = score;
    } else {
        quantile.extreme =
            missed ? std::min(quantile.extreme, score) : std::max(quantile.extreme, score);
    }
    quantile.run = static_cast<std::int16_t>(run);
    quantile.debt =
        static_cast<std::int16_t>(std::clamp(quantile.debt + pace, -max_debt, max_debt));
    std::int64_t place = quantile.place + step * pace + quantile.debt / debt_share;
    if (run >= rare_runs.misses[level]) {
        place = std::max<std::int64_t>(place, quantile.extreme);
        quantile.run = 0;
    } else if (-run >= rare_runs.hits[level]) {
        place = std::min<std::int64_t>(place, quantile.extreme);
        quantile.run = 0;
    }
    quantile.place = static_cast<std::int32_t>(std::clamp<std::int64_t>(place, 0, highest));
}

double ScoreQuantiles::at(double coverage) const {
    if (seen_ == 0) {
        return std::numeric_limits<double>::infinity();
    }
    const auto above = static_cast<std::size_t>(
        std::ranges::find_if(levels, [&](auto level) { return level / 1000.0 > coverage; }) -
        levels.begin());
    if (above == 0) {
        return value_at(quantiles_[0].place) * (coverage / (levels[0] / 1000.0));
    }
    const std::int32_t low = quantiles_[above - 1].place;
    if (above == n_levels) {
        return value_at(low);
    }
    const double begin = abscissa(levels[above - 1] / 1000.0);
    const double share = std::clamp(
        (abscissa(coverage) - begin) / (abscissa(levels[above] / 1000.0) - begin), 0.0, 1.0);
    return value_at(low + static_cast<std::int32_t>(share * (quantiles_[above].place - low)));
}

void ScoreQuantiles::archive(Archive& archive, std::uint64_t examples_seen) {
    archive.value(seen_);
    archive.require(seen_ <= std::min<std::uint64_t>(examples_seen, settled));
    std::int32_t lowest = 0;
    for (std::size_t j = 0; j < n_levels; ++j) {
        Quantile& quantile = quantiles_[j];
        archive.value(quantile.place);
        archive.value(quantile.extreme);
        archive.value(quantile.run);
        archive.value(quantile.debt);
        archive.require(quantile.place >= lowest && quantile.place <= highest &&
                        quantile.extreme >= 0 && quantile.extreme <= highest &&
                        quantile.run < rare_runs.misses[j] && -quantile.run < rare_runs.hits[j] &&
                        quantile.debt >= -max_debt && quantile.debt <= max_debt);
        lowest = quantile.place;
    }
}

}  // namespace shrubs
