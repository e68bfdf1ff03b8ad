#include "shrubs/growth/drawn_split.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "shrubs/growth/row_passes.hpp"

namespace shrubs {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// What is known of a block of features.
enum BlockState : std::uint8_t { unknown, measured, has_missing };

std::uint32_t width_for(std::uint32_t n_features) {
    return is_small_code || n_features < 8 ? 4 : n_features < 16 ? 8 : n_features < 24 ? 16 : 24;
}

// The last block overlaps the one before it if too few features are left.
template <std::uint32_t width>
class DrawnCuts {
 public:
    DrawnCuts(const SearchedNode& node, std::span<std::uint16_t> permutation,
              const DrawnScratch& scratch, Gini& impurity, Random& random)
        : node_(node),
          permutation_(permutation),
          scratch_(scratch),
          impurity_(impurity),
          random_(random),
          totals_(impurity.totals()),
          lows_(scratch.floats),
          highs_(lows_ + scratch.blocks.size() * width),
          floors_(highs_ + scratch.blocks.size() * width),
          cuts_(floors_ + scratch.blocks.size() * width),
          counts_(cuts_ + scratch.blocks.size() * width) {
        std::ranges::fill(scratch.blocks, std::uint8_t{unknown});
        if (node.examples.by_class) {
            leave_out_empty_classes();
        }
    }

    std::optional<Split> find() {
        const std::uint32_t n_features = node_.window.n_features();
        const SplitOptions& options = node_.options;
        std::uint32_t n_tried = 0;
        for (std::uint32_t i = 0; i < n_features; ++i) {
            std::swap(permutation_[i], permutation_[i + random_.below(n_features - i)]);
            n_tried += try_next(permutation_[i]) ? 1 : 0;
            if (n_tried < options.max_features) {
                continue;
            }
            // If one sample is enough for a leaf, every feature that varies has a cut.
            if (options.min_samples_leaf > 1) {
                choose();
            }
            if (options.min_samples_leaf == 1 || best_.found) {
                break;
            }
        }
        choose();
        return best_.found ? std::optional<Split>(best_.split) : std::nullopt;
    }

 private:
    using Passes = RowPasses<width>;

    void leave_out_empty_classes() {
        std::size_t n = 0;
        for (const std::uint32_t total : impurity_.totals()) {
            scratch_.totals[n] = total;
            n += total > 0 ? 1 : 0;
        }
        totals_ = {scratch_.totals, n};
    }

    std::span<const std::uint16_t> members() const { return node_.examples.members; }
    std::uint32_t first_of(std::uint32_t block) const {
        return std::min(block * width, node_.window.n_features() - width);
    }
    // Where a feature stands among those of all blocks.
    std::uint32_t place_of(std::uint32_t feature) const {
        const std::uint32_t block = feature / width;
        return block * width + feature - first_of(block);
    }
    Rows rows(std::uint32_t block) const {
        return {node_.window.row(0) + first_of(block), node_.window.n_features(), members()};
    }

    // Draws the cut of a feature. Returns false if it is constant.
    bool try_next(std::uint32_t feature) {
        if (measure(feature / width) == has_missing) {
            choose();
            n_chosen_ += 1;
            return try_feature(node_, feature, impurity_, random_, best_);
        }
        n_drawn_ += 1;
        const std::uint32_t place = place_of(feature);
        const float low = lows_[place];
        const float high = highs_[place];
        if (low == high) {
            return false;
        }
        if (node_.window.is_nominal(feature)) {
            const auto n = static_cast<std::uint32_t>(members().size());
            const std::uint32_t slot = members()[random_.below(n)];
            cuts_[place] = node_.window.row(slot)[feature];
            floors_[place] = cuts_[place];
        } else {
            cuts_[place] = draw_threshold(low, high, random_);
        }
        return true;
    }

    std::uint8_t measure(std::uint32_t block) {
        std::uint8_t& state = scratch_.blocks[block];
        if (state == unknown) {
            const std::size_t at = std::size_t{block} * width;
            std::fill_n(cuts_ + at, width, infinity);
            std::fill_n(floors_ + at, width, -infinity);
            state = Passes::measure(rows(block), lows_ + at, highs_ + at) ? has_missing : measured;
        }
        return state;
    }

