#include "shrubs/growth/random_split.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "shrubs/growth/row_passes.hpp"
#include "shrubs/simd/floats.hpp"

namespace shrubs {

namespace {

// What a block of cuts is tried with, and what comes of it.
struct RandomCuts {
    Gini& impurity;
    Random& random;
    float* left_counts;
    BestSplit best;
};

// The cuts of `width` neighbouring features of one node; those before `from` do not count.
template <std::uint32_t width>
class Block {
 public:
    Block(const Window& window, const NodeExamples& examples, std::uint32_t first,
          std::uint32_t from)
        : window_(window), examples_(examples), first_(first), from_(from) {}

    // Finds the smallest and the largest value of each feature. Returns whether one is missing.
    bool measure() { return Passes::measure(rows(members()), low_.data(), high_.data()); }

    // How many features vary: mostly the first few examples tell.
    std::uint32_t n_varying() {
        const std::size_t n = members().size();
        for (std::size_t some = 2;; some *= 2) {
            Passes::measure(rows(members().first(std::min(some, n))), low_.data(), high_.data());
            const std::uint32_t n_varying = count_varying();
            if (some >= n || n_varying == width - from_) {
                return n_varying;
            }
        }
    }

    // Left of a cut is what lies between `floors_` and `cuts_`: all up to a threshold, or one
    // category. Left of no cut is everything.
    void draw(Random& random) {
        if (examples_.by_class && from_ == 0 && count_varying() == width) {
            // Without a choice to make, most of it is done side by side.
            std::array<double, width> shares;
            for (double& share : shares) {
                share = random.uniform();
            }
            for (std::uint32_t i = 0; i < width; ++i) {
                cuts_[i] = threshold_at(low_[i], high_[i], shares[i]);
            }
            return;
        }
        cuts_.fill(std::numeric_limits<float>::infinity());
        floors_.fill(-std::numeric_limits<float>::infinity());
        for (std::uint32_t i = from_; i < width; ++i) {
            if (!(low_[i] < high_[i])) {
                continue;
            }
            if (window_.is_nominal(first_ + i)) {
                some_nominal_ = true;
                const auto n = static_cast<std::uint32_t>(members().size());
                cuts_[i] = window_.row(members()[random.below(n)])[first_ + i];
                floors_[i] = cuts_[i];
            } else {
                cuts_[i] = draw_threshold(low_[i], high_[i], random);
            }
        }
    }

    // Counts the classes left of each cut: `counts[c * width + i]`.
    void count(const Gini& impurity, float* counts) const {
        const auto totals = impurity.totals();
        if (examples_.by_class) {
            Passes::count_up_to(rows(members()), totals, cuts_.data(), counts);
            return;
        }
        const float* floors = some_nominal_ ? floors_.data() : nullptr;
        Passes::count_between(rows(members()), impurity, {floors, cuts_.data()}, counts);
    }

    // In large nodes no score but the exact one tells.
    void choose_exactly(const Gini& impurity, const float* counts, std::uint32_t min_samples_leaf,
                        BestSplit& best) const {
        for (std::uint32_t i = from_; i < width; ++i) {
            const CountedCut counted = count_cut(impurity.totals(), counts + i, width);
            const double score = counted.score(min_samples_leaf);
            if (score > best.score) {
                best = {score, split(i, counted.n_left >= counted.n_right), true};
            }
        }
    }

    void score(std::span<const std::uint32_t> totals, const float* counts,
               std::uint32_t min_samples_leaf) {
        Passes::score_cuts(totals, counts, min_samples_leaf, scores_);
    }

    // Only scores close to the largest one need be exact: as `Gini::score` gives them.
    void choose(BestSplit& best) const {
        const float enough =
            std::max(scores_.largest, static_cast<float>(best.score)) * (1.0F - doubt);
        if (scores_.largest == 0.0F || scores_.largest < enough) {
            return;
        }
        const bool is_certain = members().size() <= certain_size;
        if (is_certain && static_cast<float>(best.score) >= enough) {
            return;
        }
        // Bits, since it is hard to guess which cuts are close.
        std::uint32_t close = 0;
        for (std::uint32_t i = 0; i < width; ++i) {
            close |= static_cast<std::uint32_t>(scores_.scores[i] >= enough) << i;
        }
        for (; close != 0; close &= close - 1) {
            try_cut(static_cast<std::uint32_t>(std::countr_zero(close)), best);
            if (is_certain) {
                return;
            }
        }
    }

