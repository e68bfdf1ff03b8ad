#include "shrubs/growth/bit_growth.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "shrubs/growth/split.hpp"
#include "shrubs/tree/impurity.hpp"

namespace shrubs {

namespace {

constexpr std::uint32_t min_features = 16;
// Classes whose counts fit on the stack.
constexpr std::uint32_t max_classes = 64;
// Cuts that are counted at a time, one byte each, and how many examples a byte can count.
constexpr std::uint32_t group = 8;
constexpr std::size_t chunk = 255;

// A cut that has been drawn. Left are the examples whose bit is `left`.
struct Cut {
    std::uint32_t feature = 0;
    float threshold = 0.0F;
    std::uint64_t left = 0;
};

// Counts of the upper values of a group of cuts, class by class.
using Counts = std::array<std::array<std::uint16_t, group>, max_classes>;

class Grower {
 public:
    Grower(const BitRows& rows, const Window& window, const GrowthPlan& plan, Random random,
           const BitScratch& scratch, NewShrub& shrub)
        : rows_(rows),
          window_(window),
          plan_(plan),
          random_(random),
          scratch_(scratch),
          shrub_(shrub) {
        for (std::uint32_t age = 0; age < window.size(); ++age) {
            scratch.members[age] = static_cast<std::uint16_t>(window.slot(age));
        }
        std::iota(scratch.permutation.begin(), scratch.permutation.end(), std::uint16_t{0});
        shrub.n_inner = 0;
    }

    void grow() {
        const PendingNode root{0, 0, static_cast<std::uint16_t>(window_.size()), 0};
        grow_depth_first(shrub_, root, scratch_.pending,
                         [this](PendingNode& node) { return grow_node(node); });
    }

 private:
    std::optional<PendingNode> grow_node(PendingNode& node) {
        const auto members = scratch_.members.subspan(node.begin, node.size());
        const bool is_pure = count_classes(members);
        best_ = {};
        if (!is_pure && node.depth < plan_.max_depth && members.size() > 1) {
            find_split(members);
        }
        if (!best_.found) {
            add_leaf(members);
            return std::nullopt;
        }
        const auto middle = static_cast<std::uint16_t>(node.begin + partition(members));
        const auto depth = static_cast<std::uint16_t>(node.depth + 1);
        const PendingNode right{shrub_.add_node(best_.split), middle, node.end, depth};
        node = {0, node.begin, middle, depth};
        return right;
    }

    // Returns whether there is but one class.
    bool count_classes(std::span<const std::uint16_t> members) {
        std::ranges::fill(scratch_.totals, 0U);
        const std::uint16_t* labels = window_.labels().data();
        for (const std::uint16_t slot : members) {
            ++scratch_.totals[labels[slot]];
        }
        n_present_ = 0;
        for (std::uint32_t c = 0; c < scratch_.totals.size(); ++c) {
            present_[n_present_] = static_cast<std::uint16_t>(c);
            n_present_ += scratch_.totals[c] > 0 ? 1 : 0;
        }
        return n_present_ == 1;
    }

    // As the function of this name: features that vary, in the order in which they are drawn.
    void find_split(std::span<const std::uint16_t> members) {
        for (std::size_t index = 0; index < rows_.n_words(); ++index) {
            std::uint64_t any = 0;
            std::uint64_t all = ~std::uint64_t{0};
            for (const std::uint16_t slot : members) {
                const std::uint64_t word = rows_.row(slot)[index];
                any |= word;
                all &= word;
            }
            rows_.varying()[index] = any & ~all;
        }
        draw_features(members);
        weigh(members);
    }

    void draw_features(std::span<const std::uint16_t> members) {
        const std::uint32_t n = window_.n_features();
        const auto tried = scratch_.permutation;
        std::uint32_t n_tried = 0;
        for (std::uint32_t i = 0; i < n && n_tried < plan_.split.max_features; ++i) {
            std::swap(tried[i], tried[i + random_.below(n - i)]);
            if ((rows_.varying()[tried[i] / 64] >> tried[i] % 64 & 1) != 0) {
                add_cut(tried[i], members);
                ++n_tried;
            }
        }
    }

