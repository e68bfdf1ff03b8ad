#include "shrubs/growth/incremental/lane_scan.hpp"

#include <algorithm>

#include "shrubs/growth/incremental/lanes.hpp"
#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

namespace {

// The labels of eight entries that stand side by side.
EightShorts labels_at(const ScannedBlock& block, std::uint32_t place) {
    return EightShorts::load(block.entries + std::size_t{place} * lane_width) >>
           static_cast<int>(block.slot_bits);
}

// Keeps the larger score of each lane, unless the cut lies between equal values.
template <bool some_equal>
EightFloats keep_larger(const ScannedBlock& block, std::uint32_t place, const EightFloats& score,
                        const EightFloats& best) {
    if constexpr (some_equal) {
        const EightFloats differs =
            to_floats(widen(EightShorts::load(block.differs + std::size_t{place} * lane_width)));
        return larger(score * differs, best);
    } else {
        return larger(score, best);
    }
}

// Calls `score(place)` for every cut and keeps the largest of those that are allowed.
template <bool some_equal, class Score>
EightFloats keep_best(const ScannedNode& node, const ScannedBlock& block, float* groups,
                      Score score) {
    EightFloats best = EightFloats::all(0.0F);
    const std::uint32_t n_cuts = node.size - node.min_samples_leaf;
    for (std::uint32_t begin = 0; begin < n_cuts; begin += cuts_per_group) {
        EightFloats best_of_group = EightFloats::all(0.0F);
        const std::uint32_t end = std::min(begin + cuts_per_group, n_cuts);
        for (std::uint32_t place = begin; place < end; ++place) {
            const EightFloats of_place = score(place);
            if (place + 1 >= node.min_samples_leaf) {
                best_of_group = keep_larger<some_equal>(block, place, of_place, best_of_group);
            }
        }
        best_of_group.store(groups + begin / cuts_per_group * lane_width);
        best = larger(best_of_group, best);
    }
    return best;
}

// Examples of one class on the left suffice: of two classes, the other has the rest.
template <bool some_equal>
EightFloats scan_two_classes(const ScannedNode& node, const ScannedBlock& block, float* groups) {
    const EightShorts counted = EightShorts::all(node.classes[1]);
    const EightFloats total = EightFloats::all(static_cast<float>(node.totals[node.classes[1]]));
    EightShorts n_left = EightShorts::all(0);
    return keep_best<some_equal>(node, block, groups, [&](std::uint32_t place) {
        n_left = n_left - (labels_at(block, place) == counted);
        const EightFloats left = to_floats(widen(n_left));
        const EightFloats right = total - left;
        return left * left * EightFloats::all(node.inverse[place + 1]) +
               right * right * EightFloats::all(node.inverse[node.size - 1 - place]);
    });
}

// With each example that moves to the left, of class c: sum L^2 grows by 2 L_c + 1, and
// sum R^2 = sum T^2 - 2 sum T L + sum L^2. A counter holds T_c in its upper and L_c in its lower
// half, so that both are found at once.
template <bool some_equal>
EightFloats scan_classes(const ScannedNode& node, const ScannedBlock& block,
                         std::span<std::uint32_t> counts, float* groups) {
    std::int32_t squares = 0;
    for (const std::uint16_t c : node.classes) {
        const std::uint32_t total = node.totals[c];
        squares += static_cast<std::int32_t>(total * total);
        for (std::uint32_t lane = 0; lane < lane_width; ++lane) {
            counts[c * lane_width + lane] = total << 16U;
        }
    }
    std::uint32_t* counters = counts.data();
    const EightInts all_squares = EightInts::all(squares);
    EightInts left = EightInts::all(0);
    EightInts cross = left;
    std::int32_t both[lane_width] = {};
    return keep_best<some_equal>(node, block, groups, [&](std::uint32_t place) {
        const std::uint16_t* entries = block.entries + std::size_t{place} * lane_width;
        const auto count = [&](std::uint32_t lane) {
            const std::uint32_t label = std::uint32_t{entries[lane]} >> block.slot_bits;
            both[lane] = static_cast<std::int32_t>(++counters[label * lane_width + lane]);
        };
        if (block.n_lanes == lane_width) {
            for (std::uint32_t lane = 0; lane < lane_width; ++lane) {
                count(lane);
            }
        } else {
            for (std::uint32_t lane = 0; lane < block.n_lanes; ++lane) {
                count(lane);
            }
        }
        const EightInts seen = EightInts::load(both);
        const EightInts now = seen & EightInts::all(0xFFFF);
        left = left + now + now - EightInts::all(1);
        cross = cross + (seen >> 16);
        const EightInts right = all_squares - cross - cross + left;
        return to_floats(left) * EightFloats::all(node.inverse[place + 1]) +
               to_floats(right) * EightFloats::all(node.inverse[node.size - 1 - place]);
    });
}

#ifdef SHRUBS_AVX2

// Adds the entries of a block to the left side, place by place, and keeps the largest score of the
// cuts that are allowed, all eight features in one register.
template <class Left, bool some_equal>
[[gnu::target("avx2")]] void scan_avx2(const ScannedNode& node, const ScannedBlock& block,
                                       float* groups, float* scores) {
    Left left(node, block.slot_bits);
    const auto* entries = reinterpret_cast<const __m128i*>(block.entries);
    const auto* differs = reinterpret_cast<const __m128i*>(block.differs);
    const float* inverse_left = node.inverse + 1;
    const float* inverse_right = node.inverse + node.size - 1;
    const std::uint32_t first_cut = node.min_samples_leaf - 1;
    const std::uint32_t n_cuts = node.size - node.min_samples_leaf;
    __m256 best = _mm256_setzero_ps();
    for (std::uint32_t begin = 0; begin < n_cuts; begin += cuts_per_group) {
        __m256 best_of_group = _mm256_setzero_ps();
        const std::ptrdiff_t end = std::min(begin + cuts_per_group, n_cuts);
        std::ptrdiff_t place = begin;
        for (; place < std::min<std::ptrdiff_t>(first_cut, end); ++place) {
            left.add(_mm_loadu_si128(entries + place));
        }
        for (; place < end; ++place) {
            left.add(_mm_loadu_si128(entries + place));
            __m256 score = left.score(_mm256_set1_ps(inverse_left[place]),
                                      _mm256_set1_ps(inverse_right[-place]));
            if constexpr (some_equal) {
                const __m256i differ = _mm256_cvtepu16_epi32(_mm_loadu_si128(differs + place));
                score = _mm256_mul_ps(score, _mm256_cvtepi32_ps(differ));
            }
            best_of_group = _mm256_max_ps(score, best_of_group);
        }
        _mm256_storeu_ps(groups + begin / cuts_per_group * lane_width, best_of_group);
        best = _mm256_max_ps(best_of_group, best);
    }
    _mm256_storeu_ps(scores, best);
}

// The left side in a node of two classes: examples of the second.
class LeftOfTwo {
 public:
    [[gnu::target("avx2")]] LeftOfTwo(const ScannedNode& node, std::uint32_t slot_bits)
        : label_bits_(_mm_set1_epi16(static_cast<short>(0xFFFFU << slot_bits))),
          counted_(_mm_set1_epi16(static_cast<short>(node.classes[1] << slot_bits))),
          total_(_mm256_set1_ps(static_cast<float>(node.totals[node.classes[1]]))),
          n_left_(_mm_setzero_si128()) {}

