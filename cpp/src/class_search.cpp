#include "shrubs/class_search.hpp"

#include <algorithm>

#include "shrubs/lane_differences.hpp"

namespace shrubs {

namespace {

// Scores that differ by less than this share of the larger one may be equal.
constexpr float doubt = 0x1p-20F;

// In a node of n examples, two different scores differ by at least 16 / n^4: they are fractions
// with denominators n_L n_R <= n^2 / 4. No score exceeds n. So up to this size they differ by more
// than 2^-19 of themselves, and scores that may be equal are equal.
constexpr std::uint32_t certain_size = 24;

// The exact score that belongs to a scanned one.
double exact_score(const ScannedNode& scanned, float score) {
    if (!counts_one_class(scanned)) {
        return score;
    }
    // With L_0 = n_L - L_1: L_0^2 / n_L = n_L - 2 L_1 + L_1^2 / n_L, and the same on the right.
    const double n_second = scanned.totals[scanned.classes[1]];
    return scanned.size - 2.0 * n_second + 2.0 * score;
}

}  // namespace

bool ClassSearch::can_search(std::uint32_t window_size, std::uint32_t n_classes) {
    return window_size <= largest_scanned_window && n_classes >= 2 &&
           Lanes::can_hold(window_size, n_classes);
}

ClassSearch::ClassSearch(const ClassSearchMemory& memory, const Window& window,
                         std::uint32_t min_samples_leaf)
    : memory_(memory),
      window_(window),
      min_samples_leaf_(min_samples_leaf),
      lanes_(memory.lanes, window.capacity(), memory.n_kept),
      two_valued_(memory.bytes, memory.counts_two) {
    sort_features();
}

void ClassSearch::fill_inverse(std::span<float> inverse) {
    for (std::size_t i = 1; i < inverse.size(); ++i) {
        inverse[i] = 1.0F / static_cast<float>(i);
    }
}

void ClassSearch::fill() {
    if (n_lanes_ > 0) {
        lanes_.fill(window_, memory_.features.first(n_lanes_), memory_.spare);
    } else {
        lanes_.fill_with_members(window_);
    }
}

// First all removals: the values of the examples that are gone are not known any more.
void ClassSearch::update(LaneRange node, const Subtree& subtree, const Changes& changes,
                         std::uint32_t n_before) const {
    node.size = n_before;
    changes.for_each(subtree.gone, [&](std::uint32_t slot) {
        lanes_.remove(node, slot);
        --node.size;
    });
    changes.for_each(subtree.come, [&](std::uint32_t slot) {
        lanes_.insert(node, window_, memory_.features, slot);
        ++node.size;
    });
}

void ClassSearch::sort_features() {
    for (std::uint32_t feature = 0; feature < window_.n_features(); ++feature) {
        FeatureKind& kind = memory_.kinds[feature];
        const std::uint32_t n_distinct = window_.n_distinct(feature);
        if (window_.has_missing(feature)) {
            kind = n_distinct == 0 ? FeatureKind::constant : FeatureKind::plain;
        } else if (n_distinct <= 2) {
            kind = n_distinct == 2 ? FeatureKind::two_valued : FeatureKind::constant;
        } else if (window_.is_nominal(feature)) {
            kind = FeatureKind::plain;
        } else {
            kind = n_distinct == window_.size() ? FeatureKind::distinct : FeatureKind::repeated;
        }
        n_two_valued_ += kind == FeatureKind::two_valued ? 1 : 0;
        n_repeated_ += kind == FeatureKind::repeated ? 1 : 0;
        n_plain_ += kind == FeatureKind::plain ? 1 : 0;
        if (kind > FeatureKind::two_valued) {
            std::uint16_t& kept = memory_.features[n_lanes_++];
            has_same_lanes_ = has_same_lanes_ && kept == feature;
            kept = static_cast<std::uint16_t>(feature);
        }
    }
    has_same_lanes_ = has_same_lanes_ && memory_.n_lanes[0] == n_lanes_;
    memory_.n_lanes[0] = static_cast<std::uint16_t>(n_lanes_);
    lanes_.set_n_lanes(n_lanes_);
}

bool ClassSearch::count_classes(const LaneRange& node) {
    const LaneColumn column = members(node);
    const std::uint32_t n = node.size;
    std::uint32_t* totals = memory_.totals.data();
    if (node.depth > 0 && !node.descending) {
        // A left side follows its parent, which has just been divided.
        std::ranges::copy(memory_.lefts, totals);
    } else if (memory_.totals.size() == 2) {
        std::uint32_t n_second = 0;
        for (std::uint32_t place = 0; place < n; ++place) {
            n_second += lanes_.label(column[place]);
        }
        totals[0] = n - n_second;
        totals[1] = n_second;
    } else {
        std::ranges::fill(memory_.totals, 0U);
        for (std::uint32_t place = 0; place < n; ++place) {
            ++totals[lanes_.label(column[place])];
        }
    }
    n_classes_ = 0;
    for (std::size_t c = 0; c < memory_.totals.size(); ++c) {
        if (totals[c] > 0) {
            memory_.classes[n_classes_++] = static_cast<std::uint16_t>(c);
        }
    }
    return n_classes_ == 1;
}

// Where a value differs from the next one of its lane; null if that is so everywhere.
const std::uint16_t* ClassSearch::mark_differences(const LaneRange& node,
                                                   std::uint32_t block) const {
    if (n_repeated_ == 0) {
        return nullptr;
    }
    BlockValues values{lanes_.block(node, block), lanes_.slot_bits(), {}};
    const std::uint32_t begin = block * lane_width;
    const std::uint32_t end = std::min(begin + lane_width, n_lanes_);
    bool some = false;
    for (std::uint32_t lane = begin; lane < end; ++lane) {
        const std::uint32_t feature = memory_.features[lane];
        if (memory_.kinds[feature] == FeatureKind::repeated) {
            values.columns[lane - begin] = window_.column(feature).data();
            some = true;
        }
    }
    if (!some) {
        return nullptr;
    }
    std::uint16_t* differs = lanes_.free_block(node, block);
    shrubs::mark_differences(values, node.size, differs);
    return differs;
}

// Fills the scores of all lanes; returns the largest.
float ClassSearch::scan(const LaneRange& node, const ScannedNode& scanned) {
    float largest = 0.0F;
    const std::size_t n_groups = ClassSearch::n_groups(window_.capacity());
    for (std::uint32_t first = 0; first < n_lanes_; first += lane_width) {
        const std::uint32_t block = first / lane_width;
        const std::uint32_t n_used = std::min(lane_width, n_lanes_ - first);
        scan_cuts(
            scanned,
            {lanes_.block(node, block), mark_differences(node, block), lanes_.slot_bits(), n_used},
            memory_.counts, memory_.group_scores.data() + first * n_groups)
            .store(memory_.lane_scores.data() + first);
        for (std::uint32_t lane = first; lane < first + n_used; ++lane) {
            if (n_plain_ == 0 || memory_.kinds[memory_.features[lane]] != FeatureKind::plain) {
                largest = std::max(largest, memory_.lane_scores[lane]);
            }
        }
    }
    return largest;
}

// Fills the scores of all features of two values; returns the largest.
float ClassSearch::scan_two_valued(const LaneRange& node, const ScannedNode& scanned) {
    if (n_two_valued_ == 0) {
        return 0.0F;
    }
    const LaneColumn column = members(node);
    for (std::uint32_t place = 0; place < node.size; ++place) {
        memory_.spare[place] = static_cast<std::uint16_t>(lanes_.slot(column[place]));
    }
    two_valued_.count(window_, memory_.spare.first(node.size), scanned.classes);
    EightFloats largest_of_eight = EightFloats::all(0.0F);
    for (std::uint32_t first = 0; first < window_.n_features(); first += lane_width) {
        const EightFloats scores = two_valued_.scores(scanned, first);
        scores.store(memory_.scores.data() + first);
        largest_of_eight = larger(scores, largest_of_eight);
    }
    // Where no example has the upper value, as beyond the last feature, the score is 0.
    if (n_two_valued_ == window_.n_features() && min_samples_leaf_ == 1) {
        float largest[lane_width];
        largest_of_eight.store(largest);
        return *std::ranges::max_element(largest);
    }
    float largest = 0.0F;
    for (std::uint32_t feature = 0; feature < window_.n_features(); ++feature) {
        float& score = memory_.scores[feature];
        score = is_allowed(scanned, feature) ? score : 0.0F;
        largest = std::max(largest, score);
    }
    return largest;
}

bool ClassSearch::is_allowed(const ScannedNode& scanned, std::uint32_t feature) const {
    if (memory_.kinds[feature] != FeatureKind::two_valued) {
        return false;
    }
    const std::uint32_t n_right = two_valued_.above(scanned.classes, feature);
    return n_right >= min_samples_leaf_ && scanned.size - n_right >= min_samples_leaf_;
}

bool ClassSearch::is_settled(const LaneRange& node) const {
    return n_plain_ == 0 && node.size <= certain_size;
}

std::optional<FoundSplit> ClassSearch::find(const LaneRange& node) {
    const ScannedNode scanned{memory_.classes.first(n_classes_), memory_.totals, node.size,
                              min_samples_leaf_, memory_.inverse.data()};
    const float largest = std::max(scan(node, scanned), scan_two_valued(node, scanned));
    const float enough =
        largest > 0.0F ? largest * (1.0F - doubt) : std::numeric_limits<float>::infinity();
    BestSplit best;
    if (largest > 0.0F) {
        best.score = exact_score(scanned, enough);
    }
    FoundSplit found;
    std::uint32_t lane = 0;
    for (std::uint32_t feature = 0; feature < window_.n_features(); ++feature) {
        const FeatureKind kind = memory_.kinds[feature];
        if (kind == FeatureKind::two_valued && memory_.scores[feature] >= enough) {
            look_at_two_valued(scanned, feature, best);
        } else if (kind == FeatureKind::plain) {
            look_plainly(node, lane, best);
        } else if (kind > FeatureKind::two_valued && memory_.lane_scores[lane] >= enough) {
            look_at_lane(node, scanned, lane, enough, best, found);
        }
        lane += kind > FeatureKind::two_valued ? 1 : 0;
        if (best.found && is_settled(node)) {
            break;
        }
    }
    if (!best.found) {
        return std::nullopt;
    }
    if (found.n_left > 0 && found.split.feature != best.split.feature) {
        found.n_left = 0;
    }
    found.split = best.split;
    return found;
}

// The cuts of a lane that reach `enough`, exactly and in ascending order. Groups of cuts are in the
// order in which the lane is stored.
void ClassSearch::look_at_lane(const LaneRange& node, const ScannedNode& scanned,
                               std::uint32_t lane, float enough, BestSplit& best,
                               FoundSplit& found) const {
    const std::uint32_t feature = memory_.features[lane];
    const float* values = window_.column(feature).data();
    const LaneColumn column = lanes_.column(node, lane);
    const float* groups = memory_.group_scores.data() +
                          lane / lane_width * lane_width * n_groups(window_.capacity()) +
                          lane % lane_width;
    std::uint32_t* lefts = memory_.lefts.data();
    const std::uint32_t* totals = scanned.totals.data();
    for (const std::uint16_t c : scanned.classes) {
        lefts[c] = 0;
    }
    const std::uint32_t n = scanned.size;
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
        count_left(column, place, begin, scanned.classes);
        std::uint64_t squares_left = 0;
        std::uint64_t squares_right = 0;
        for (const std::uint16_t c : scanned.classes) {
            const std::uint64_t left = lefts[c];
            const std::uint64_t right = totals[c] - left;
            squares_left += left * left;
            squares_right += right * right;
        }
        for (place = begin; place < end; ++place) {
            const std::uint16_t entry = column[place];
            const std::uint32_t label = lanes_.label(entry);
            const std::uint32_t left = lefts[label]++;
            squares_left += 2 * left + 1;
            squares_right -= 2 * (totals[label] - left) - 1;
            const std::uint32_t n_left = place + 1;
            const double score = gini_score(squares_left, n_left, squares_right, n - n_left);
            if (score > best.score) {
                const float value = values[lanes_.slot(entry)];
                const float next = values[lanes_.slot(column[n_left])];
                if (value < next) {
                    best = {score,
                            {threshold_between(value, next), feature, false, n_left >= n - n_left},
                            true};
                    found = {best.split, lane, n_left, lefts[scanned.classes[1]]};
                }
            }
        }
    }
}

