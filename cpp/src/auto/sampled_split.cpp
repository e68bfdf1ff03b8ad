#include "shrubs/auto/sampled_split.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/auto/sampled_rows.hpp"

namespace shrubs {

namespace {

// Without an instruction for it, compilers call a function.
std::uint32_t count_bits(std::uint32_t bits) {
    bits -= bits >> 1U & 0x55555555U;
    bits = (bits & 0x33333333U) + (bits >> 2U & 0x33333333U);
    return ((bits + (bits >> 4U)) & 0x0F0F0F0FU) * 0x01010101U >> 24U;
}

// The values of one feature, by bit.
class SampledFeature {
 public:
    template <class Values>
    SampledFeature(const NodeSample& sample, const Values& values, const Split& split)
        : n_(sample.size()), all_(sample.all()), split_(split) {
        auto low = FourFloats::all(std::numeric_limits<float>::infinity());
        auto high = FourFloats::all(-std::numeric_limits<float>::infinity());
        for (std::uint32_t i = 0; i < n_; i += FourFloats::size) {
            const auto four = FourFloats::of_each(values[sample[i]], values[sample[i + 1]],
                                                  values[sample[i + 2]], values[sample[i + 3]]);
            four.store(values_.data() + i);
            missing_ |= FourFloats::missing(four) << i;
            low = FourFloats::smaller(four, low);
            high = FourFloats::larger(four, high);
        }
        missing_ &= all_;
        low_ = low.smallest();
        high_ = high.largest();
    }

    bool is_constant() const { return missing_ == 0 ? low_ == high_ : missing_ == all_; }

    template <class Impurity>
    void try_cut(const Impurity& impurity, const NodeDraw& draw, BestSplit& best) {
        if (low_ == high_) {  // only whether it is there
            split_.threshold = std::numeric_limits<float>::quiet_NaN();
            consider(missing_, true, impurity, best);
            return;
        }
        split_.threshold = split_.nominal ? category_of(draw.example(n_))
                                          : cut_between(low_, high_, draw.share(split_.feature));
        const std::uint32_t left = find_left();
        consider(left, false, impurity, best);
        if (missing_ != 0) {
            consider(left | missing_, true, impurity, best);
        }
    }

 private:
    // No comparison with a missing value holds.
    std::uint32_t find_left() const {
        const auto threshold = FourFloats::all(split_.threshold);
        std::uint32_t left = 0;
        for (std::uint32_t i = 0; i < n_; i += FourFloats::size) {
            const auto values = FourFloats::load(values_.data() + i);
            left |= (split_.nominal ? FourFloats::where_equal(values, threshold)
                                    : FourFloats::where_at_most(values, threshold))
                    << i;
        }
        return left & all_;
    }

    // Of an example, or of the next one that has a value.
    float category_of(std::uint32_t i) const {
        const std::uint32_t present = all_ & ~missing_;
        const std::uint32_t from = present & (~std::uint32_t{0} << i);
        return values_[static_cast<std::size_t>(std::countr_zero(from != 0 ? from : present))];
    }

    template <class Impurity>
    void consider(std::uint32_t left, bool missing_left, const Impurity& impurity,
                  BestSplit& best) {
        const std::uint32_t right = all_ & ~left;
        if (left == 0 || right == 0) {
            return;
        }
        const double score = impurity.score(left, right);
        if (score > best.score) {
            split_.missing_left =
                missing_ != 0 ? missing_left : count_bits(left) >= count_bits(right);
            best = {score, split_, true};
        }
    }

    std::uint32_t n_;
    std::uint32_t all_;
    Split split_;
    std::uint32_t missing_ = 0;
    float low_;
    float high_;
    std::array<float, most_sampled> values_;
};

// Tries features in the order drawn until so many divide the examples, and goes on while none does.
// A cut with the largest score ends the search. `try_one` returns whether its feature divides them.
template <class TryOne>
void try_in_order(NodeDraw& draw, std::uint32_t n_enough, double largest_score,
                  const Finalists& finalists, const TryOne& try_one) {
    std::uint32_t n_tried = 0;
    while (draw.has_next() && finalists.best_score() < largest_score &&
           (n_tried < n_enough || finalists.is_empty())) {
        n_tried += try_one(draw.next()) ? 1 : 0;
    }
}

// The rows of a sample, class by class.
class RowsByClass {
 public:
    RowsByClass(const Window& window, const NodeSample& sample, const SampledGini& impurity)
        : n_(sample.size()), n_in_class_(impurity.totals()) {
        impurity.for_each_by_class(
            [&](std::size_t place, std::uint32_t i) { rows_[place] = window.row(sample[i]); });
    }
    SampledRows view() const { return {std::span(rows_).first(n_), n_in_class_}; }

