#include "shrubs/growth/bit_growth.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "shrubs/growth/split.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "shrubs/tree/impurity.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

namespace {

constexpr std::uint32_t min_features = 16;
// Classes whose counts fit on the stack.
constexpr std::uint32_t max_classes = 64;
// Cuts that are counted at a time, one byte each, and how many examples a byte can count.
constexpr std::uint32_t group = 16;
constexpr std::size_t chunk = 255;
// Random numbers that are made at a time.
constexpr std::uint32_t n_ahead = 8;
// Right sides wait with the counts of their classes down to this depth.
constexpr std::uint32_t max_kept_depth = 16;
// Counts that fit into 16 bits with a sign.
constexpr std::uint32_t max_signed = 0x7FFF;
// Words of a row that one register holds.
constexpr std::size_t max_words_at_once = 2;

// A cut that has been drawn, and how many numbers of the node come before that of its threshold.
struct Cut {
    std::uint32_t feature = 0;
    std::uint32_t n_before = 0;
};

// How many examples of a class have the upper values of a group of cuts.
using ByClass = std::array<std::uint16_t, group>;

using Scores = std::array<double, group>;

// A node whose classes are counted.
struct CountedNode {
    std::span<const std::uint16_t> classes;  ///< those that occur
    std::span<const std::uint32_t> totals;   ///< (C,)
    std::uint32_t size;
};

// The examples of a node.
struct Bits {
    const std::uint64_t* rows;
    std::size_t n_words;
    const std::uint16_t* labels;
    std::span<const std::uint16_t> slots;

    const std::uint64_t* row(std::size_t at) const { return rows + slots[at] * n_words; }
};

#ifdef SHRUBS_AVX2

// Bytes for a group of cuts: a byte of the row that has the bit of a cut, and that bit.
class Picker {
 public:
    [[gnu::target("avx2")]] explicit Picker(std::span<const Cut> cuts) {
        alignas(16) std::uint8_t bytes[group] = {};
        alignas(16) std::uint8_t bits[group] = {};
        // No byte for what is not a cut.
        std::fill_n(bytes, group, std::uint8_t{0x80});
        std::fill_n(bits, group, std::uint8_t{1});
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            bytes[i] = static_cast<std::uint8_t>(cuts[i].feature / 8);
            bits[i] = static_cast<std::uint8_t>(1U << cuts[i].feature % 8);
        }
        bytes_ = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes));
        bits_ = _mm_load_si128(reinterpret_cast<const __m128i*>(bits));
    }

    // Adds one to the bytes of the cuts whose bit is set.
    [[gnu::target("avx2"), gnu::always_inline]] void add(__m128i row, __m128i& sum) const {
        const __m128i picked = _mm_and_si128(_mm_shuffle_epi8(row, bytes_), bits_);
        sum = _mm_sub_epi8(sum, _mm_cmpeq_epi8(picked, bits_));
    }

 private:
    __m128i bytes_;
    __m128i bits_;
};

// Two sums per class in turns, so that neighbours of the same class need not wait for each other.
template <std::size_t n_words>
[[gnu::target("avx2")]] void count_avx2(const Bits& bits, std::span<const Cut> cuts,
                                        std::span<const std::uint16_t> classes, ByClass* counts) {
    const Picker picker(cuts);
    __m128i sums[2][max_classes];
    const auto load = [&](std::size_t at) {
        const auto* row = reinterpret_cast<const __m128i*>(bits.row(at));
        return n_words == 1 ? _mm_loadl_epi64(row) : _mm_loadu_si128(row);
    };
    for (std::size_t begin = 0; begin < bits.slots.size(); begin += 2 * chunk) {
        for (const std::uint16_t c : classes) {
            sums[0][c] = sums[1][c] = _mm_setzero_si128();
        }
        const std::size_t end = std::min(begin + 2 * chunk, bits.slots.size());
        std::size_t at = begin;
        for (; at + 1 < end; at += 2) {
            picker.add(load(at), sums[0][bits.labels[bits.slots[at]]]);
            picker.add(load(at + 1), sums[1][bits.labels[bits.slots[at + 1]]]);
        }
        if (at < end) {
            picker.add(load(at), sums[0][bits.labels[bits.slots[at]]]);
        }
        for (const std::uint16_t c : classes) {
            auto* count = reinterpret_cast<__m256i*>(counts[c].data());
            const __m256i both = _mm256_add_epi16(_mm256_cvtepu8_epi16(sums[0][c]),
                                                  _mm256_cvtepu8_epi16(sums[1][c]));
            _mm256_storeu_si256(count, _mm256_add_epi16(_mm256_loadu_si256(count), both));
        }
    }
}