// Moves the entries from `begin` to `end` to the left side. Of two classes, one is counted.
void ClassSearch::count_left(const LaneColumn& column, std::uint32_t begin, std::uint32_t end,
                             std::span<const std::uint16_t> classes) const {
    std::uint32_t* lefts = memory_.lefts.data();
    if (classes.size() == 2) {
        std::uint32_t n_second = 0;
        for (std::uint32_t place = begin; place < end; ++place) {
            n_second += lanes_.label(column[place]) == classes[1] ? 1 : 0;
        }
        lefts[classes[0]] += end - begin - n_second;
        lefts[classes[1]] += n_second;
        return;
    }
    for (std::uint32_t place = begin; place < end; ++place) {
        ++lefts[lanes_.label(column[place])];
    }
}

void ClassSearch::look_at_two_valued(const ScannedNode& scanned, std::uint32_t feature,
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
        const auto order = window_.sorted(feature);
        const auto values = window_.column(feature);
        const float low = values[order.front()];
        const float high = values[order.back()];
        const bool nominal = window_.is_nominal(feature);
        best = {score,
                {nominal ? low : threshold_between(low, high), feature, nominal, n_left >= n_right},
                true};
    }
}

void ClassSearch::look_plainly(const LaneRange& node, std::uint32_t lane, BestSplit& best) const {
    const LaneColumn column = lanes_.column(node, lane);
    const auto order = memory_.spare.first(node.size);
    for (std::uint32_t place = 0; place < node.size; ++place) {
        order[place] = static_cast<std::uint16_t>(lanes_.slot(column[place]));
    }
    Gini gini(window_.labels(), memory_.totals, memory_.lefts);
    gini.begin_node(order);
    Random unused(0, 0);
    try_feature(window_, {order, order.data(), 0},
                {Splitter::best, min_samples_leaf_, window_.n_features()}, memory_.features[lane],
                gini, unused, best);
}

