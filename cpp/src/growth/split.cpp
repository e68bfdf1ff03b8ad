#include "shrubs/growth/split.hpp"

#include <algorithm>
#include <limits>

namespace shrubs {

namespace {

bool is_missing(float value) {
    return value != value;
}

// The candidate cuts of one feature in one node, best or random, missing values on either side.
template <class Impurity>
class Feature {
 public:
    Feature(const SearchedNode& node, std::uint32_t feature, Impurity& impurity, BestSplit& best)
        : values_(node.window.values(feature)),
          nominal_(node.window.is_nominal(feature)),
          feature_(feature),
          examples_(node.examples),
          options_(node.options),
          impurity_(impurity),
          best_(best) {
        count_missing();
    }

    bool is_constant() const { return n_missing_ == 0 ? low_ == high_ : n_present() == 0; }

    void try_cuts(Random& random) {
        if (options_.splitter == Splitter::random) {
            try_random_cut(random);
            return;
        }
        for (const bool missing_left : {false, true}) {
            if (!missing_left || n_missing_ > 0) {
                nominal_ ? try_categories(missing_left) : try_thresholds(missing_left);
            }
        }
        try_missing_alone();
    }

 private:
    std::uint32_t n_present() const { return size() - n_missing_; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(examples_.members.size()); }

    void count_missing() {
        if (options_.splitter == Splitter::best) {
            const auto order = examples_.by_value(feature_);
            if (is_missing(values_[order.back()])) {
                const auto present = std::partition_point(
                    order.begin(), order.end(),
                    [&](std::uint16_t slot) { return !is_missing(values_[slot]); });
                n_missing_ = static_cast<std::uint32_t>(order.end() - present);
            }
            if (n_present() > 0) {
                low_ = values_[order.front()];
                high_ = values_[order[n_present() - 1]];
            }
            return;
        }
        low_ = std::numeric_limits<float>::infinity();
        high_ = -low_;
        for (const std::uint16_t slot : examples_.members) {
            const float value = values_[slot];
            n_missing_ += is_missing(value) ? 1U : 0U;
            low_ = value < low_ ? value : low_;
            high_ = value > high_ ? value : high_;
        }
    }

    // Empties the left side, or fills it with the missing ones. Returns how many those are.
    std::uint32_t begin_cut(bool missing_left) {
        impurity_.begin_cut();
        if (!missing_left) {
            return 0;
        }
        if (options_.splitter == Splitter::best) {
            for (const std::uint16_t slot : examples_.by_value(feature_).last(n_missing_)) {
                impurity_.add_left(slot);
            }
        } else {
            for (const std::uint16_t slot : examples_.members) {
                if (is_missing(values_[slot])) {
                    impurity_.add_left(slot);
                }
            }
        }
        return n_missing_;
    }

    bool is_allowed(std::uint32_t n_left) const {
        return n_left >= options_.min_samples_leaf && size() - n_left >= options_.min_samples_leaf;
    }

    template <class Threshold>
    void consider(std::uint32_t n_left, bool missing_left, Threshold threshold) {
        if (!is_allowed(n_left)) {
            return;
        }
        const double score = impurity_.score(n_left, size() - n_left);
        if (score > best_.score) {
            const bool to_left = n_missing_ > 0 ? missing_left : n_left >= size() - n_left;
            best_ = {score, {threshold(), feature_, nominal_, to_left}, true};
        }
    }

    void try_thresholds(bool missing_left) {
        const auto order = examples_.by_value(feature_).first(n_present());
        std::uint32_t n_left = begin_cut(missing_left);
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            impurity_.add_left(order[i]);
            ++n_left;
            const float value = values_[order[i]];
            const float next = values_[order[i + 1]];
            if (value < next) {
                consider(n_left, missing_left, [&] { return threshold_between(value, next); });
            }
        }
    }

