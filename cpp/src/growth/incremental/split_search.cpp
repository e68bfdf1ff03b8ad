#include "shrubs/growth/incremental/split_search.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace shrubs {

namespace {

// Of more classes the counts of features of two values would take too much room.
constexpr std::uint32_t max_classes = 64;

// Down to this depth nodes are counted with their siblings where features are drawn. (If all are
// tried, a side may be taken over from the last shrub, and has no members then.)
constexpr std::uint64_t max_kept_depths = 16;

std::uint64_t kept_depths(const GrowthPlan& plan) {
    return plan.samples_features()
               ? std::min<std::uint64_t>(plan.reachable_depth(), max_kept_depths)
               : 0;
}

}  // namespace

SplitSearchMemory SplitSearchMemory::reserve(Arena& arena, const GrowthPlan& plan) {
    const std::uint32_t window = plan.window_size;
    const std::uint64_t features = plan.dimensions.n_features;
    const std::uint64_t classes = plan.dimensions.n_classes;
    const std::uint64_t stride = Window::row_stride(plan.dimensions.n_features);
    const std::uint32_t kept = plan.kept_levels;
    constexpr Purpose scratch = Purpose::scratch;
    return {
        .lanes =
            arena.array<std::uint16_t>(Purpose::cache, Lanes::n_entries(window, features, kept)),
        .features = arena.array<std::uint16_t>(Purpose::cache, features),
        .n_lanes = arena.array<std::uint16_t>(Purpose::cache, 1).data(),
        .n_kept = kept,
        .inverse = arena.array<float>(Purpose::cache, window + std::uint64_t{1}),
        .bounds = arena.array<float>(Purpose::cache, SplitSearch::n_bounds(features, kept)),
        .counts = arena.array<std::uint16_t>(scratch, lane_width * classes),
        .lane_scores = arena.array<float>(scratch, stride).data(),
        .group_scores = arena.array<float>(scratch, stride * SplitSearch::n_groups(window)).data(),
        .scores = arena.array<float>(scratch, stride),
        .kinds = arena.array<FeatureKind>(scratch, features),
        .lane_of = arena.array<std::uint16_t>(scratch, features).data(),
        .tried = nullptr,
        .is_tried =
            plan.samples_features() ? arena.array<std::uint8_t>(scratch, features).data() : nullptr,
        .classes = arena.array<std::uint16_t>(scratch, std::min<std::uint64_t>(window, classes)),
        .moves = arena.array<std::uint8_t>(scratch,
                                           Lanes::n_different(window, plan.dimensions.n_classes)),
        .bytes = arena.array<std::uint8_t>(scratch, classes * stride),
        .counts_two = arena.array<std::uint16_t>(scratch, classes * stride),
        .kept_two = arena.array<std::uint16_t>(scratch, kept_depths(plan) * classes * stride),
        .totals = {},
        .lefts = {},
        .spare = {}};
}

bool SplitSearch::can_search(std::uint32_t window_size, std::uint32_t n_classes) {
    return window_size <= max_scanned_window && n_classes >= 2 &&
           (Lanes::can_hold(window_size, n_classes) || n_classes <= max_classes);
}

SplitSearch::SplitSearch(const SplitSearchMemory& memory, const Window& window,
                         const SplitOptions& options, Random random)
    : memory_(memory),
      window_(window),
      min_samples_leaf_(options.min_samples_leaf),
      max_features_(options.max_features),
      random_(random),
      n_tried_(window.n_features()),
      lanes_(memory.lanes, window.capacity(), memory.n_kept,
             Lanes::can_hold(window.capacity(), static_cast<std::uint32_t>(memory.totals.size()))),
      two_valued_(memory.bytes, memory.counts_two, window.row_stride()) {
    if (samples()) {
        std::iota(memory_.tried, memory_.tried + window.n_features(), std::uint16_t{0});
    }
    sort_features();
}

void SplitSearch::fill_inverse(std::span<float> inverse) {
    for (std::size_t i = 1; i < inverse.size(); ++i) {
        inverse[i] = 1.0F / static_cast<float>(i);
    }
}

void SplitSearch::fill() {
    if (n_lanes_ > 0) {
        lanes_.fill(window_, memory_.features.first(n_lanes_), memory_.spare);
    } else {
        lanes_.fill_with_members(window_);
    }
}

// First all removals: the values of the examples that are gone are not known any more.
void SplitSearch::update(LaneRange node, const Subtree& subtree, const Changes& changes,
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
    for (float& bound : bounds(node)) {
        bound += static_cast<float>(subtree.n_gone + subtree.n_come);
    }
}