    // Scores the cuts that have been drawn since the last time, and takes the best, in the order of
    // the features that were drawn.
    void choose() {
        for (std::uint32_t block = 0; block < scratch_.blocks.size(); ++block) {
            if (scratch_.blocks[block] == measured) {
                score(block);
            }
        }
        const auto n = static_cast<std::uint32_t>(members().size());
        for (const std::uint16_t feature : permutation_.subspan(n_chosen_, n_drawn_)) {
            const std::uint32_t place = place_of(feature);
            float& cut = cuts_[place];
            if (cut < infinity && scratch_.scores[place] > best_.score) {
                const auto n_left = static_cast<std::uint32_t>(lows_[place]);
                const bool nominal = node_.window.is_nominal(feature);
                best_ = {
                    scratch_.scores[place], {cut, feature, nominal, n_left >= n - n_left}, true};
            }
            cut = infinity;
            floors_[place] = -infinity;
        }
        n_chosen_ += n_drawn_;
        n_drawn_ = 0;
    }

    void score(std::uint32_t block) {
        const std::uint32_t begin = block * width;
        const float* cuts = cuts_ + begin;
        if (std::none_of(cuts, cuts + width, [](float cut) { return cut < infinity; })) {
            return;
        }
        if (node_.examples.by_class) {
            Passes::count_up_to(rows(block), totals_, cuts, counts_);
        } else {
            Passes::count_between(rows(block), impurity_, {floors_ + begin, cuts}, counts_);
        }
        const bool is_exact = members().size() <= exact_size;
        CutScores<width> scores;
        if (is_exact) {
            Passes::score_cuts(totals_, counts_, 1, scores);
        }
        for (std::uint32_t lane = 0; lane < width; ++lane) {
            if (cuts[lane] < infinity) {
                const CountedCut counted = is_exact ? scores.counted(lane, members().size())
                                                    : count_cut(totals_, counts_ + lane, width);
                lows_[begin + lane] = static_cast<float>(counted.n_left);
                scratch_.scores[begin + lane] = counted.score(node_.options.min_samples_leaf);
            }
        }
    }

    const SearchedNode& node_;
    std::span<std::uint16_t> permutation_;
    const DrawnScratch& scratch_;
    Gini& impurity_;
    Random& random_;
    std::span<const std::uint32_t> totals_;
    float* lows_;
    float* highs_;
    float* floors_;
    float* cuts_;
    float* counts_;
    BestSplit best_;
    std::uint32_t n_chosen_ = 0;  ///< drawn features that have been scored
    std::uint32_t n_drawn_ = 0;   ///< those behind them that have not
};

}  // namespace

DrawnScratch DrawnScratch::reserve(Arena& arena, Task task, Splitter splitter,
                                   const Dimensions& dimensions) {
    if (task != Task::classification || splitter != Splitter::random ||
        dimensions.max_features >= dimensions.n_features || dimensions.n_features < 4) {
        return {};
    }
    constexpr Purpose kind = Purpose::scratch;
    const std::uint64_t width = width_for(dimensions.n_features);
    const std::uint64_t n_blocks = (dimensions.n_features + width - 1) / width;
    return {
        .floats = arena.array<float>(kind, (4 * n_blocks + dimensions.n_classes) * width).data(),
        .scores = arena.array<double>(kind, n_blocks * width).data(),
        .totals = arena.array<std::uint32_t>(kind, dimensions.n_classes).data(),
        .blocks = arena.array<std::uint8_t>(kind, n_blocks)};
}

std::optional<Split> find_drawn_split(const SearchedNode& node,
                                      std::span<std::uint16_t> permutation,
                                      const DrawnScratch& scratch, Gini& impurity, Random& random) {
    const auto find = [&]<std::uint32_t width>() {
        return DrawnCuts<width>(node, permutation, scratch, impurity, random).find();
    };
    switch (width_for(node.window.n_features())) {
        case 4: return find.template operator()<4>();
        case 8: return find.template operator()<8>();
        case 16: return find.template operator()<16>();
        default: return find.template operator()<24>();
    }
}

}  // namespace shrubs