    void add_cut(std::uint32_t feature, std::span<const std::uint16_t> members) {
        const float low = rows_.low(feature);
        const float high = rows_.high(feature);
        Cut cut{feature, low, 0};
        if (plan_.split.splitter == Splitter::best) {
            cut.threshold = window_.is_nominal(feature) ? low : threshold_between(low, high);
        } else if (window_.is_nominal(feature)) {
            const auto n = static_cast<std::uint32_t>(members.size());
            cut.left = rows_.bit(members[random_.below(n)], feature);
            cut.threshold = cut.left != 0 ? high : low;
        } else {
            cut.threshold = draw_threshold(low, high, random_);
        }
        if (n_cuts_ == group) {
            weigh(members);
        }
        cuts_[n_cuts_++] = cut;
    }

    // Scores the cuts of a group, exactly and in their order.
    void weigh(std::span<const std::uint16_t> members) {
        if (n_cuts_ == 0) {
            return;
        }
        count(members);
        const auto n = static_cast<std::uint32_t>(members.size());
        for (std::uint32_t i = 0; i < n_cuts_; ++i) {
            std::uint64_t n_upper = 0;
            std::uint64_t upper_squares = 0;
            std::uint64_t lower_squares = 0;
            for (const std::uint16_t c : std::span(present_).first(n_present_)) {
                const std::uint64_t upper = counts_[c][i];
                const std::uint64_t lower = scratch_.totals[c] - upper;
                n_upper += upper;
                upper_squares += upper * upper;
                lower_squares += lower * lower;
            }
            // The same whichever side is called left.
            const double score = gini_score(lower_squares, n - n_upper, upper_squares, n_upper);
            if (score > best_.score) {
                const Cut& cut = cuts_[i];
                const std::uint64_t n_left = cut.left != 0 ? n_upper : n - n_upper;
                best_ = {score,
                         {cut.threshold, cut.feature, window_.is_nominal(cut.feature),
                          n_left >= n - n_left},
                         true};
                left_ = cut.left;
            }
        }
        n_cuts_ = 0;
    }

    void count(std::span<const std::uint16_t> members) {
        const auto present = std::span(present_).first(n_present_);
        for (const std::uint16_t c : present) {
            counts_[c].fill(0);
        }
        for (std::size_t begin = 0; begin < members.size(); begin += chunk) {
            for (const std::uint16_t c : present) {
                bytes_[c] = 0;
            }
            add_bytes(members.subspan(begin, std::min(chunk, members.size() - begin)));
            for (const std::uint16_t c : present) {
                for (std::uint32_t i = 0; i < group; ++i) {
                    counts_[c][i] =
                        static_cast<std::uint16_t>(counts_[c][i] + (bytes_[c] >> 8 * i & 0xFF));
                }
            }
        }
    }

    void add_bytes(std::span<const std::uint16_t> members) {
        const std::uint16_t* labels = window_.labels().data();
        for (const std::uint16_t slot : members) {
            const std::uint64_t* row = rows_.row(slot);
            std::uint64_t bits = 0;
            for (std::uint32_t i = 0; i < n_cuts_; ++i) {
                bits |= (row[cuts_[i].feature / 64] >> cuts_[i].feature % 64 & 1) << 8 * i;
            }
            bytes_[labels[slot]] += bits;
        }
    }

    // Returns how many go left; both sides keep their order.
    std::uint32_t partition(std::span<std::uint16_t> members) const {
        std::uint32_t n_left = 0;
        std::uint32_t n_right = 0;
        for (const std::uint16_t slot : members) {
            const auto goes_right =
                static_cast<std::uint32_t>(rows_.bit(slot, best_.split.feature) ^ left_);
            members[n_left] = slot;
            scratch_.right[n_right] = slot;
            n_left += 1 - goes_right;
            n_right += goes_right;
        }
        std::copy_n(scratch_.right.begin(), n_right, members.begin() + n_left);
        return n_left;
    }