 private:
    std::uint32_t n_;
    std::span<const std::uint32_t> n_in_class_;
    std::array<const float*, most_sampled> rows_;
};

// Tries features of a node of classes whole rows at a time.
class RowSearch {
 public:
    RowSearch(const Window& window, const NodeSample& sample, const SampledGini& impurity)
        : window_(window),
          sample_(sample),
          rows_(window, sample, impurity),
          cuts_(rows_.view(), window.n_features()) {}

    // Judges one cut of each feature. False, and nothing is known, if a value is missing.
    bool judge_all(const NodeDraw& draw, bool all_nominal) {
        const float* const row = window_.row(sample_[draw.example(sample_.size())]);
        if (all_nominal) {
            cuts_.judge_categories(row);
            return !cuts_.has_missing();
        }
        cuts_.measure();
        if (cuts_.has_missing()) {
            return false;
        }
        cuts_.cut_numbers(draw);
        for (std::uint32_t feature = 0; feature < window_.n_features(); ++feature) {
            if (window_.is_nominal(feature)) {
                cuts_.cut_category(feature, row[feature]);
            }
        }
        cuts_.judge();
        return true;
    }

    void search(NodeDraw& draw, const SampledOptions& options, double largest_score,
                Finalists& finalists) const {
        if (finalists.most() == 1) {
            const std::uint32_t best = find_best(draw, options, finalists.is_empty());
            if (best < window_.n_features()) {
                consider(best, finalists);
            }
            return;
        }
        for (const std::uint16_t feature : options.favourites) {
            consider(feature, finalists);
        }
        try_in_order(draw, options.max_features, largest_score, finalists,
                     [&](std::uint32_t feature) { return consider(feature, finalists); });
    }

 private:
    // The first of the best features. Scores are compared as whole numbers, without a branch that
    // could be guessed wrong.
    std::uint32_t find_best(NodeDraw& draw, const SampledOptions& options, bool is_empty) const {
        std::uint32_t best = RowCuts::max_features;
        std::uint32_t best_score = 0;
        const auto offer = [&](std::uint32_t number) {
            const std::uint32_t divides = cuts_.divides(number);
            const std::uint32_t score =
                std::bit_cast<std::uint32_t>(cuts_.score(number)) & (0U - divides);
            // The difference of two positive floats, as whole numbers, has their order as its sign.
            const std::uint32_t better = (best_score - score) >> 31U;
            best ^= (best ^ number) & (0U - better);
            best_score ^= (best_score ^ score) & (0U - better);
            return divides;
        };
        for (const std::uint16_t feature : options.favourites) {
            offer(feature);
        }
        const std::uint32_t n_enough =
            std::max(options.max_features, is_empty && best_score == 0 ? 1U : 0U);
        for (std::uint32_t i = 0, n_tried = 0; i < draw.prime() && n_tried < n_enough; ++i) {
            n_tried += offer(draw.next_number());
        }
        return best;
    }
    // Whether the feature divides the examples.
    bool consider(std::uint32_t feature, Finalists& finalists) const {
        // Different scores differ by more than 2^-21 of themselves.
        constexpr double beyond_doubt = 1.0 + 0x1p-30;
        const double above = cuts_.above(feature);
        const double below = cuts_.below(feature);
        if (above > finalists.bar() * below * beyond_doubt) {
            finalists.add({above / below, split(feature), true});
        }
        return !cuts_.is_constant(feature);
    }
    Split split(std::uint32_t feature) const {
        return {.threshold = cuts_.threshold(feature),
                .feature = feature,
                .nominal = window_.is_nominal(feature),
                .missing_left = 2 * cuts_.n_left(feature) >= sample_.size()};
    }

