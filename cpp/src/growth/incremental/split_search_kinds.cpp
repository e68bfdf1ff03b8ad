// How the cuts of each feature are found in a window.

#include <algorithm>
#include <bit>

#include "shrubs/growth/incremental/split_search.hpp"

namespace shrubs {

namespace {

// With fewer values, cuts between equal ones seem to be the best so often that they are marked.
constexpr std::uint32_t min_repeated = 24;

}  // namespace

void SplitSearch::sort_features() {
    for (std::uint32_t feature = 0; feature < window_.n_features(); ++feature) {
        FeatureKind& kind = memory_.kinds[feature];
        const std::uint32_t n_distinct = window_.n_distinct(feature);
        if (window_.has_missing(feature)) {
            kind = n_distinct == 0 ? FeatureKind::constant : FeatureKind::plain;
        } else if (n_distinct <= 2) {
            kind = n_distinct == 2 ? FeatureKind::two_valued : FeatureKind::constant;
        } else if (has_few_categories(feature)) {
            kind = FeatureKind::categories;
        } else if (samples() && has_few_levels(feature)) {
            kind = FeatureKind::levels;
        } else if (window_.is_nominal(feature) || !lanes_.has_labels()) {
            kind = FeatureKind::plain;
        } else {
            kind = n_distinct == window_.size() ? FeatureKind::distinct
                   : n_distinct < min_repeated  ? FeatureKind::coarse
                                                : FeatureKind::repeated;
        }
        n_two_valued_ += kind == FeatureKind::two_valued ? 1 : 0;
        n_plain_ += kind == FeatureKind::plain ? 1 : 0;
        n_counted_ += is_counted(kind) ? 1 : 0;
        if (is_ordered(kind)) {
            memory_.lane_of[feature] = static_cast<std::uint16_t>(n_lanes_);
            std::uint16_t& kept = memory_.features[n_lanes_++];
            has_same_lanes_ = has_same_lanes_ && kept == feature;
            kept = static_cast<std::uint16_t>(feature);
        }
    }
    has_same_lanes_ = has_same_lanes_ && memory_.n_lanes[0] == n_lanes_;
    memory_.n_lanes[0] = static_cast<std::uint16_t>(n_lanes_);
    lanes_.set_n_lanes(n_lanes_);
}

// Whether all values are the numbers 0, 1, ... of categories that there is room to count.
bool SplitSearch::has_few_categories(std::uint32_t feature) const {
    const std::size_t n_classes = memory_.totals.size();
    return window_.is_nominal(feature) && window_.lowest(feature) >= 0.0F &&
           window_.highest(feature) < static_cast<float>(max_counted / n_classes) &&
           has_whole_numbers(feature);
}

// Whether all values are whole numbers, and those from the lowest to the highest are few.
bool SplitSearch::has_few_levels(std::uint32_t feature) const {
    const float lowest = window_.lowest(feature);
    const float n_levels = window_.highest(feature) - lowest + 1.0F;
    constexpr float max_level = 1U << 23U;  // up to there floats hold all whole numbers
    constexpr float min_per_level = 16.0F;  // examples; otherwise an order costs less
    const auto room = static_cast<float>(max_counted / memory_.totals.size());
    const float share = static_cast<float>(window_.size()) / min_per_level;
    return !window_.is_nominal(feature) && lowest >= 0.0F && lowest < max_level &&
           n_levels <= std::min({static_cast<float>(max_levels), room, share}) &&
           has_whole_numbers(feature);
}

// Requires values that are not negative, and not too large. A zero with a sign is not one.
bool SplitSearch::has_whole_numbers(std::uint32_t feature) const {
    std::uint32_t differences = 0;
    for (const float value : window_.column(feature).first(window_.size())) {
        const auto number = static_cast<float>(static_cast<std::int32_t>(value));
        differences |= std::bit_cast<std::uint32_t>(number) ^ std::bit_cast<std::uint32_t>(value);
    }
    return differences == 0;
}

}  // namespace shrubs