    void add_leaf(std::span<const std::uint16_t> members) {
        round_distribution(scratch_.totals, scratch_.distribution);
        plan_.leaves.set_distribution(shrub_.leaves, n_leaves_, scratch_.distribution);
        for (const std::uint16_t slot : members) {
            shrub_.leaf_ids.set(slot, n_leaves_);
        }
        ++n_leaves_;
    }

    const BitRows& rows_;
    const Window& window_;
    const GrowthPlan& plan_;
    Random random_;
    const BitScratch& scratch_;
    NewShrub& shrub_;
    std::uint32_t n_leaves_ = 0;
    std::array<std::uint16_t, max_classes + 1> present_;
    std::uint32_t n_present_ = 0;
    std::array<Cut, group> cuts_;
    std::uint32_t n_cuts_ = 0;
    Counts counts_;
    std::array<std::uint64_t, max_classes> bytes_;
    BestSplit best_;
    std::uint64_t left_ = 0;  ///< of the best cut
};

}  // namespace

BitRows BitRows::reserve(Arena& arena, const GrowthPlan& plan) {
    const std::uint32_t d = plan.dimensions.n_features;
    const std::uint64_t n_words = (std::uint64_t{d} + 63) / 64;
    BitRows rows;
    if (plan.task == Task::classification && plan.keeps_caches && plan.samples_features() &&
        d >= min_features && plan.dimensions.n_classes <= max_classes &&
        plan.split.min_samples_leaf == 1) {
        constexpr Purpose kind = Purpose::cache;
        rows.rows_ = arena.array<std::uint64_t>(kind, plan.window_size * n_words).data();
        rows.values_ = arena.array<float>(kind, 2 * std::uint64_t{d}).data();
        rows.facts_ = arena.array<std::uint64_t>(kind, 2 + n_words);
    }
    return rows;
}

void BitRows::begin() const {
    std::ranges::fill(facts_, std::uint64_t{0});
}

bool BitRows::update(const Window& window) const {
    const std::uint64_t n_new = window.n_added() + 1 - facts_[0];
    bool is_known = facts_[0] > 0 && n_new <= window.size();
    for (std::uint32_t i = 0; i < n_new && is_known; ++i) {
        is_known = encode(window, window.slot(window.size() - 1 - i));
    }
    is_known = is_known || rebuild(window);
    facts_[0] = is_known ? window.n_added() + 1 : 0;
    return is_known;
}

// A feature that had a third value the last time has one again most likely.
bool BitRows::rebuild(const Window& window) const {
    if (!find_values(window, static_cast<std::uint32_t>(facts_[1]))) {
        return false;
    }
    for (std::uint32_t feature = 0; feature < window.n_features(); ++feature) {
        if (!find_values(window, feature)) {
            facts_[1] = feature;
            return false;
        }
    }
    for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
        encode(window, slot);
    }
    return true;
}

bool BitRows::find_values(const Window& window, std::uint32_t feature) const {
    const auto values = window.values(feature);
    const float one = values[0];
    float other = one;
    for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
        const float value = values[slot];
        other = other == one ? value : other;
        if (value != one && value != other) {
            return false;
        }
    }
    values_[2 * std::size_t{feature}] = std::min(one, other);
    values_[2 * std::size_t{feature} + 1] = std::max(one, other);
    return true;
}

bool BitRows::encode(const Window& window, std::uint32_t slot) const {
    std::uint64_t* row = rows_ + slot * n_words();
    std::fill_n(row, n_words(), std::uint64_t{0});
    bool is_known = true;
    for (std::uint32_t feature = 0; feature < window.n_features(); ++feature) {
        const float value = window.values(feature)[slot];
        const bool is_high = value != low(feature);
        is_known = is_known && (!is_high || value == high(feature));
        row[feature / 64] |= std::uint64_t{is_high} << feature % 64;
    }
    return is_known;
}

void grow_on_bits(const BitRows& rows, const Window& window, const GrowthPlan& plan, Random random,
                  const BitScratch& scratch, NewShrub& shrub) {
    Grower(rows, window, plan, random, scratch, shrub).grow();
}

}  // namespace shrubs