 private:
    using Passes = RowPasses<width>;
    using Values = std::array<float, width>;

    std::span<const std::uint16_t> members() const { return examples_.members; }
    std::uint32_t count_varying() const {
        std::uint32_t n_varying = 0;
        for (std::uint32_t i = 0; i < width; ++i) {
            n_varying += i >= from_ && low_[i] < high_[i] ? 1 : 0;
        }
        return n_varying;
    }
    Rows rows(std::span<const std::uint16_t> slots) const {
        return {window_.row(0) + first_, window_.n_features(), slots};
    }

    void try_cut(std::uint32_t i, BestSplit& best) const {
        const CountedCut counted = scores_.counted(i, members().size());
        const double score = counted.score(1);
        if (score > best.score) {
            best = {score, split(i, counted.n_left >= counted.n_right), true};
        }
    }
    Split split(std::uint32_t i, bool missing_left) const {
        return {cuts_[i], first_ + i, window_.is_nominal(first_ + i), missing_left};
    }

    const Window& window_;
    const NodeExamples& examples_;
    std::uint32_t first_;
    std::uint32_t from_;
    bool some_nominal_ = false;
    Values low_;
    Values high_;
    Values cuts_;
    Values floors_;
    CutScores<width> scores_;
};

// Looks at the features from `begin` on, `width` of them or as many as there are. The last block
// overlaps the one before it if too few are left:
//
//     | block 0 | block 1 |
//                    | block 2 |       the lanes of block 2 that block 1 had are left out
template <std::uint32_t width>
void try_block(const Window& window, const NodeExamples& examples, const SplitOptions& options,
               std::uint32_t begin, RandomCuts& cuts) {
    const std::uint32_t first = std::min(begin, window.n_features() - width);
    Block<width> block(window, examples, first, begin - first);
    // No score exceeds n, which two pure sides reach; the first to reach it stays.
    if (cuts.best.score == static_cast<double>(examples.members.size())) {
        cuts.random.skip(block.n_varying());
        return;
    }
    if (block.measure()) {
        for (std::uint32_t feature = begin; feature < first + width; ++feature) {
            try_feature({window, examples, options}, feature, cuts.impurity, cuts.random,
                        cuts.best);
        }
        return;
    }
    block.draw(cuts.random);
    block.count(cuts.impurity, cuts.left_counts);
    if (examples.members.size() > exact_size) {
        block.choose_exactly(cuts.impurity, cuts.left_counts, options.min_samples_leaf, cuts.best);
        return;
    }
    block.score(cuts.impurity.totals(), cuts.left_counts, options.min_samples_leaf);
    block.choose(cuts.best);
}

}  // namespace

std::optional<Split> find_random_split(const Window& window, const NodeExamples& examples,
                                       const SplitOptions& options, std::span<float> left_counts,
                                       Gini& impurity, Random& random) {
    const std::uint32_t n_features = window.n_features();
    const std::size_t room = left_counts.size() / impurity.totals().size();
    RandomCuts cuts{impurity, random, left_counts.data(), {}};
    for (std::uint32_t begin = 0; begin < n_features;) {
        const std::uint32_t rest = n_features - begin;
        if (!is_small_code && rest > 16 && n_features >= 24 && room >= 24) {
            try_block<24>(window, examples, options, begin, cuts);
            begin += 24;
        } else if (!is_small_code && rest > 8 && n_features >= 16) {
            try_block<16>(window, examples, options, begin, cuts);
            begin += 16;
        } else if (!is_small_code && rest > 4 && n_features >= 8) {
            try_block<8>(window, examples, options, begin, cuts);
            begin += 8;
        } else {
            try_block<4>(window, examples, options, begin, cuts);
            begin += 4;
        }
    }
    return cuts.best.found ? std::optional<Split>(cuts.best.split) : std::nullopt;
}

}  // namespace shrubs
