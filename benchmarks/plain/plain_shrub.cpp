#include "plain_shrub.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "shrubs/tree/leaf.hpp"

namespace shrubs::plain {

namespace {

using Rows = std::vector<std::uint32_t>;

struct Best {
    double score = -std::numeric_limits<double>::infinity();
    std::uint32_t feature = 0;
    float threshold = 0.0F;
    bool found = false;
};

std::uint64_t sum_of_squares(std::span<const std::uint32_t> counts) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts) {
        sum += count * count;
    }
    return sum;
}

// Between two neighbouring values a < b: at least a and less than b.
float middle(float a, float b) {
    const auto m = static_cast<float>((static_cast<double>(a) + static_cast<double>(b)) / 2.0);
    return m >= a && m < b ? m : a;
}

class Grower {
 public:
    Grower(const std::vector<LabelledExample>& window, const Config& config,
           const Dimensions& dimensions, std::uint64_t born)
        : window_(window),
          config_(config),
          dimensions_(dimensions),
          random_(config.seed, born),
          permutation_(dimensions.n_features),
          totals_(dimensions.n_classes),
          lefts_(dimensions.n_classes),
          rights_(dimensions.n_classes) {
        std::iota(permutation_.begin(), permutation_.end(), 0U);
        shrub_.born = born;
        shrub_.n_classes = dimensions.n_classes;
    }

    PlainShrub grow() {
        Rows rows(window_.size());
        std::iota(rows.begin(), rows.end(), 0U);
        grow_below(rows, 0);
        return std::move(shrub_);
    }

 private:
    // Returns the index of the node for `rows`, which are in arrival order.
    std::uint32_t grow_below(const Rows& rows, std::uint32_t depth) {
        const auto index = static_cast<std::uint32_t>(shrub_.nodes.size());
        shrub_.nodes.emplace_back();
        count_classes(rows);
        Best best;
        if (depth < config_.max_depth && rows.size() >= 2 * config_.min_samples_leaf &&
            !is_pure(rows)) {
            best = find_split(rows);
        }
        if (!best.found) {
            shrub_.nodes[index].right = add_leaf();
            return index;
        }
        Rows left_rows;
        Rows right_rows;
        for (const std::uint32_t row : rows) {
            const bool goes_left = window_[row].x[best.feature] <= best.threshold;
            (goes_left ? left_rows : right_rows).push_back(row);
        }
        const std::uint32_t left = grow_below(left_rows, depth + 1);
        const std::uint32_t right = grow_below(right_rows, depth + 1);
        shrub_.nodes[index] = {best.feature, best.threshold, left, right};
        return index;
    }

    void count_classes(const Rows& rows) {
        std::ranges::fill(totals_, 0U);
        for (const std::uint32_t row : rows) {
            ++totals_[window_[row].label];
        }
    }

    bool is_pure(const Rows& rows) const {
        return totals_[window_[rows.front()].label] == rows.size();
    }

    std::uint32_t add_leaf() {
        std::vector<std::int32_t> q(totals_.size());
        round_distribution(totals_, q);
        const auto leaf = static_cast<std::uint32_t>(shrub_.leaves.size() / q.size());
        for (const std::int32_t entry : q) {
            shrub_.leaves.push_back(entry * from_fixed);
        }
        return leaf;
    }

    Best find_split(const Rows& rows) {
        Best best;
        const std::uint32_t n_features = dimensions_.n_features;
        const bool all = dimensions_.max_features >= n_features;
        std::uint32_t n_tried = 0;
        for (std::uint32_t i = 0; i < n_features; ++i) {
            if (!all) {
                std::swap(permutation_[i], permutation_[i + random_.below(n_features - i)]);
            }
            const std::uint32_t feature = permutation_[i];
            const bool tried = config_.splitter == Splitter::best
                                   ? try_all_cuts(rows, feature, best)
                                   : try_random_cut(rows, feature, best);
            n_tried += tried ? 1 : 0;
            if (!all && n_tried >= dimensions_.max_features && best.found) {
                break;
            }
        }
        return best;
    }

    // Returns false if the feature is constant.
    bool try_all_cuts(const Rows& rows, std::uint32_t feature, Best& best) {
        sorted_.clear();
        for (const std::uint32_t row : rows) {
            sorted_.emplace_back(window_[row].x[feature], window_[row].label);
        }
        std::sort(sorted_.begin(), sorted_.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        if (sorted_.front().first == sorted_.back().first) {
            return false;
        }
        std::ranges::fill(lefts_, 0U);
        rights_ = totals_;
        for (std::size_t n_left = 1; n_left < sorted_.size(); ++n_left) {
            const auto [value, label] = sorted_[n_left - 1];
            ++lefts_[label];
            --rights_[label];
            const float next = sorted_[n_left].first;
            if (value < next) {
                consider(n_left, sorted_.size() - n_left, feature, middle(value, next), best);
            }
        }
        return true;
    }

    bool try_random_cut(const Rows& rows, std::uint32_t feature, Best& best) {
        float low = std::numeric_limits<float>::infinity();
        float high = -low;
        for (const std::uint32_t row : rows) {
            low = std::min(low, window_[row].x[feature]);
            high = std::max(high, window_[row].x[feature]);
        }
        if (low == high) {
            return false;
        }
        const auto drawn = static_cast<float>(
            low + random_.uniform() * (static_cast<double>(high) - static_cast<double>(low)));
        const float threshold = drawn < high ? drawn : low;
        std::ranges::fill(lefts_, 0U);
        rights_ = totals_;
        std::size_t n_left = 0;
        for (const std::uint32_t row : rows) {
            if (window_[row].x[feature] <= threshold) {
                ++lefts_[window_[row].label];
                --rights_[window_[row].label];
                ++n_left;
            }
        }
        consider(n_left, rows.size() - n_left, feature, threshold, best);
        return true;
    }

    // Gini of `lefts_` and `rights_`.
    void consider(std::uint64_t n_left, std::uint64_t n_right, std::uint32_t feature,
                  float threshold, Best& best) const {
        if (n_left < config_.min_samples_leaf || n_right < config_.min_samples_leaf) {
            return;
        }
        const double score = static_cast<double>(sum_of_squares(lefts_) * n_right +
                                                 sum_of_squares(rights_) * n_left) /
                             static_cast<double>(n_left * n_right);
        if (score > best.score) {
            best = {score, feature, threshold, true};
        }
    }

    const std::vector<LabelledExample>& window_;
    const Config& config_;
    const Dimensions& dimensions_;
    Random random_;
    PlainShrub shrub_;
    std::vector<std::uint32_t> permutation_;
    std::vector<std::uint32_t> totals_;
    std::vector<std::uint32_t> lefts_;
    std::vector<std::uint32_t> rights_;
    std::vector<std::pair<float, std::uint16_t>> sorted_;
};

}  // namespace

PlainShrub grow_plain(const std::vector<LabelledExample>& window, const Config& config,
                      const Dimensions& dimensions, std::uint64_t born) {
    return Grower(window, config, dimensions, born).grow();
}

}  // namespace shrubs::plain