    [[gnu::target("avx2")]] void add(__m128i entries) {
        const __m128i labels = _mm_and_si128(entries, label_bits_);
        n_left_ = _mm_sub_epi16(n_left_, _mm_cmpeq_epi16(labels, counted_));
    }
    [[gnu::target("avx2")]] __m256 score(__m256 inverse_left, __m256 inverse_right) const {
        const __m256 left = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(n_left_));
        const __m256 right = _mm256_sub_ps(total_, left);
        return _mm256_add_ps(_mm256_mul_ps(_mm256_mul_ps(left, left), inverse_left),
                             _mm256_mul_ps(_mm256_mul_ps(right, right), inverse_right));
    }

 private:
    __m128i label_bits_;
    __m128i counted_;
    __m256 total_;
    __m128i n_left_;
};

// The left side in a node of more classes. A feature has 32 bits per pair of classes, with a count
// in either half: one instruction multiplies the halves of two such pairs and adds the products.
// sum R^2 = sum T^2 - 2 sum T L + sum L^2.
template <std::uint32_t n_pairs>
class LeftOfPairs {
 public:
    [[gnu::target("avx2")]] LeftOfPairs(const ScannedNode& node, std::uint32_t slot_bits)
        : twice_(_mm256_setr_epi8(0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7,  //
                                  8, 9, 8, 9, 10, 11, 10, 11, 12, 13, 12, 13, 14, 15, 14, 15)),
          label_bits_(_mm256_set1_epi16(static_cast<short>(0xFFFFU << slot_bits))) {
        std::int32_t squares = 0;
        for (std::uint32_t pair = 0; pair < n_pairs; ++pair) {
            const std::uint32_t first = node.classes[2 * pair];
            const std::uint32_t n_first = node.totals[first];
            std::uint32_t label = no_label;
            std::uint32_t n_second = 0;
            if (2 * pair + 1 < node.classes.size()) {
                const std::uint32_t second = node.classes[2 * pair + 1];
                label = second << slot_bits;
                n_second = node.totals[second];
            }
            squares += static_cast<std::int32_t>(n_first * n_first + n_second * n_second);
            labels_[pair] = halves(first << slot_bits, label);
            double_totals_[pair] = halves(2 * n_first, 2 * n_second);
            n_left_[pair] = _mm256_setzero_si256();
        }
        all_squares_ = _mm256_set1_epi32(squares);
    }

