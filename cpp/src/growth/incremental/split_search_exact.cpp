// The exact search of `SplitSearch` at the cuts that a scan has left.

#include <algorithm>
#include <array>
#include <bit>

#include "shrubs/growth/incremental/split_search.hpp"

namespace shrubs {

namespace {

// Signed numbers become floats in one instruction.
float as_float(std::uint64_t count) {
    return static_cast<float>(static_cast<std::int64_t>(count));
}

}  // namespace

// The cuts of a lane that reach `enough`, exactly and in ascending order. Groups of cuts are in the
// order in which the lane is stored.
void SplitSearch::search_exactly(const LaneRange& node, const ScannedNode& scanned,
                                 std::uint32_t lane, float enough, BestSplit& best,
                                 FoundSplit& found) const {
    const std::uint32_t feature = memory_.features[lane];
    const float* values = window_.column(feature).data();
    const LaneColumn column = lanes_.column(node, lane);
    const float* groups = memory_.group_scores +
                          lane / lane_width * lane_width * n_groups(window_.capacity()) +
                          lane % lane_width;
    for (const std::uint16_t c : scanned.classes) {
        memory_.lefts[c] = 0;
    }
    const std::uint32_t n = scanned.size;
    const auto consider = [&](std::uint32_t n_left, std::uint64_t squares_left,
                              std::uint64_t squares_right) {
        // The score of the scan is a filter without a division.
        if (as_float(squares_left) * scanned.inverse[n_left] +
                as_float(squares_right) * scanned.inverse[n - n_left] <
            enough) {
            return;
        }
        const double score = gini_score(squares_left, n_left, squares_right, n - n_left);
        if (score > best.score) {
            const float value = values[lanes_.slot(column[n_left - 1])];
            const float next = values[lanes_.slot(column[n_left])];
            if (value < next) {
                best = {score,
                        {threshold_between(value, next), feature, false, n_left >= n - n_left},
                        true};
                found = {best.split, lane, n_left, memory_.lefts[scanned.classes[1]]};
            }
        }
    };
    const std::uint32_t n_cuts = n - min_samples_leaf_;
    const std::uint32_t n_scanned = (n_cuts + cuts_per_group - 1) / cuts_per_group;
    std::uint32_t place = 0;
    for (std::uint32_t i = 0; i < n_scanned; ++i) {
        const std::uint32_t group = node.descending ? n_scanned - 1 - i : i;
        if (groups[group * lane_width] < enough) {
            continue;
        }
        // The cut after a place of a descending node is the one before it in ascending order.
        const std::uint32_t first = group * cuts_per_group;
        const std::uint32_t last = std::min(first + cuts_per_group, n_cuts) - 1;
        const std::uint32_t begin =
            std::max(node.descending ? n - 2 - last : first, min_samples_leaf_ - 1);
        const std::uint32_t end = std::min((node.descending ? n - 2 - first : last) + 1, n_cuts);
        count_left(column, place, begin);
        try_cuts(column, {begin, end}, scanned, consider);
        place = end;
    }
}

// Calls `consider` for the cuts after the places from `begin` to `end`, whose examples move to the
// left side.
template <class Consider>
void SplitSearch::try_cuts(const LaneColumn& column, PlaceRange places, const ScannedNode& scanned,
                           Consider consider) const {
    std::uint32_t* lefts = memory_.lefts.data();
    const std::uint32_t* totals = scanned.totals.data();
    const std::uint32_t slot_bits = lanes_.slot_bits();
    const std::uint16_t* entry = column.from(places.begin).first;
    std::uint64_t squares_left = 0;
    std::uint64_t squares_right = 0;
    for (const std::uint16_t c : scanned.classes) {
        const std::uint64_t left = lefts[c];
        const std::uint64_t right = totals[c] - left;
        squares_left += left * left;
        squares_right += right * right;
    }
    for (std::uint32_t place = places.begin; place < places.end; ++place, entry += column.step) {
        const std::uint32_t label = *entry >> slot_bits;
        const std::uint32_t left = lefts[label]++;
        squares_left += 2 * left + 1;
        squares_right -= 2 * (totals[label] - left) - 1;
        consider(place + 1, squares_left, squares_right);
    }
}

// Moves the entries from `begin` to `end` to the left side. Of two classes, one is counted.
void SplitSearch::count_left(const LaneColumn& column, std::uint32_t begin,
                             std::uint32_t end) const {
    std::uint32_t* lefts = memory_.lefts.data();
    const std::uint32_t slot_bits = lanes_.slot_bits();
    const std::uint16_t* entry = column.from(begin).first;
    const std::ptrdiff_t step = column.step;
    if (n_classes_ == 2) {
        const std::uint32_t second = memory_.classes[1];
        std::uint32_t n_second = 0;
        for (std::uint32_t place = begin; place < end; ++place, entry += step) {
            n_second += static_cast<std::uint32_t>(*entry) >> slot_bits == second ? 1 : 0;
        }
        lefts[memory_.classes[0]] += end - begin - n_second;
        lefts[second] += n_second;
        return;
    }
    for (std::uint32_t place = begin; place < end; ++place, entry += step) {
        ++lefts[static_cast<std::uint32_t>(*entry) >> slot_bits];
    }
}

void SplitSearch::search_two_valued(const ScannedNode& scanned, std::uint32_t feature,
                                    BestSplit& best) const {
    const std::uint64_t n_right = two_valued_.above(scanned.classes, feature);
    const std::uint64_t n_left = scanned.size - n_right;
    std::uint64_t squares_left = 0;
    std::uint64_t squares_right = 0;
    for (const std::uint16_t c : scanned.classes) {
        const std::uint64_t right = two_valued_.above(c, feature);
        const std::uint64_t left = scanned.totals[c] - right;
        squares_left += left * left;
        squares_right += right * right;
    }
    const double score = gini_score(squares_left, n_left, squares_right, n_right);
    if (score > best.score) {
        const float low = window_.lowest(feature);
        const float high = window_.highest(feature);
        const bool nominal = window_.is_nominal(feature);
        best = {score,
                {nominal ? low : threshold_between(low, high), feature, nominal, n_left >= n_right},
                true};
    }
}

// Each category against all others, in ascending order.
void SplitSearch::search_categories(const LaneRange& node, const ScannedNode& scanned,
                                    std::uint32_t feature, BestSplit& best) const {
    const std::size_t n_classes = scanned.totals.size();
    const float* values = window_.column(feature).data();
    const float highest = window_.highest(feature);
    std::array<std::uint16_t, max_counted> counts;
    const auto n_counts = (static_cast<std::size_t>(highest) + 1) * n_classes;
    std::fill_n(counts.begin(), n_counts, std::uint16_t{0});
    const LaneColumn column = members(node);
    for (std::uint32_t place = 0; place < node.size; ++place) {
        const std::uint16_t entry = column[place];
        const auto category = static_cast<std::uint32_t>(values[lanes_.slot(entry)]);
        ++counts[category * n_classes + label(entry)];
    }
    float category = 0.0F;
    for (std::size_t at = 0; at < n_counts; at += n_classes, category += 1.0F) {
        std::uint64_t n_left = 0;
        std::uint64_t squares_left = 0;
        std::uint64_t squares_right = 0;
        for (const std::uint16_t c : scanned.classes) {
            const std::uint64_t left = counts[at + c];
            const std::uint64_t right = scanned.totals[c] - left;
            n_left += left;
            squares_left += left * left;
            squares_right += right * right;
        }
        const std::uint64_t n_right = node.size - n_left;
        if (n_left < min_samples_leaf_ || n_right < min_samples_leaf_) {
            continue;
        }
        const double score = gini_score(squares_left, n_left, squares_right, n_right);
        if (score > best.score) {
            best = {score, {category, feature, true, n_left >= n_right}, true};
        }
    }
}

// Between every two neighbouring levels of the node, in ascending order.
void SplitSearch::search_levels(const LaneRange& node, const ScannedNode& scanned,
                                std::uint32_t feature, BestSplit& best) const {
    const std::size_t n_classes = scanned.totals.size();
    const float* values = window_.column(feature).data();
    const auto lowest = static_cast<std::uint32_t>(window_.lowest(feature));
    const auto highest = static_cast<std::uint32_t>(window_.highest(feature));
    std::array<std::uint16_t, max_counted> counts;
    std::fill_n(counts.begin(), (highest - lowest + 1) * n_classes, std::uint16_t{0});
    std::uint64_t present = 0;
    const LaneColumn column = members(node);
    for (std::uint32_t place = 0; place < node.size; ++place) {
        const std::uint16_t entry = column[place];
        const auto value = static_cast<std::int32_t>(values[lanes_.slot(entry)]);
        const std::uint32_t level = static_cast<std::uint32_t>(value) - lowest;
        ++counts[level * n_classes + label(entry)];
        present |= std::uint64_t{1} << level;
    }
    const auto next_level = [&] { return static_cast<std::uint32_t>(std::countr_zero(present)); };
    std::uint32_t* lefts = memory_.lefts.data();
    for (const std::uint16_t c : scanned.classes) {
        lefts[c] = 0;
    }
    for (std::uint32_t level = next_level(); (present &= present - 1) != 0; level = next_level()) {
        std::uint64_t n_left = 0;
        std::uint64_t squares_left = 0;
        std::uint64_t squares_right = 0;
        for (const std::uint16_t c : scanned.classes) {
            lefts[c] += counts[level * n_classes + c];
            const std::uint64_t left = lefts[c];
            const std::uint64_t right = scanned.totals[c] - left;
            n_left += left;
            squares_left += left * left;
            squares_right += right * right;
        }
        const std::uint64_t n_right = node.size - n_left;
        if (n_left < min_samples_leaf_ || n_right < min_samples_leaf_) {
            continue;
        }
        const double score = gini_score(squares_left, n_left, squares_right, n_right);
        if (score > best.score) {
            const float threshold = threshold_between(static_cast<float>(lowest + level),
                                                      static_cast<float>(lowest + next_level()));
            best = {score, {threshold, feature, false, n_left >= n_right}, true};
        }
    }
}

void SplitSearch::search_plainly(const LaneRange& node, std::uint32_t lane, BestSplit& best) const {
    const LaneColumn column = lanes_.column(node, lane);
    const auto order = memory_.spare.first(node.size);
    for (std::uint32_t place = 0; place < node.size; ++place) {
        order[place] = static_cast<std::uint16_t>(lanes_.slot(column[place]));
    }
    Gini gini(window_.labels(), memory_.totals, memory_.lefts);
    gini.begin_node(order);
    Random unused(0, 0);
    const NodeExamples examples{order, order.data()};
    const SplitOptions options{Splitter::best, min_samples_leaf_, window_.n_features()};
    try_feature({window_, examples, options}, memory_.features[lane], gini, unused, best);
}

}  // namespace shrubs
