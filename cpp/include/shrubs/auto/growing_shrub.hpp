#pragma once

// A shrub that is grown bit by bit, on the last examples of a window, node by node, left before
// right, so that no example has to wait for all of it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "shrubs/auto/config.hpp"
#include "shrubs/auto/few_examples.hpp"
#include "shrubs/auto/jury.hpp"
#include "shrubs/auto/sampled_split.hpp"
#include "shrubs/growth/depth_first.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/window/recalled.hpp"

namespace shrubs {

/// More than any shrub visits.
inline constexpr std::uint64_t all_values = std::numeric_limits<std::uint64_t>::max() / 4;

/// What is grown, and how far it is. All of it follows from the first few numbers and from the
/// examples, which stay in their slots until it is done.
struct GrowingShrub {
    static constexpr std::uint16_t none = 0xFFFF;
    enum class Stage : std::uint8_t { gathering, comparing, grown };

    std::uint16_t group = none;
    std::uint16_t place = 0;
    std::uint32_t length = 0;     ///< how many examples
    std::uint32_t lag = 0;        ///< outcomes before an example that were not known yet
    std::uint64_t began = 0;      ///< after so many examples
    std::uint64_t n_visited = 0;  ///< values so far
    double down = 1.0;            ///< the scale of targets
    double mean = 0.0;            ///< of targets so scaled
    std::uint8_t relative = 0;    ///< 1: it is told how targets differ from something else
    bool has_two_values = true;   ///< its features, as far as is known

    Random random{0, 0};
    std::uint32_t first_slot = 0;
    std::uint32_t prime = 2;         ///< `prime_from` the number of features
    std::uint32_t max_features = 1;  ///< tried per node; 0: the favourites alone
    std::uint32_t at = 0;            ///< how far the examples at hand are gathered or compared
    std::uint16_t n_inner = 0;
    std::uint16_t n_leaves = 0;
    std::uint16_t n_pending = 0;
    Stage stage = Stage::gathering;
    bool all_nominal = false;  ///< the features
    PendingNode node{};

    bool is_free() const { return group == none; }
    /// Those that it knows so far, the oldest first.
    std::uint32_t n_gathered() const {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(n_visited, length));
    }
};

/// Where it grows.
struct GrowthMemory {
    std::span<std::uint16_t> order;             ///< at least (length,) the slots of its examples
    std::span<PendingNode> pending;             ///< as many as can wait
    std::span<std::uint16_t> rest;              ///< at least (length,) scratch
    std::span<const std::uint16_t> favourites;  ///< features that are tried in every node
    std::span<float> merits;                    ///< of all features, where they are many
};

/// What limits it.
struct GrowthLimits {
    std::uint32_t max_leaves = 1;
    std::uint32_t min_samples_split = 2;  ///< nodes with fewer examples are leaves
    bool recalls = false;                 ///< the outcomes before an example are features too
};

/// Grows one shrub. `Outcomes` knows what the examples of the window came to:
/// `of_classes`, `same(slot, slot)`, `judge(sample)`, `explained(divided_jury)`, and
/// `write_leaf(leaf, members)`.
template <class Outcomes>
class Growth {
 public:
    Growth(const Window& window, const Outcomes& outcomes, const GrowthLimits& limits,
           const GrowthMemory& memory, GrowingShrub& shrub, NewShrub nodes)
        : window_(window),
          outcomes_(outcomes),
          limits_(limits),
          memory_(memory),
          shrub_(shrub),
          nodes_(nodes) {
        nodes_.n_inner = shrub.n_inner;
    }