    [[gnu::target("avx2")]] void add(__m128i entries) {
        const __m256i both = _mm256_and_si256(
            _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), twice_), label_bits_);
        for (std::uint32_t pair = 0; pair < n_pairs; ++pair) {
            n_left_[pair] =
                _mm256_sub_epi16(n_left_[pair], _mm256_cmpeq_epi16(both, labels_[pair]));
        }
    }
    [[gnu::target("avx2")]] __m256 score(__m256 inverse_left, __m256 inverse_right) const {
        __m256i left = _mm256_madd_epi16(n_left_[0], n_left_[0]);
        __m256i cross = _mm256_madd_epi16(n_left_[0], double_totals_[0]);
        for (std::uint32_t pair = 1; pair < n_pairs; ++pair) {
            left = _mm256_add_epi32(left, _mm256_madd_epi16(n_left_[pair], n_left_[pair]));
            cross = _mm256_add_epi32(cross, _mm256_madd_epi16(n_left_[pair], double_totals_[pair]));
        }
        const __m256i right = _mm256_add_epi32(_mm256_sub_epi32(all_squares_, cross), left);
        return _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(left), inverse_left),
                             _mm256_mul_ps(_mm256_cvtepi32_ps(right), inverse_right));
    }

 private:
    // No entry has it, as the bits of its slot are left out.
    static constexpr std::uint32_t no_label = 0xFFFF;

    [[gnu::target("avx2")]] static __m256i halves(std::uint32_t low, std::uint32_t high) {
        return _mm256_set1_epi32(static_cast<int>(low | high << 16U));
    }

    __m256i twice_;
    __m256i label_bits_;
    __m256i all_squares_;
    __m256i labels_[n_pairs];
    __m256i double_totals_[n_pairs];
    __m256i n_left_[n_pairs];
};

// Nodes of more classes are counted feature by feature: their counts would not fit into registers.
constexpr std::size_t most_pairs = 8;

template <bool some_equal>
void scan_avx2(const ScannedNode& node, const ScannedBlock& block, float* groups, float* scores) {
    switch ((node.classes.size() + 1) / 2) {
        case 1: return scan_avx2<LeftOfTwo, some_equal>(node, block, groups, scores);
        case 2: return scan_avx2<LeftOfPairs<2>, some_equal>(node, block, groups, scores);
        case 3: return scan_avx2<LeftOfPairs<3>, some_equal>(node, block, groups, scores);
        case 4: return scan_avx2<LeftOfPairs<4>, some_equal>(node, block, groups, scores);
        case 5: return scan_avx2<LeftOfPairs<5>, some_equal>(node, block, groups, scores);
        case 6: return scan_avx2<LeftOfPairs<6>, some_equal>(node, block, groups, scores);
        case 7: return scan_avx2<LeftOfPairs<7>, some_equal>(node, block, groups, scores);
        default: return scan_avx2<LeftOfPairs<8>, some_equal>(node, block, groups, scores);
    }
}

#endif

template <bool some_equal>
EightFloats scan(const ScannedNode& node, const ScannedBlock& block,
                 std::span<std::uint32_t> counts, float* groups) {
#ifdef SHRUBS_AVX2
    if (has_avx2() && node.classes.size() <= 2 * most_pairs) {
        float scores[lane_width];
        scan_avx2<some_equal>(node, block, groups, scores);
        return EightFloats::load(scores);
    }
#endif
    return counts_one_class(node) ? scan_two_classes<some_equal>(node, block, groups)
                                  : scan_classes<some_equal>(node, block, counts, groups);
}

}  // namespace

EightFloats scan_cuts(const ScannedNode& node, const ScannedBlock& block,
                      std::span<std::uint32_t> counts, float* groups) {
    return block.differs == nullptr ? scan<false>(node, block, counts, groups)
                                    : scan<true>(node, block, counts, groups);
}

}  // namespace shrubs
