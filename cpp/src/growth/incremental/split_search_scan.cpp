// The fast scan of `SplitSearch` at all cuts of a node.

#include <algorithm>
#include <limits>
#include <utility>

#include "shrubs/growth/incremental/split_search.hpp"

namespace shrubs {

namespace {

// More than scores and bounds in single precision are off, as a share of themselves.
constexpr double rounding = 1e-5;
// In place of the scores of a block that was not scanned.
constexpr float left_out = -1.0F;

}  // namespace

// Where a value differs from the next one of its lane: 1, otherwise 0, for all places but the last;
// null if all differ. There is no cut between equal values.
const std::uint16_t* SplitSearch::mark_differences(const LaneRange& node,
                                                   std::uint32_t block) const {
    const std::uint32_t begin = block * lane_width;
    const std::uint32_t end = std::min(begin + lane_width, n_lanes_);
    const auto is_repeated = [&](std::uint16_t feature) {
        const FeatureKind kind = memory_.kinds[feature];
        return (kind == FeatureKind::coarse || (kind == FeatureKind::repeated && is_careful_)) &&
               is_tried(feature);
    };
    if (std::ranges::none_of(memory_.features.subspan(begin, end - begin), is_repeated)) {
        return nullptr;
    }
    std::uint16_t* differs = lanes_.free_block(node, block);
    std::fill_n(differs, (node.size - std::size_t{1}) * lane_width, std::uint16_t{1});
    for (std::uint32_t lane = begin; lane < end; ++lane) {
        if (!is_repeated(memory_.features[lane])) {
            continue;
        }
        const float* values = window_.column(memory_.features[lane]).data();
        const std::uint16_t* entry = lanes_.block(node, block) + (lane - begin);
        std::uint16_t* mark = differs + (lane - begin);
        float value = values[lanes_.slot(*entry)];
        for (std::uint32_t place = 1; place < node.size; ++place, mark += lane_width) {
            entry += lane_width;
            const float next = values[lanes_.slot(*entry)];
            *mark = value != next ? 1 : 0;
            value = next;
        }
    }
    return differs;
}

// Fills the scores of the lanes of a block; returns the largest.
float SplitSearch::scan_block(const LaneRange& node, const ScannedNode& scanned,
                              std::uint32_t block) {
    const std::uint32_t first = block * lane_width;
    const std::uint32_t n_used = std::min(lane_width, n_lanes_ - first);
    scan_cuts(
        scanned, {lanes_.block(node, block), mark_differences(node, block), lanes_.slot_bits()},
        memory_.counts,
        {memory_.lane_scores + first, memory_.group_scores + first * n_groups(window_.capacity())});
    float largest = 0.0F;
    for (std::uint32_t lane = first; lane < first + n_used; ++lane) {
        const std::uint32_t feature = memory_.features[lane];
        if (memory_.kinds[feature] != FeatureKind::plain && is_tried(feature)) {
            largest = std::max(largest, memory_.lane_scores[lane]);
        }
    }
    return largest;
}

// The bounds of a node, block by block; none if all blocks are to be scanned.
std::span<float> SplitSearch::bounds(const LaneRange& node) const {
    const std::uint32_t n_blocks = lanes_.n_blocks();
    if (n_blocks < 2 || !keeps(node.depth)) {
        return {};
    }
    return memory_.bounds.subspan(std::size_t{node.number} * n_blocks, n_blocks);
}

// Whether a block has a feature that is tried, and not by the plain search.
bool SplitSearch::is_worth_a_scan(std::uint32_t block) const {
    const std::uint32_t first = block * lane_width;
    const auto features = memory_.features.subspan(first, std::min(lane_width, n_lanes_ - first));
    return std::ranges::any_of(features, [&](std::uint16_t feature) {
        return memory_.kinds[feature] != FeatureKind::plain && is_tried(feature);
    });
}

// Fills the scores of the lanes that are tried; returns the largest.
float SplitSearch::scan(const LaneRange& node, const ScannedNode& scanned, bool is_updated) {
    const std::span<float> bounds = this->bounds(node);
    if (!bounds.empty()) {
        return scan_within(bounds, node, scanned, is_updated);
    }
    float largest = 0.0F;
    for (std::uint32_t block = 0; block < lanes_.n_blocks(); ++block) {
        if (is_worth_a_scan(block)) {
            largest = std::max(largest, scan_block(node, scanned, block));
        }
    }
    return largest;
}

// Of a node as a whole.
double SplitSearch::undivided_score(const ScannedNode& scanned) {
    double score = 0.0;
    for (const std::uint16_t c : scanned.classes) {
        score += static_cast<double>(scanned.totals[c]) * scanned.totals[c] / scanned.size;
    }
    return score;
}

// An example that enters or leaves one side of a cut changes its score by at most 1, and a new cut
// is an old one, or an undivided node, that a new example has entered. So nothing in a block can
// win whose largest score at its last scan was as far behind as there were changes since. The block
// that promises most is scanned first. (A cut that had too few examples on one side has no score,
// and plain features have none.)
float SplitSearch::scan_within(std::span<float> bounds, const LaneRange& node,
                               const ScannedNode& scanned, bool is_updated) {
    if (!is_updated || n_plain_ > 0 || min_samples_leaf_ > 1) {
        std::ranges::fill(bounds, std::numeric_limits<float>::infinity());
    }
    const double undivided = undivided_score(scanned);
    const std::size_t n_blocks = bounds.size();
    const auto begin = static_cast<std::size_t>(std::ranges::max_element(bounds) - bounds.begin());
    float largest = 0.0F;
    for (std::size_t i = begin; i < begin + n_blocks; ++i) {
        const auto block = static_cast<std::uint32_t>(i < n_blocks ? i : i - n_blocks);
        float& bound = bounds[block];
        if (bound < largest * (1.0 - rounding)) {
            std::fill_n(memory_.lane_scores + block * lane_width, lane_width, left_out);
            continue;
        }
        const float of_block = scan_block(node, scanned, block);
        largest = std::max(largest, of_block);
        bound = static_cast<float>(std::max<double>(of_block, undivided) * (1.0 + rounding));
    }
    return largest;
}

// Scans those blocks that were left out and might have such a score.
void SplitSearch::rescan(const LaneRange& node, const ScannedNode& scanned, float enough) {
    const std::span<float> bounds = this->bounds(node);
    for (std::uint32_t block = 0; block < bounds.size(); ++block) {
        if (memory_.lane_scores[block * lane_width] == left_out &&
            bounds[block] >= enough * (1.0 - rounding)) {
            scan_block(node, scanned, block);
        }
    }
}

void SplitSearch::count_two_valued(const LaneRange& node, const ScannedNode& scanned) {
    if (n_two_valued_ == 0 || std::exchange(is_left_counted_, false)) {
        return;
    }
    if (node.depth > 0 && keeps_two_valued(node.depth)) {
        two_valued_.copy_from(kept_two_valued(node.depth), scanned.classes);
        return;
    }
    count_two_valued(node, scanned.classes, two_valued_);
}

void SplitSearch::count_two_valued(const LaneRange& node, std::span<const std::uint16_t> classes,
                                   TwoValuedCounts& counts) {
    const LaneColumn column = members(node);
    for (std::uint32_t place = 0; place < node.size; ++place) {
        memory_.spare[place] = static_cast<std::uint16_t>(lanes_.slot(column[place]));
    }
    counts.count(window_, memory_.spare.first(node.size), classes);
}

// Whether nodes at this depth, but the root, are counted with their siblings.
bool SplitSearch::keeps_two_valued(std::uint32_t depth) const {
    return (std::size_t{depth} + 1) * memory_.counts_two.size() <= memory_.kept_two.size();
}

TwoValuedCounts SplitSearch::kept_two_valued(std::uint32_t depth) const {
    const std::size_t size = memory_.counts_two.size();
    return {memory_.bytes, memory_.kept_two.subspan(depth * size, size), window_.row_stride()};
}

// The counts of the node become those of the left side, and those of the right one wait.
void SplitSearch::count_sides(const Children& children) {
    const auto [left, right, left_needs, right_needs] = children;
    const bool searches_left = left_needs == Needs::orders;
    if (n_two_valued_ == 0 || !keeps_two_valued(left.depth) ||
        !(searches_left || right_needs == Needs::orders)) {
        return;
    }
    const auto classes = memory_.classes.first(n_classes_);
    TwoValuedCounts waits = kept_two_valued(left.depth);
    if (left.size <= right.size) {
        waits.copy_from(two_valued_, classes);
        count_two_valued(left, classes, two_valued_);
        waits.take_off(two_valued_, classes);
    } else {
        count_two_valued(right, classes, waits);
        two_valued_.take_off(waits, classes);
    }
    is_left_counted_ = searches_left;
}

// Fills the scores of all features of two values; returns the largest.
float SplitSearch::score_two_valued(const ScannedNode& scanned) {
    if (n_two_valued_ == 0) {
        return 0.0F;
    }
    two_valued_.score(scanned, memory_.scores);
    float largest = 0.0F;
    for (std::uint32_t feature = 0; feature < window_.n_features(); ++feature) {
        float& score = memory_.scores[feature];
        score = is_allowed(scanned, feature) ? score : 0.0F;
        largest = std::max(largest, score);
    }
    return largest;
}

// Whether a feature has two values and its cut has enough examples on both sides. If one is
// enough, the score tells.
bool SplitSearch::is_allowed(const ScannedNode& scanned, std::uint32_t feature) const {
    if (memory_.kinds[feature] != FeatureKind::two_valued || min_samples_leaf_ == 1) {
        return memory_.kinds[feature] == FeatureKind::two_valued;
    }
    const std::uint32_t n_right = two_valued_.above(scanned.classes, feature);
    return n_right >= min_samples_leaf_ && scanned.size - n_right >= min_samples_leaf_;
}

}  // namespace shrubs