// The same for four cuts at a time: all numbers are integers below 2^53, so that nothing is rounded
// before the division.
class FourScores {
 public:
    [[gnu::target("avx2")]] FourScores(double n, double node_squares)
        : n_(_mm256_set1_pd(n)), node_squares_(_mm256_set1_pd(node_squares)) {}

    // sum L^2 = sum T^2 - 2 sum T U + sum U^2
    [[gnu::target("avx2"), gnu::always_inline]] void store(__m128i sizes, __m128i squares,
                                                           __m128i crossed, double* scores) const {
        const __m256d n_upper = _mm256_cvtepi32_pd(sizes);
        const __m256d upper = _mm256_cvtepi32_pd(squares);
        const __m256d twice = _mm256_cvtepi32_pd(_mm_slli_epi32(crossed, 1));
        const __m256d lower = _mm256_add_pd(_mm256_sub_pd(node_squares_, twice), upper);
        const __m256d n_lower = _mm256_sub_pd(n_, n_upper);
        const __m256d above =
            _mm256_add_pd(_mm256_mul_pd(lower, n_upper), _mm256_mul_pd(upper, n_lower));
        _mm256_storeu_pd(scores, _mm256_div_pd(above, _mm256_mul_pd(n_lower, n_upper)));
    }

 private:
    __m256d n_;
    __m256d node_squares_;
};

[[gnu::target("avx2"), gnu::always_inline]] inline __m256i load_counts(const ByClass& counts) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(counts.data()));
}

// Two classes at a time, in the halves of 32 bits.
[[gnu::target("avx2")]] void score_avx2(const CountedNode& node, const ByClass* counts,
                                        Scores& scores) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i sizes = zero;
    __m256i squares[2] = {zero, zero};
    __m256i crossed[2] = {zero, zero};
    double node_squares = 0.0;
    for (std::size_t at = 0; at < node.classes.size(); at += 2) {
        const bool is_pair = at + 1 < node.classes.size();
        const __m256i first = load_counts(counts[node.classes[at]]);
        const __m256i second = is_pair ? load_counts(counts[node.classes[at + 1]]) : zero;
        const std::uint32_t n_first = node.totals[node.classes[at]];
        const std::uint32_t n_second = is_pair ? node.totals[node.classes[at + 1]] : 0;
        const __m256i totals = _mm256_set1_epi32(static_cast<int>(n_first | n_second << 16U));
        node_squares += static_cast<double>(n_first * n_first + n_second * n_second);
        sizes = _mm256_add_epi16(sizes, _mm256_add_epi16(first, second));
        const __m256i both[2] = {_mm256_unpacklo_epi16(first, second),
                                 _mm256_unpackhi_epi16(first, second)};
        for (std::uint32_t i = 0; i < 2; ++i) {
            squares[i] = _mm256_add_epi32(squares[i], _mm256_madd_epi16(both[i], both[i]));
            crossed[i] = _mm256_add_epi32(crossed[i], _mm256_madd_epi16(both[i], totals));
        }
    }
    // Halves of registers: cuts 0 to 3 and 8 to 11, then 4 to 7 and 12 to 15.
    const FourScores four(node.size, node_squares);
    const __m256i wide[2] = {_mm256_unpacklo_epi16(sizes, zero),
                             _mm256_unpackhi_epi16(sizes, zero)};
    for (std::uint32_t i = 0; i < 2; ++i) {
        four.store(_mm256_castsi256_si128(wide[i]), _mm256_castsi256_si128(squares[i]),
                   _mm256_castsi256_si128(crossed[i]), scores.data() + 4 * std::size_t{i});
        four.store(_mm256_extracti128_si256(wide[i], 1), _mm256_extracti128_si256(squares[i], 1),
                   _mm256_extracti128_si256(crossed[i], 1), scores.data() + 8 + 4 * std::size_t{i});
    }
}