Division ClassSearch::divide(const LaneRange& node, const FoundSplit& found) {
    std::uint32_t* lefts = memory_.lefts.data();
    std::ranges::fill(memory_.lefts, 0U);
    const std::uint32_t feature = found.split.feature;
    const auto classes = memory_.classes.first(n_classes_);
    std::uint32_t n_left = 0;
    if (found.n_left > 0) {
        n_left = found.n_left;
        if (n_classes_ == 2) {
            lefts[classes[0]] = n_left - found.n_second;
            lefts[classes[1]] = found.n_second;
        } else {
            count_left(lanes_.column(node, found.lane), 0, n_left, classes);
        }
    } else if (memory_.kinds[feature] == FeatureKind::two_valued) {
        for (const std::uint16_t c : classes) {
            lefts[c] = memory_.totals[c] - two_valued_.above(c, feature);
            n_left += lefts[c];
        }
    } else {
        const LaneColumn column = members(node);
        const float* values = window_.column(feature).data();
        for (std::uint32_t place = 0; place < node.size; ++place) {
            const std::uint16_t entry = column[place];
            const std::uint32_t goes_left =
                found.split.goes_left(values[lanes_.slot(entry)]) ? 1 : 0;
            lefts[lanes_.label(entry)] += goes_left;
            n_left += goes_left;
        }
    }
    Division division{n_left, false, false};
    for (const std::uint16_t c : classes) {
        division.left_is_pure = division.left_is_pure || lefts[c] == n_left;
        division.right_is_pure =
            division.right_is_pure || memory_.totals[c] - lefts[c] == node.size - n_left;
    }
    return division;
}

