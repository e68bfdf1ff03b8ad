// The choice of `SplitSearch` among the features of a node.

#include <algorithm>
#include <limits>

#include "shrubs/growth/incremental/split_search.hpp"

namespace shrubs {

namespace {

// What is asked of cuts, as a share of what the best one seems to gain, each time none reaches it.
constexpr float shares[] = {1.0F, 0.97F, 0.85F, 0.5F};

}  // namespace

bool SplitSearch::is_settled(const LaneRange& node) const {
    return n_plain_ + n_counted_ == 0 && node.size <= certain_size &&
           !(samples() && n_two_valued_ > 0);
}

std::optional<FoundSplit> SplitSearch::find(const LaneRange& node, bool is_updated) {
    const ScannedNode scanned{memory_.classes.first(n_classes_), memory_.totals, node.size,
                              min_samples_leaf_, memory_.inverse.data()};
    count_two_valued(node, scanned);
    if (samples()) {
        draw_features(node, scanned);
    }
    const PlacedSplit counted = search_counted(node, scanned);
    FoundSplit found;
    const BestSplit best = search(node, scanned, counted, is_updated, found);
    if (!best.found) {
        return std::nullopt;
    }
    if (found.n_left > 0 && found.split.feature != best.split.feature) {
        found.n_left = 0;
    }
    found.split = best.split;
    return found;
}

// What the scan says is a bound where values are equal, as it takes a cut between them for a cut.
// So the best cut is found once it reaches what was asked of the others to be looked at. If none
// does, less is asked, and in the end cuts between equal values are marked.
BestSplit SplitSearch::search(const LaneRange& node, const ScannedNode& scanned,
                              const PlacedSplit& counted, bool is_updated, FoundSplit& found) {
    is_careful_ = false;
    const float largest = scan_all(node, scanned, is_updated);
    const float enough = least_worth_a_search(node, largest);
    const float undivided = static_cast<float>(undivided_score(scanned));
    for (const float share : shares) {
        const float asked = share < 1.0F ? undivided + share * (enough - undivided) : enough;
        if (share < 1.0F) {
            rescan(node, scanned, asked);
        }
        found = {};
        const BestSplit best =
            first_of(counted, search_scanned(node, scanned, asked, share == 1.0F, found));
        if (largest <= 0.0F || best.score >= asked) {
            return best;
        }
    }
    is_careful_ = true;
    const float marked = scan_all(node, scanned, is_updated);
    found = {};
    return first_of(counted,
                    search_scanned(node, scanned, least_worth_a_search(node, marked), true, found));
}

float SplitSearch::scan_all(const LaneRange& node, const ScannedNode& scanned, bool is_updated) {
    const float largest = scan(node, scanned, is_updated);
    return samples() ? largest : std::max(largest, score_two_valued(scanned));
}

float SplitSearch::least_worth_a_search(const LaneRange& node, float largest) const {
    return largest > 0.0F ? largest * (1.0F - doubt_in(node.size, n_classes_))
                          : std::numeric_limits<float>::infinity();
}

// The features that need no scan.
SplitSearch::PlacedSplit SplitSearch::search_counted(const LaneRange& node,
                                                     const ScannedNode& scanned) {
    PlacedSplit best;
    if (n_counted_ + n_plain_ == 0) {
        return best;
    }
    for_each_tried([&](std::uint32_t feature, std::uint32_t place) {
        const double before = best.split.score;
        switch (memory_.kinds[feature]) {
            case FeatureKind::categories:
                search_categories(node, scanned, feature, best.split);
                break;
            case FeatureKind::levels: search_levels(node, scanned, feature, best.split); break;
            case FeatureKind::plain:
                search_plainly(node, memory_.lane_of[feature], best.split);
                break;
            default: break;
        }
        best.place = best.split.score > before ? place : best.place;
        return true;
    });
    return best;
}

// The others, if a scan says that they may reach a score. `first_is_best`: that score is the best,
// unless the scan was deceived.
SplitSearch::PlacedSplit SplitSearch::search_scanned(const LaneRange& node,
                                                     const ScannedNode& scanned, float enough,
                                                     bool first_is_best, FoundSplit& found) {
    PlacedSplit best;
    const bool is_first = first_is_best && is_settled(node);
    for_each_tried([&](std::uint32_t feature, std::uint32_t place) {
        const double before = best.split.score;
        const FeatureKind kind = memory_.kinds[feature];
        const std::uint32_t lane = memory_.lane_of[feature];
        // Of features that are drawn, all with two values are searched: they are few.
        if (kind == FeatureKind::two_valued && (samples() || memory_.scores[feature] >= enough)) {
            search_two_valued(scanned, feature, best.split);
        } else if (is_ordered(kind) && kind != FeatureKind::plain &&
                   memory_.lane_scores[lane] >= enough) {
            search_exactly(node, scanned, lane, enough, best.split, found);
        }
        best.place = best.split.score > before ? place : best.place;
        return !(best.split.found && is_first);
    });
    return best;
}

}  // namespace shrubs