#endif

// The exact scores of cuts, the same whichever side is called left.
void score_cuts(const CountedNode& node, const ByClass* counts, std::size_t n_cuts,
                Scores& scores) {
#ifdef SHRUBS_AVX2
    if (has_avx2() && node.size <= max_signed) {
        return score_avx2(node, counts, scores);
    }
#endif
    for (std::size_t i = 0; i < n_cuts; ++i) {
        std::uint64_t n_upper = 0;
        std::uint64_t upper_squares = 0;
        std::uint64_t lower_squares = 0;
        for (const std::uint16_t c : node.classes) {
            const std::uint64_t upper = counts[c][i];
            const std::uint64_t lower = node.totals[c] - upper;
            n_upper += upper;
            upper_squares += upper * upper;
            lower_squares += lower * lower;
        }
        scores[i] = gini_score(lower_squares, node.size - n_upper, upper_squares, n_upper);
    }
}

void count_one_by_one(const Bits& bits, std::span<const Cut> cuts, ByClass* counts) {
    for (std::size_t at = 0; at < bits.slots.size(); ++at) {
        const std::uint64_t* row = bits.row(at);
        ByClass& count = counts[bits.labels[bits.slots[at]]];
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            count[i] = static_cast<std::uint16_t>(
                count[i] + (row[cuts[i].feature / 64] >> cuts[i].feature % 64 & 1));
        }
    }
}