bool SplitSearch::count_classes(const LaneRange& node, std::uint32_t n_second) {
    const LaneColumn column = members(node);
    std::uint32_t* totals = memory_.totals.data();
    if (node.depth > 0 && !node.descending) {
        // A left side follows its parent, which has just been divided.
        std::ranges::copy(memory_.lefts, totals);
    } else if (memory_.totals.size() == 2) {
        if (node.depth == 0) {
            n_second = 0;
            for (std::uint32_t place = 0; place < node.size; ++place) {
                n_second += label(column[place]);
            }
        }
        totals[0] = node.size - n_second;
        totals[1] = n_second;
    } else {
        std::ranges::fill(memory_.totals, 0U);
        for (std::uint32_t place = 0; place < node.size; ++place) {
            ++totals[label(column[place])];
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

// As `find_split` does. Every feature that varies has a cut, as one sample is enough for a leaf.
void SplitSearch::draw_features(const LaneRange& node, const ScannedNode& scanned) {
    std::fill_n(memory_.is_tried, window_.n_features(), std::uint8_t{0});
    const std::uint32_t n = window_.n_features();
    std::uint32_t n_varying = 0;
    for (n_tried_ = 0; n_tried_ < n && n_varying < max_features_; ++n_tried_) {
        std::swap(memory_.tried[n_tried_], memory_.tried[n_tried_ + random_.below(n - n_tried_)]);
        const std::uint32_t feature = memory_.tried[n_tried_];
        const bool varies = !is_constant(node, scanned, feature);
        memory_.is_tried[feature] = varies ? 1 : 0;
        n_varying += varies ? 1 : 0;
    }
}

bool SplitSearch::is_constant(const LaneRange& node, const ScannedNode& scanned,
                              std::uint32_t feature) const {
    const FeatureKind kind = memory_.kinds[feature];
    if (kind <= FeatureKind::two_valued) {
        const std::uint32_t n_upper =
            kind == FeatureKind::constant ? 0 : two_valued_.above(scanned.classes, feature);
        return n_upper == 0 || n_upper == node.size;
    }
    const float* values = window_.column(feature).data();
    if (is_counted(kind)) {
        const LaneColumn column = members(node);
        const float first = values[lanes_.slot(column[0])];
        std::uint32_t place = 1;
        while (place < node.size && values[lanes_.slot(column[place])] == first) {
            ++place;
        }
        return place == node.size;
    }
    const LaneColumn column = lanes_.column(node, memory_.lane_of[feature]);
    const float lowest = values[lanes_.slot(column[0])];
    const float highest = values[lanes_.slot(column[node.size - 1])];
    // Missing values are the largest.
    return lowest == highest || lowest != lowest;
}

Division SplitSearch::divide(const LaneRange& node, const FoundSplit& found) {
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
            count_left(lanes_.column(node, found.lane), 0, n_left);
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
            lefts[label(entry)] += goes_left;
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

// Tells every example of a node where to go. Stores of bytes may change anything in the eyes of a
// compiler, but not what is local.
void SplitSearch::mark(const LaneRange& node, const FoundSplit& found) const {
    std::uint8_t* moves = memory_.moves.data();
    const std::uint32_t n = node.size;
    if (const std::uint32_t n_left = found.n_left; n_left > 0) {
        const LaneColumn column = lanes_.column(node, found.lane);
        const std::uint16_t* entry = column.first;
        const std::ptrdiff_t step = column.step;
        for (std::uint32_t place = 0; place < n; ++place, entry += step) {
            moves[*entry] = place < n_left ? lane_width : 0;
        }
        return;
    }
    const Split split = found.split;
    const std::uint32_t mask = lanes_.slot_mask();
    const float* values = window_.column(split.feature).data();
    const auto mark_all = [&](auto goes_left) {
        const LaneColumn column = members(node);
        const std::uint16_t* entry = column.first;
        const std::ptrdiff_t step = column.step;
        for (std::uint32_t place = 0; place < n; ++place, entry += step) {
            moves[*entry] = static_cast<std::uint8_t>(
                static_cast<std::uint32_t>(goes_left(values[*entry & mask])) * lane_width);
        }
    };
    if (memory_.kinds[split.feature] == FeatureKind::plain) {
        mark_all([split](float value) { return split.goes_left(value); });
    } else if (split.nominal) {
        mark_all([t = split.threshold](float value) { return value == t; });
    } else {
        mark_all([t = split.threshold](float value) { return value <= t; });
    }
}

void SplitSearch::partition(const LaneRange& node, const FoundSplit& found,
                            const Children& children) const {
    const auto [left, right, left_needs, right_needs] = children;
    if (left_needs == Needs::nothing && right_needs == Needs::nothing) {
        return;
    }
    if (n_lanes_ == 0 && is_counted(memory_.kinds[found.split.feature])) {
        mark(node, found);
        lanes_.partition_first(node, memory_.moves, {});
        return;
    }
    if (n_lanes_ == 0) {
        // A row of bytes tells who goes where.
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
