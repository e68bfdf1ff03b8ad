#include "shrubs/random_split.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "shrubs/four_floats.hpp"

namespace shrubs {

namespace {

// Counts and sums of their squares are integers of at most 2^24, exact in single precision. What
// they are multiplied with stays below 2^53, exact in double precision.
constexpr std::size_t most_examples = 4096;

// The cuts of `width` neighbouring features of one node.
template <std::uint32_t width>
class Block {
 public:
    Block(const Window& window, std::span<const std::uint16_t> members, std::uint32_t first)
        : window_(window), members_(members), first_(first) {}

    // Finds the smallest and the largest value of each feature, up to where all of them vary if
    // that is all one has to know.
    void measure(bool until_all_vary) {
        constexpr float infinity = std::numeric_limits<float>::infinity();
        Fours low = all(infinity);
        Fours high = all(-infinity);
        Fours sum = all(0.0F);
        for (std::size_t at = 0; at < members_.size(); ++at) {
            const float* row = window_.row(members_[at]) + first_;
            for (std::uint32_t k = 0; k < n_fours; ++k) {
                const FourFloats values = load_four(row + 4 * k);
                low[k] = FourFloats::smaller(values, low[k]);
                high[k] = FourFloats::larger(values, high[k]);
                sum[k] = sum[k] + values;
            }
            if (until_all_vary && at % 2 == 1) {
                store(low, low_);
                store(high, high_);
                if (n_varying(0) == width) {
                    return;
                }
            }
        }
        store(low, low_);
        store(high, high_);
        // A sum with a missing value is not a number.
        some_missing_ =
            std::ranges::any_of(sum, [](const FourFloats& four) { return four.has_missing(); });
    }

    bool some_missing() const { return some_missing_; }
    std::uint32_t n_varying(std::uint32_t from) const {
        std::uint32_t n = 0;
        for (std::uint32_t i = from; i < width; ++i) {
            n += low_[i] < high_[i] ? 1 : 0;
        }
        return n;
    }

    // Left of a cut is what lies between `floors_` and `cuts_`: all up to a threshold, or one
    // category.
    void draw(std::uint32_t from, Random& random) {
        cuts_ = low_;
        floors_.fill(-std::numeric_limits<float>::infinity());
        for (std::uint32_t i = from; i < width; ++i) {
            if (!(low_[i] < high_[i])) {
                continue;
            }
            if (window_.is_nominal(first_ + i)) {
                some_nominal_ = true;
                const auto n = static_cast<std::uint32_t>(members_.size());
                cuts_[i] = window_.row(members_[random.below(n)])[first_ + i];
                floors_[i] = cuts_[i];
            } else {
                cuts_[i] = draw_threshold(low_[i], high_[i], random);
            }
        }
    }

    // Counts the classes left of each cut: `counts[c * width + i]`.
    void count(const Gini& impurity, float* counts) const {
        for (std::size_t c = 0; c < impurity.totals().size(); ++c) {
            if (impurity.totals()[c] != 0) {
                std::fill_n(counts + c * width, width, 0.0F);
            }
        }
        some_nominal_ ? count_left<true>(impurity.labels(), counts)
                      : count_left<false>(impurity.labels(), counts);
    }

    // The score of each cut as `Gini::score` gives it; not a number for a constant feature.
    void score(std::span<const std::uint32_t> totals, const float* counts) {
        Fours sizes = all(0.0F);
        Fours squares = all(0.0F);
        Fours crossed = all(0.0F);
        float node_squares = 0.0F;
        for (std::size_t c = 0; c < totals.size(); ++c) {
            if (totals[c] == 0) {
                continue;
            }
            const auto total = static_cast<float>(static_cast<std::int32_t>(totals[c]));
            node_squares += total * total;
            for (std::uint32_t k = 0; k < n_fours; ++k) {
                const FourFloats count = load_four(counts + c * width + 4 * k);
                sizes[k] = sizes[k] + count;
                squares[k] = squares[k] + count * count;
                crossed[k] = crossed[k] + count * FourFloats::all(total);
            }
        }
        std::array<float, width> left_squares;
        std::array<float, width> right_squares;
        for (std::uint32_t k = 0; k < n_fours; ++k) {
            crossed[k] = FourFloats::all(node_squares) - (crossed[k] + crossed[k]) + squares[k];
        }
        store(sizes, n_left_);
        store(squares, left_squares);
        store(crossed, right_squares);
        const auto n = static_cast<double>(members_.size());
        for (std::uint32_t i = 0; i < width; ++i) {
            const double n_left = n_left_[i];
            const double n_right = n - n_left;
            scores_[i] = (static_cast<double>(left_squares[i]) * n_right +
                          static_cast<double>(right_squares[i]) * n_left) /
                         (n_left * n_right);
        }
    }