void count_upper(const Bits& bits, std::span<const Cut> cuts,
                 std::span<const std::uint16_t> classes, ByClass* counts) {
    for (const std::uint16_t c : classes) {
        counts[c].fill(0);
    }
#ifdef SHRUBS_AVX2
    if (has_avx2() && bits.n_words <= max_words_at_once) {
        return bits.n_words == 1 ? count_avx2<1>(bits, cuts, classes, counts)
                                 : count_avx2<2>(bits, cuts, classes, counts);
    }
#endif
    count_one_by_one(bits, cuts, counts);
}

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
        const bool is_pure = count_classes(node, members);
        best_ = {};
        if (!is_pure && node.depth < plan_.max_depth && members.size() > 1) {
            find_split(members);
        }
        if (!best_.found) {
            is_pure ? add_pure_leaf(members) : add_leaf(members);
            return std::nullopt;
        }
        if (members.size() == 2) {
            add_pair(members);
            return std::nullopt;
        }
        const auto middle = static_cast<std::uint16_t>(node.begin + partition(members));
        const auto depth = static_cast<std::uint16_t>(node.depth + 1);
        keep_totals(depth);
        const PendingNode right{shrub_.add_node(best_.split), middle, node.end, depth};
        node = {0, node.begin, middle, depth};
        return right;
    }

    // Returns whether there is but one class.
    bool count_classes(const PendingNode& node, std::span<const std::uint16_t> members) {
        const auto totals = scratch_.totals;
        const bool is_left = std::exchange(follows_, false);
        if (!is_left && node.depth > 0 && node.depth < max_kept_depth) {
            std::ranges::copy(std::span(rights_[node.depth]).first(totals.size()), totals.begin());
        } else if (!is_left) {
            std::ranges::fill(totals, 0U);
            for (const std::uint16_t slot : members) {
                ++totals[window_.labels()[slot]];
            }
        }
        n_present_ = 0;
        for (std::uint32_t c = 0; c < totals.size(); ++c) {
            present_[n_present_] = static_cast<std::uint16_t>(c);
            n_present_ += totals[c] > 0 ? 1 : 0;
        }
        return n_present_ == 1;
    }

    // The classes of both sides of the best cut, whose depth this is.
    void keep_totals(std::uint32_t depth) {
        auto& rights = rights_[std::min(depth, max_kept_depth)];
        for (std::uint32_t c = 0; c < scratch_.totals.size(); ++c) {
            rights[c] = 0;
        }
        for (const std::uint16_t c : std::span(present_).first(n_present_)) {
            const std::uint32_t lower = scratch_.totals[c] - uppers_[c];
            const std::uint32_t left = left_ != 0 ? uppers_[c] : lower;
            rights[c] = static_cast<std::uint16_t>(scratch_.totals[c] - left);
            scratch_.totals[c] = left;
        }
        follows_ = true;
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
        begin_ = random_;
        n_numbers_ = 0;
        if (!plan_.samples_features()) {
            draw_all(members);
        } else if (plan_.split.splitter == Splitter::random) {
            draw_features<true>(members);
        } else {
            draw_features<false>(members);
        }
        weigh(members);
        random_.skip(n_numbers_);
    }

    // One random cut of every feature that varies.
    void draw_all(std::span<const std::uint16_t> members) {
        for (std::uint32_t index = 0; index < rows_.n_words(); ++index) {
            for (std::uint64_t rest = rows_.varying()[index]; rest != 0; rest &= rest - 1) {
                if (n_cuts_ == group) {
                    weigh(members);
                }
                const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
                cuts_[n_cuts_++] = {64 * index + bit, n_numbers_++};
            }
        }
    }

    // Whether a feature varies is hard to guess: every one is written, and some are written over. A
    // random cut takes a number, so two features may be the next, and both are looked for in time.
    template <bool is_random>
    void draw_features(std::span<const std::uint16_t> members) {
        const std::uint32_t n = window_.n_features();
        const std::uint32_t n_wanted = plan_.split.max_features;
        std::uint16_t* tried = scratch_.permutation.data();
        const std::uint64_t* varying = rows_.varying().data();
        std::uint32_t n_tried = 0;
        for (std::uint32_t i = 0; i < n && n_tried < n_wanted;) {
            std::array<std::uint64_t, n_ahead + 2> numbers;
            Random random = begin_;
            random.skip(n_numbers_);
            for (std::uint64_t& number : numbers) {
                number = random.next() >> 32U;
            }
            const auto place = [&](std::uint32_t at, std::uint32_t from) {
                return numbers[at] * (n - from) >> 32U;
            };
            Cut* cut = cuts_.data() + n_cuts_;
            std::uint32_t at = 0;
            std::uint64_t other = place(0, i);
            for (; at < n_ahead && i < n && n_tried < n_wanted; ++i) {
                const std::uint64_t next = place(at + 1, i + 1);
                const std::uint64_t after = is_random ? place(at + 2, i + 1) : next;
                std::uint16_t* here = tried + i;
                const std::uint32_t feature = here[other];
                here[other] = *here;
                *here = static_cast<std::uint16_t>(feature);
                const std::uint64_t varies = varying[feature / 64] >> feature % 64 & 1;
                at += 1;
                *cut = {feature, n_numbers_ + at};
                cut += varies;
                n_tried += static_cast<std::uint32_t>(varies);
                at += is_random ? static_cast<std::uint32_t>(varies) : 0;
                other = next ^ ((next ^ after) & (0 - varies));
            }
            n_numbers_ += at;
            n_cuts_ = static_cast<std::uint32_t>(cut - cuts_.data());
            if (n_cuts_ + n_ahead > group) {
                weigh(members);
            }
        }
    }

    // Scores the cuts of a group, exactly and in their order.
    void weigh(std::span<const std::uint16_t> members) {
        if (n_cuts_ == 0) {
            return;
        }
        if (members.size() == 2) {
            return weigh_pair(members);
        }
        const auto present = std::span(present_).first(n_present_);
        const auto cuts = std::span(cuts_).first(n_cuts_);
        count_upper({rows_.row(0), rows_.n_words(), window_.labels().data(), members}, cuts,
                    present, counts_.data());
        Scores scores;
        score_cuts({present, scratch_.totals, static_cast<std::uint32_t>(members.size())},
                   counts_.data(), n_cuts_, scores);
        const Cut* best = nullptr;
        for (std::uint32_t i = 0; i < n_cuts_; ++i) {
            if (scores[i] > best_.score) {
                best_.score = scores[i];
                best = &cuts[i];
            }
        }
        n_cuts_ = 0;
        if (best != nullptr) {
            take(*best, members);
        }
    }

    // Any cut parts two examples of two classes, so the first one is the best.
    void weigh_pair(std::span<const std::uint16_t> members) {
        if (!best_.found) {
            for (const std::uint16_t slot : members) {
                counts_[window_.labels()[slot]][0] =
                    static_cast<std::uint16_t>(rows_.bit(slot, cuts_[0].feature));
            }
            take(cuts_[0], members);
        }
        n_cuts_ = 0;
    }

    // Makes a cut that has just been counted the best one.
    void take(const Cut& cut, std::span<const std::uint16_t> members) {
        const auto n = static_cast<std::uint32_t>(members.size());
        std::uint32_t n_upper = 0;
        for (const std::uint16_t c : std::span(present_).first(n_present_)) {
            uppers_[c] = counts_[c][static_cast<std::size_t>(&cut - cuts_.data())];
            n_upper += uppers_[c];
        }
        const bool nominal = window_.is_nominal(cut.feature);
        const float low = rows_.low(cut.feature);
        const float high = rows_.high(cut.feature);
        Random random = begin_;
        random.skip(cut.n_before);
        left_ = 0;
        float threshold = low;
        if (plan_.split.splitter == Splitter::best) {
            threshold = nominal ? low : threshold_between(low, high);
        } else if (nominal) {
            left_ = rows_.bit(members[random.below(n)], cut.feature);
            threshold = left_ != 0 ? high : low;
        } else {
            threshold = draw_threshold(low, high, random);
        }
        const std::uint32_t n_left = left_ != 0 ? n_upper : n - n_upper;
        best_.split = {threshold, cut.feature, nominal, n_left >= n - n_left};
        best_.found = true;
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

    // Both sides of a node of two examples.
    void add_pair(std::span<const std::uint16_t> members) {
        const std::uint64_t right = rows_.bit(members[0], best_.split.feature) ^ left_ ^ 1;
        const std::uint16_t index = shrub_.add_node(best_.split);
        add_pure_leaf(members.subspan(1 - right, 1));
        if (!shrub_.is_given_up) {
            shrub_.begin_right(index);
            add_pure_leaf(members.subspan(right, 1));
        }
    }

    void add_pure_leaf(std::span<const std::uint16_t> members) {
        plan_.leaves.set_pure(shrub_.leaves, n_leaves_, window_.labels()[members.front()]);
        shrub_.finish_leaf(n_leaves_++, members);
    }

    void add_leaf(std::span<const std::uint16_t> members) {
        round_distribution(scratch_.totals, scratch_.distribution);
        plan_.leaves.set_distribution(shrub_.leaves, n_leaves_, scratch_.distribution);
        shrub_.finish_leaf(n_leaves_++, members);
    }

    const BitRows& rows_;
    const Window& window_;
    const GrowthPlan& plan_;
    Random random_;
    const BitScratch& scratch_;
    NewShrub& shrub_;
    Random begin_{0, 0};           ///< of the node
    std::uint32_t n_numbers_ = 0;  ///< that the node has taken
    std::uint32_t n_leaves_ = 0;
    std::array<std::uint16_t, max_classes + 1> present_;
    std::uint32_t n_present_ = 0;
    std::array<Cut, group + 1> cuts_;
    std::uint32_t n_cuts_ = 0;
    std::array<ByClass, max_classes> counts_;
    BestSplit best_;
    std::uint64_t left_ = 0;  ///< the bit of those that the best cut sends left
    std::array<std::uint16_t, max_classes> uppers_;                                  ///< its counts
    std::array<std::array<std::uint16_t, max_classes>, max_kept_depth + 1> rights_;  ///< by depth
    bool follows_ = false;  ///< the next node is a left side, whose classes are counted
};

}  // namespace

BitRows BitRows::reserve(Arena& arena, const GrowthPlan& plan) {
    const std::uint32_t d = plan.dimensions.n_features;
    const std::uint64_t n_words = (std::uint64_t{d} + 63) / 64;
    BitRows rows;
    if (plan.task == Task::classification && plan.keeps_caches &&
        (plan.samples_features() || plan.split.splitter == Splitter::random) && d >= min_features &&
        plan.dimensions.n_classes <= max_classes && plan.split.min_samples_leaf == 1) {
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