// Tells every example of a node where to go.
void ClassSearch::mark(const LaneRange& node, const FoundSplit& found) const {
    std::uint8_t* moves = memory_.moves.data();
    if (found.n_left > 0) {
        const LaneColumn column = lanes_.column(node, found.lane);
        for (std::uint32_t place = 0; place < found.n_left; ++place) {
            moves[column[place]] = lane_width;
        }
        for (std::uint32_t place = found.n_left; place < node.size; ++place) {
            moves[column[place]] = 0;
        }
    } else {
        const LaneColumn column = members(node);
        const float* values = window_.column(found.split.feature).data();
        for (std::uint32_t place = 0; place < node.size; ++place) {
            const std::uint16_t entry = column[place];
            const bool goes_left = found.split.goes_left(values[lanes_.slot(entry)]);
            moves[entry] = goes_left ? lane_width : 0;
        }
    }
}

void ClassSearch::partition(const LaneRange& node, const FoundSplit& found,
                            const Children& children) const {
    const auto [left, right, left_needs, right_needs] = children;
    if (left_needs == Needs::nothing && right_needs == Needs::nothing) {
        return;
    }
    if (n_lanes_ == 0) {
        // All features have two values: a row of bytes tells who goes where.
        lanes_.partition_members(node, window_.byte_row(0) + found.split.feature,
                                 window_.row_stride());
        return;
    }
    Lanes::Sides ordered{left_needs == Needs::orders, right_needs == Needs::orders};
    const Lanes::Sides members{left_needs == Needs::members, right_needs == Needs::members};
    if (found.n_left == 0) {
        mark(node, found);
        if (ordered.left || ordered.right) {
            ordered = {ordered.left || members.left, ordered.right || members.right};
            lanes_.partition_all(node, memory_.moves, ordered);
        } else {
            lanes_.partition_first(node, memory_.moves, members);
        }
        return;
    }
    if (ordered.left || ordered.right) {
        mark(node, found);
        lanes_.partition_all(node, memory_.moves, ordered);
    }
    const LaneColumn in_order = lanes_.column(node, found.lane);
    if (members.left) {
        lanes_.write_first(left, in_order);
    }
    if (members.right) {
        lanes_.write_first(right, in_order.from(left.size));
    }
}

}  // namespace shrubs