    /// Visits about so many values; whether it is done. However the visits are spread over calls,
    /// the shrub is the same.
    bool advance(std::uint64_t n_values) {
        const std::uint64_t enough = shrub_.n_visited + n_values;
        while (shrub_.n_visited < enough && shrub_.stage != Stage::grown) {
            const std::uint64_t left = enough - shrub_.n_visited;
            const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, 0xFFFF));
            shrub_.stage == Stage::gathering ? gather(most) : compare(most);
        }
        if (has_few() && shrub_.stage != Stage::grown) {
            put_back_few();
        }
        shrub_.n_inner = static_cast<std::uint16_t>(nodes_.n_inner);
        return shrub_.stage == Stage::grown;
    }

    /// The same to the end: nodes that are left after so many values are leaves.
    void finish(std::uint64_t n_values) {
        max_visited_ = shrub_.n_visited + n_values;
        advance(all_values);
    }

 private:
    using Stage = GrowingShrub::Stage;

    std::span<std::uint16_t> members() const {
        return memory_.order.subspan(shrub_.node.begin, shrub_.node.size());
    }

    // The oldest first.
    void gather(std::uint32_t most) {
        const std::uint32_t end = std::min(shrub_.at + most, shrub_.length);
        shrub_.n_visited += end - shrub_.at;
        for (; shrub_.at < end; ++shrub_.at) {
            const std::uint32_t slot = shrub_.first_slot + shrub_.at;
            memory_.order[shrub_.at] = static_cast<std::uint16_t>(
                slot < window_.capacity() ? slot : slot - window_.capacity());
        }
        if (shrub_.at == shrub_.length) {
            begin_node({0, 0, static_cast<std::uint16_t>(shrub_.length), 0});
        }
    }

    void begin_node(const PendingNode& node) {
        shrub_.node = node;
        shrub_.at = 1;
        shrub_.stage = Stage::comparing;
        if (node.size() < limits_.min_samples_split || node.depth >= largest_auto_depth ||
            nodes_.n_inner + 1 >= limits_.max_leaves || shrub_.n_visited >= max_visited_) {
            make_leaf();
        }
    }

    // Examples with the same outcome need no split.
    void compare(std::uint32_t most) {
        take_few();
        const std::uint32_t n = shrub_.node.size();
        const std::uint32_t begin = shrub_.at;
        const std::uint32_t end = std::min(begin + most, n);
        if (has_few()) {
            shrub_.at = std::min(few_.n_alike(few_node_), end);
        } else {
            const std::span<const std::uint16_t> all = members();
            while (shrub_.at < end && outcomes_.same(all[0], all[shrub_.at])) {
                ++shrub_.at;
            }
        }
        shrub_.n_visited += shrub_.at - begin;
        if (shrub_.at < end) {
            has_few() ? split_few() : find_split();
        } else if (end == n) {
            make_leaf();
        }
    }

    // The classes of few examples are soon told apart.
    std::uint32_t n_tried(std::uint32_t n_sampled) const {
        const std::uint32_t enough =
            Outcomes::of_classes ? 2 + n_sampled / 2U : shrub_.max_features;
        return std::min(shrub_.max_features, enough);
    }

    void find_split() {
        const std::span<const std::uint16_t> all = members();
        const NodeSample sample(all);
        const std::uint32_t n_tried = this->n_tried(sample.size());
        const std::uint32_t n_again =
            are_many(window_.n_features()) ? Jury::n_samples(all.size()) : 0;
        const SampledOptions options{.prime = shrub_.prime,
                                     .max_features = n_tried,
                                     .all_nominal = shrub_.all_nominal,
                                     .recalls = limits_.recalls,
                                     .favourites = memory_.favourites,
                                     .n_finalists = n_again > 0 ? max_finalists : 1,
                                     .down = shrub_.down,
                                     .lag = shrub_.lag};
        shrub_.n_visited +=
            std::uint64_t{2} * sample.size() *
                (n_tried + (limits_.recalls ? recalled_features : 0U) + memory_.favourites.size()) +
            most_sampled * max_finalists * n_again + 1;
        const Finalists found =
            find_sampled_splits(window_, sample, options, outcomes_.judge(sample), shrub_.random);
        if (found.is_empty()) {
            make_leaf();
        } else {
            divide(n_again > 0 ? judge_again(found, n_again) : found[0]);
        }
    }

    // The one that explains most, the earliest of equals. All of them earn their features some
    // merit, or cost it.
    Split judge_again(const Finalists& found, std::uint32_t n_samples) {
        const Jury jury(members());
        std::uint32_t best = 0;
        double most = -1.0;
        for (std::uint32_t i = 0; i < found.size(); ++i) {
            const double explained = outcomes_.explained(divided(jury, found[i]));
            if (found[i].feature < memory_.merits.size()) {
                earn(memory_.merits[found[i].feature], explained, n_samples);
            }
            best = explained > most ? i : best;
            most = std::max(most, explained);
        }
        return found[best];
    }

    DividedJury divided(const Jury& jury, const Split& split) const {
        if (split.feature < window_.n_features()) {
            return {jury, window_.values(split.feature), split};
        }
        const std::uint32_t recalled = split.feature - window_.n_features();
        return {jury, RecalledValues(window_, recalled, shrub_.down, shrub_.lag), split};
    }

    // The examples that go left come first, those of each side in their order.
    void divide(const Split& split) {
        const std::uint32_t recalled = split.feature - window_.n_features();
        const std::uint32_t n_left =
            split.feature < window_.n_features()
                ? divide_by(window_.values(split.feature), split)
                : divide_by(RecalledValues(window_, recalled, shrub_.down, shrub_.lag), split);
        add_node(split, n_left);
    }

    // So many examples go left.
    void add_node(const Split& split, std::uint32_t n_left) {
        const PendingNode node = shrub_.node;
        const auto middle = static_cast<std::uint16_t>(node.begin + n_left);
        const auto depth = static_cast<std::uint16_t>(node.depth + 1);
        shrub_.n_visited += node.size();
        memory_.pending[shrub_.n_pending++] = {nodes_.add_node(split), middle, node.end, depth};
        begin_node({0, node.begin, middle, depth});
    }

    template <class Values>
    std::uint32_t divide_by(const Values& values, const Split& split) {
        const float threshold = split.threshold;
        const bool missing_left = split.missing_left;
        return split.nominal ? move_left([&](std::uint16_t slot) {
            const float value = values[slot];
            return (value == threshold) | (missing_left & (value != value));
        })
                             : move_left([&](std::uint16_t slot) {
                                   const float value = values[slot];
                                   return (value <= threshold) | (missing_left & (value != value));
                               });
    }

    // Without a branch that could be guessed wrong.
    template <class GoesLeft>
    std::uint32_t move_left(GoesLeft goes_left) {
        const std::span<std::uint16_t> all = members();
        std::uint32_t n_left = 0;
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const std::uint16_t slot = all[i];
            all[n_left] = slot;
            memory_.rest[i - n_left] = slot;
            n_left += goes_left(slot) ? 1 : 0;
        }
        std::ranges::copy(memory_.rest.first(all.size() - n_left), all.begin() + n_left);
        return n_left;
    }

    void make_leaf() {
        shrub_.n_visited += shrub_.node.size();
        outcomes_.write_leaf(shrub_.n_leaves++,
                             has_few() ? few_.copy_slots(few_node_, memory_.rest) : members());
        if (shrub_.n_pending == 0) {
            shrub_.stage = Stage::grown;
            return;
        }
        const PendingNode next = memory_.pending[--shrub_.n_pending];
        nodes_.begin_right(next.parent);
        has_few_ = has_few_ && shrub_.n_pending >= first_few_;
        if (has_few()) {
            few_node_ = few_pending_[shrub_.n_pending - first_few_];
        }
        begin_node(next);
    }

    static constexpr bool may_take_few = Outcomes::of_classes && !is_small_code;
    bool has_few() const { return may_take_few && has_few_; }

    // From here on, nodes are words if they can be.
    void take_few() {
        if constexpr (may_take_few) {
            if (!has_few_ && shrub_.has_two_values && shrub_.node.size() <= FewExamples::most &&
                FewExamples::suit(window_)) {
                has_few_ = shrub_.has_two_values = few_.take(window_, members());
                if (has_few_ && limits_.recalls) {
                    few_.take_recalled(window_, shrub_.lag);
                }
                few_node_ = few_.all();
                first_few_ = shrub_.n_pending;
            }
        }
    }

    void split_few() {
        const std::uint32_t n = shrub_.node.size();
        const std::uint32_t n_tried = this->n_tried(n);
        shrub_.n_visited +=
            std::uint64_t{2} * n * (n_tried + (limits_.recalls ? recalled_features : 0U)) + 1;
        const FewExamples::Found found =
            few_.find_split(window_, few_node_, n, n_tried, shrub_.prime, shrub_.random);
        if (found.left == 0) {
            make_leaf();
            return;
        }
        few_pending_[shrub_.n_pending - first_few_] = few_node_ & ~found.left;
        few_node_ = found.left;
        add_node(found.split, found.n_left);
    }

    // Into their ranges, the examples of nodes that are left for later.
    void put_back_few() {
        few_.copy_slots(few_node_, members());
        for (std::uint32_t i = first_few_; i < shrub_.n_pending; ++i) {
            const PendingNode& node = memory_.pending[i];
            few_.copy_slots(few_pending_[i - first_few_],
                            memory_.order.subspan(node.begin, node.size()));
        }
        has_few_ = false;
    }

    const Window& window_;
    const Outcomes& outcomes_;
    GrowthLimits limits_;
    GrowthMemory memory_;
    GrowingShrub& shrub_;
    NewShrub nodes_;
    std::uint64_t max_visited_ = 2 * all_values;
    bool has_few_ = false;     ///< the node at hand is in there
    std::uint32_t few_node_;   ///< which of its examples are in the node
    std::uint32_t first_few_;  ///< of the nodes that wait, those from here on are in there too
    FewExamples few_;
    std::array<std::uint32_t, largest_auto_depth> few_pending_;
};

}  // namespace shrubs