    void try_categories(bool missing_left) {
        const auto order = examples_.by_value(feature_).first(n_present());
        for (std::size_t i = 0; i < order.size();) {
            const float category = values_[order[i]];
            std::uint32_t n_left = begin_cut(missing_left);
            for (; i < order.size() && values_[order[i]] == category; ++i) {
                impurity_.add_left(order[i]);
                ++n_left;
            }
            consider(n_left, missing_left, [&] { return category; });
        }
    }

    void try_missing_alone() {
        if (n_missing_ > 0 && n_present() > 0) {
            consider(begin_cut(true), true, [] { return std::numeric_limits<float>::quiet_NaN(); });
        }
    }

    void try_random_cut(Random& random) {
        if (low_ == high_) {
            try_missing_alone();
            return;
        }
        const float threshold =
            nominal_ ? random_category(random) : draw_threshold(low_, high_, random);
        for (const bool missing_left : {false, true}) {
            if (!missing_left || n_missing_ > 0) {
                std::uint32_t n_left = begin_cut(missing_left);
                // No comparison with a missing value holds.
                n_left += nominal_ ? impurity_.add_left_where(
                                         examples_.members,
                                         [&](auto slot) { return values_[slot] == threshold; })
                                   : impurity_.add_left_where(examples_.members, [&](auto slot) {
                                         return values_[slot] <= threshold;
                                     });
                consider(n_left, missing_left, [&] { return threshold; });
            }
        }
    }

    // The category of a present example drawn uniformly.
    float random_category(Random& random) const {
        std::uint32_t left_over = random.below(n_present());
        for (const std::uint16_t slot : examples_.members) {
            if (!is_missing(values_[slot]) && left_over-- == 0) {
                return values_[slot];
            }
        }
        return low_;
    }

    Window::Values values_;
    bool nominal_;
    std::uint32_t feature_;
    const NodeExamples& examples_;
    const SplitOptions& options_;
    Impurity& impurity_;
    BestSplit& best_;
    std::uint32_t n_missing_ = 0;
    float low_ = 0.0F;
    float high_ = 0.0F;
};

}  // namespace

float threshold_between(float a, float b) {
    const auto middle = static_cast<float>((static_cast<double>(a) + static_cast<double>(b)) / 2.0);
    return middle >= a && middle < b ? middle : a;
}

template <class Impurity>
bool try_feature(const SearchedNode& node, std::uint32_t feature, Impurity& impurity,
                 Random& random, BestSplit& best) {
    Feature cuts(node, feature, impurity, best);
    if (cuts.is_constant()) {
        return false;
    }
    cuts.try_cuts(random);
    return true;
}

template <class Impurity>
std::optional<Split> find_split(const Window& window, const NodeExamples& examples,
                                const SplitOptions& options, std::span<std::uint16_t> permutation,
                                Impurity& impurity, Random& random) {
    const std::uint32_t n_features = window.n_features();
    const bool all = options.max_features >= n_features;
    BestSplit best;
    std::uint32_t n_tried = 0;
    for (std::uint32_t i = 0; i < n_features; ++i) {
        std::uint32_t index = i;
        if (!all) {
            std::swap(permutation[i], permutation[i + random.below(n_features - i)]);
            index = permutation[i];
        }
        n_tried += try_feature({window, examples, options}, index, impurity, random, best) ? 1 : 0;
        if (!all && n_tried >= options.max_features && best.found) {
            break;
        }
    }
    return best.found ? std::optional<Split>(best.split) : std::nullopt;
}

template bool try_feature<Gini>(const SearchedNode&, std::uint32_t, Gini&, Random&, BestSplit&);
template bool try_feature<Variance>(const SearchedNode&, std::uint32_t, Variance&, Random&,
                                    BestSplit&);
template std::optional<Split> find_split<Gini>(const Window&, const NodeExamples&,
                                               const SplitOptions&, std::span<std::uint16_t>, Gini&,
                                               Random&);
template std::optional<Split> find_split<Variance>(const Window&, const NodeExamples&,
                                                   const SplitOptions&, std::span<std::uint16_t>,
                                                   Variance&, Random&);

}  // namespace shrubs