    const Window& window_;
    const NodeSample& sample_;
    RowsByClass rows_;
    RowCuts cuts_;
};

}  // namespace

SampledGini::SampledGini(const NodeSample& sample, std::span<const std::uint16_t> labels,
                         std::span<std::uint32_t> ids)
    : n_(sample.size()) {
    ids.size() <= most_sampled ? count_by_label(sample, labels, ids.size())
                               : count_by_id(sample, labels, ids);
}

// Those that did not come are left out.
void SampledGini::count_by_label(const NodeSample& sample, std::span<const std::uint16_t> labels,
                                 std::size_t n_labels) {
    std::fill_n(examples_.begin(), n_labels, 0U);
    std::fill_n(totals_.begin(), n_labels, 0U);
    for (std::uint32_t i = 0; i < n_; ++i) {
        const std::uint16_t label = labels[sample[i]];
        examples_[label] |= std::uint32_t{1} << i;
        ++totals_[label];
        group_[i] = static_cast<std::uint8_t>(label);
    }
    std::uint32_t begin = 0;
    for (std::size_t label = 0; label < n_labels; ++label) {
        const std::uint32_t total = totals_[label];
        first_[label] = static_cast<std::uint8_t>(begin);
        begin += total;
        examples_[n_classes_] = examples_[label];
        totals_[n_classes_] = total;
        n_classes_ += total != 0 ? 1 : 0;
    }
}

// Labels have ids in the order in which they come.
void SampledGini::count_by_id(const NodeSample& sample, std::span<const std::uint16_t> labels,
                              std::span<std::uint32_t> ids) {
    for (std::uint32_t i = 0; i < n_; ++i) {
        ids[labels[sample[i]]] = 0;
    }
    std::fill_n(examples_.begin(), n_, 0U);
    std::fill_n(totals_.begin(), n_, 0U);
    for (std::uint32_t i = 0; i < n_; ++i) {  // without a branch
        std::uint32_t& id = ids[labels[sample[i]]];
        n_classes_ += id == 0 ? 1 : 0;
        id = id == 0 ? n_classes_ : id;
        examples_[id - 1] |= std::uint32_t{1} << i;
        ++totals_[id - 1];
        group_[i] = static_cast<std::uint8_t>(id - 1);
    }
    std::uint32_t begin = 0;
    for (std::uint32_t c = 0; c < n_classes_; ++c) {
        first_[c] = static_cast<std::uint8_t>(begin);
        begin += totals_[c];
    }
}

double SampledGini::score(std::uint32_t left, std::uint32_t /*right*/) const {
    std::uint32_t n_left = 0;
    std::uint32_t left_squares = 0;
    std::uint32_t right_squares = 0;
    for (std::uint32_t c = 0; c < n_classes_; ++c) {
        const std::uint32_t on_left = count_bits(examples_[c] & left);
        const std::uint32_t on_right = totals_[c] - on_left;
        n_left += on_left;
        left_squares += on_left * on_left;
        right_squares += on_right * on_right;
    }
    return gini_score(left_squares, n_left, right_squares, n_ - n_left);
}

double SampledVariance::score(std::uint32_t left, std::uint32_t right) const {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < n_; ++i) {
        sum += centred_[i] * static_cast<double>(left >> i & 1U);
    }
    const double rest = total_ - sum;
    return sum * sum / static_cast<double>(count_bits(left)) +
           rest * rest / static_cast<double>(count_bits(right));
}

void Finalists::add(const BestSplit& found) {
    std::uint32_t i = std::min(n_, most_ - 1);
    n_ = i + 1;
    for (; i > 0 && found.score > best_[i - 1].score; --i) {
        best_[i] = best_[i - 1];
    }
    best_[i] = found;
}

template <class Impurity>
Finalists find_sampled_splits(const Window& window, const NodeSample& sample,
                              const SampledOptions& options, const Impurity& impurity,
                              Random& random) {
    const std::uint32_t n_features = window.n_features();
    const auto n_tried =
        static_cast<std::uint32_t>(options.max_features + options.favourites.size());
    NodeDraw draw(n_features, options.prime, random);
    Finalists finalists(options.n_finalists);
    const auto try_values = [&](const auto& values, std::uint32_t feature, bool nominal) {
        SampledFeature cuts(sample, values, {.feature = feature, .nominal = nominal});
        if (cuts.is_constant()) {
            return false;
        }
        BestSplit best;
        best.score = finalists.bar();
        cuts.try_cut(impurity, draw, best);
        if (best.found) {
            finalists.add(best);
        }
        return true;
    };
    const auto try_feature = [&](std::uint32_t feature) {
        return try_values(window.values(feature), feature, window.is_nominal(feature));
    };
    for (std::uint32_t i = 0; i < recalled_features && options.recalls; ++i) {
        try_values(RecalledValues(window, i, options.down, options.lag), n_features + i,
                   !window.labels().empty());
    }
    const auto is_settled = [&] {
        return finalists.most() == 1 && finalists.best_score() >= impurity.largest_score();
    };
    if constexpr (std::is_same_v<Impurity, SampledGini>) {
        // Any cut of two examples has pure sides.
        if (sample.size() > 2 && RowCuts::suit(window, n_tried) && !is_settled()) {
            RowSearch rows(window, sample, impurity);
            if (rows.judge_all(draw, options.all_nominal)) {
                rows.search(draw, options, impurity.largest_score(), finalists);
                return finalists;
            }
        }
    }
    for (const std::uint16_t feature : options.favourites) {
        if (is_settled()) {
            break;
        }
        try_feature(feature);
    }
    try_in_order(draw, options.max_features, impurity.largest_score(), finalists, try_feature);
    return finalists;
}

template Finalists find_sampled_splits(const Window&, const NodeSample&, const SampledOptions&,
                                       const SampledGini&, Random&);
template Finalists find_sampled_splits(const Window&, const NodeSample&, const SampledOptions&,
                                       const SampledVariance&, Random&);

}  // namespace shrubs