    void choose(std::uint32_t from, std::uint32_t min_samples_leaf, BestSplit& best) const {
        const auto n = static_cast<std::uint32_t>(members_.size());
        for (std::uint32_t i = from; i < width; ++i) {
            if (scores_[i] > best.score) {
                const auto n_left = static_cast<std::uint32_t>(n_left_[i]);
                if (n_left >= min_samples_leaf && n - n_left >= min_samples_leaf) {
                    const std::uint32_t feature = first_ + i;
                    const bool nominal = window_.is_nominal(feature);
                    best = {scores_[i], {cuts_[i], feature, nominal, n_left >= n - n_left}, true};
                }
            }
        }
    }

 private:
    static constexpr std::uint32_t n_fours = width / 4;
    using Fours = std::array<FourFloats, n_fours>;

    static Fours all(float value) {
        Fours fours;
        fours.fill(FourFloats::all(value));
        return fours;
    }
    static Fours load(const float* from) {
        Fours fours;
        for (std::uint32_t k = 0; k < n_fours; ++k) {
            fours[k] = load_four(from + 4 * k);
        }
        return fours;
    }
    static void store(const Fours& fours, std::array<float, width>& to) {
        for (std::uint32_t k = 0; k < n_fours; ++k) {
            store_four(to.data() + 4 * k, fours[k]);
        }
    }

    template <bool some_nominal>
    void count_left(std::span<const std::uint16_t> labels, float* counts) const {
        const Fours cuts = load(cuts_.data());
        const Fours floors = load(floors_.data());
        for (const std::uint16_t slot : members_) {
            const float* row = window_.row(slot) + first_;
            float* count = counts + std::size_t{labels[slot]} * width;
            for (std::uint32_t k = 0; k < n_fours; ++k) {
                const FourFloats values = load_four(row + 4 * k);
                FourFloats left = FourFloats::at_most(values, cuts[k]);
                if constexpr (some_nominal) {
                    left = left * FourFloats::at_most(floors[k], values);
                }
                store_four(count + 4 * k, load_four(count + 4 * k) + left);
            }
        }
    }

    const Window& window_;
    std::span<const std::uint16_t> members_;
    std::uint32_t first_;
    bool some_missing_ = false;
    bool some_nominal_ = false;
    std::array<float, width> low_;
    std::array<float, width> high_;
    std::array<float, width> cuts_;
    std::array<float, width> floors_;
    std::array<float, width> n_left_;
    std::array<double, width> scores_;
};

// The last block overlaps the one before it if the width does not divide the number of features:
//
//     | block 0 | block 1 |
//                    | block 2 |       the lanes of block 2 that block 1 had are left out
template <std::uint32_t width>
std::optional<Split> find_in_blocks(const Window& window, const NodeExamples& examples,
                                    const SplitOptions& options, std::span<float> left_counts,
                                    Gini& impurity, Random& random) {
    BestSplit best;
    const std::uint32_t n_features = window.n_features();
    const auto n = static_cast<double>(examples.members.size());
    for (std::uint32_t begin = 0; begin < n_features; begin += width) {
        const std::uint32_t first = std::min(begin, n_features - width);
        const std::uint32_t from = begin - first;
        Block<width> block(window, examples.members, first);
        // No score exceeds n, which two pure sides reach; the first to reach it stays.
        const bool is_decided = best.score == n;
        block.measure(is_decided);
        if (is_decided) {
            random.skip(block.n_varying(from));
            continue;
        }
        if (block.some_missing()) {
            for (std::uint32_t feature = begin; feature < first + width; ++feature) {
                try_feature(window, examples, options, feature, impurity, random, best);
            }
            continue;
        }
        block.draw(from, random);
        block.count(impurity, left_counts.data());
        block.score(impurity.totals(), left_counts.data());
        block.choose(from, options.min_samples_leaf, best);
    }
    return best.found ? std::optional<Split>(best.split) : std::nullopt;
}

}  // namespace

std::optional<Split> find_random_split(const Window& window, const NodeExamples& examples,
                                       const SplitOptions& options, std::span<float> left_counts,
                                       Gini& impurity, Random& random) {
    if (examples.members.size() > most_examples) {
        return find_split(window, examples, options, {}, impurity, random);
    }
    const std::uint32_t n_features = window.n_features();
    const auto find = n_features < 8    ? find_in_blocks<4>
                      : n_features < 16 ? find_in_blocks<8>
                                        : find_in_blocks<16>;
    return find(window, examples, options, left_counts, impurity, random);
}

}  // namespace shrubs
