#include "shrubs/growth/incremental/lane_scan.hpp"

#include <algorithm>

#include "shrubs/simd/floats.hpp"
#include "shrubs/simd/shorts.hpp"
#include "shrubs/tree/impurity.hpp"

namespace shrubs {

namespace {

std::uint32_t sum_squares(const ScannedNode& node) {
    std::uint32_t squares = 0;
    for (const std::uint16_t c : node.classes) {
        squares += node.totals[c] * node.totals[c];
    }
    return squares;
}

// The class of the example that moves to the left side, lane by lane.
struct MovedClass {
    std::uint16_t n_left[lane_width];  ///< its examples on the left, with this one
    std::uint16_t n_all[lane_width];   ///< its examples in the node
};

MovedClass move_left(const ScannedNode& node, EightShorts labels, std::uint16_t* lefts) {
    EightShorts n_left = EightShorts::all(0);
    EightShorts n_all = n_left;
    for (const std::uint16_t c : node.classes) {
        const EightShorts is_here = labels == EightShorts::all(c);
        const EightShorts n = EightShorts::load(lefts) - is_here;
        n.store(lefts);
        n_left = n_left | (n & is_here);
        n_all = n_all | (EightShorts::all(static_cast<std::uint16_t>(node.totals[c])) & is_here);
        lefts += lane_width;
    }
    MovedClass moved;
    n_left.store(moved.n_left);
    n_all.store(moved.n_all);
    return moved;
}

// The sums of the squared counts of both sides, in four lanes. With an example of class c, sum L^2
// grows by 2 L_c + 1 and sum R^2 shrinks by 2 R_c - 1: exact integers.
struct FloatSums {
    FourFloats left = FourFloats::all(0.0F);
    FourFloats right;

    explicit FloatSums(std::uint32_t squares)
        : right(FourFloats::all(static_cast<float>(squares))) {}
    void move(const std::uint16_t* n_left, const std::uint16_t* n_all) {
        const FourFloats one = FourFloats::all(1.0F);
        const FourFloats lefts = FourFloats::load(n_left);
        const FourFloats rights = FourFloats::load(n_all) - lefts;
        left = left + (lefts + lefts - one);
        right = right - (rights + rights + one);
    }
    FourFloats score(float inverse_left, float inverse_right) const {
        return left * FourFloats::all(inverse_left) + right * FourFloats::all(inverse_right);
    }
};

// The same for nodes whose sums single precision cannot hold.
struct WholeSums {
    std::int32_t left[FourFloats::size] = {};
    std::int32_t right[FourFloats::size];

    explicit WholeSums(std::uint32_t squares) {
        std::fill_n(right, FourFloats::size, static_cast<std::int32_t>(squares));
    }
    void move(const std::uint16_t* n_left, const std::uint16_t* n_all) {
        for (std::uint32_t i = 0; i < FourFloats::size; ++i) {
            left[i] += 2 * n_left[i] - 1;
            right[i] -= 2 * (n_all[i] - n_left[i]) + 1;
        }
    }
    FourFloats score(float inverse_left, float inverse_right) const {
        float scores[FourFloats::size];
        for (std::uint32_t i = 0; i < FourFloats::size; ++i) {
            scores[i] = static_cast<float>(left[i]) * inverse_left +
                        static_cast<float>(right[i]) * inverse_right;
        }
        return FourFloats::load(scores);
    }
};

// Every example moves to the left side in turn.
template <class Sums>
void scan(const ScannedNode& node, const ScannedBlock& block, std::span<std::uint16_t> lefts,
          const LaneScores& best) {
    constexpr std::uint32_t n = lane_width / FourFloats::size;
    std::fill_n(lefts.data(), node.classes.size() * lane_width, std::uint16_t{0});
    std::fill_n(best.lanes, lane_width, 0.0F);
    const Sums undivided(sum_squares(node));
    Sums sums[n] = {undivided, undivided};
    const std::uint32_t n_cuts = node.size - node.min_samples_leaf;
    for (std::uint32_t place = 0; place < n_cuts; ++place) {
        float* group = best.groups + place / cuts_per_group * lane_width;
        if (place % cuts_per_group == 0) {
            std::fill_n(group, lane_width, 0.0F);
        }
        const std::size_t first = std::size_t{place} * lane_width;
        const MovedClass moved = move_left(
            node, EightShorts::load(block.entries + first) >> block.slot_bits, lefts.data());
        const bool is_cut = place + 1 >= node.min_samples_leaf;
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint32_t lane = i * FourFloats::size;
            sums[i].move(moved.n_left + lane, moved.n_all + lane);
            if (is_cut) {
                FourFloats score =
                    sums[i].score(node.inverse[place + 1], node.inverse[node.size - 1 - place]);
                if (block.differs != nullptr) {
                    score = score * FourFloats::load(block.differs + first + lane);
                }
                FourFloats::larger(score, FourFloats::load(group + lane)).store(group + lane);
            }
        }
        if ((place + 1) % cuts_per_group == 0 || place + 1 == n_cuts) {
            for (std::uint32_t lane = 0; lane < lane_width; ++lane) {
                best.lanes[lane] = std::max(best.lanes[lane], group[lane]);
            }
        }
    }
}

#ifdef SHRUBS_AVX2

// All eight lanes at once. A feature has 32 bits per pair of classes, with a count in either half:
// one instruction multiplies the halves of two such pairs and adds the products. sum R^2 = sum T^2
// - 2 sum T L + sum L^2.
template <std::uint32_t n_pairs>
class LeftOfPairs {
 public:
    [[gnu::target("avx2")]] LeftOfPairs(const ScannedNode& node, std::uint32_t slot_bits)
        : twice_(_mm256_setr_epi8(0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7,  //
                                  8, 9, 8, 9, 10, 11, 10, 11, 12, 13, 12, 13, 14, 15, 14, 15)),
          label_bits_(_mm256_set1_epi16(static_cast<short>(0xFFFFU << slot_bits))),
          all_squares_(_mm256_set1_epi32(static_cast<int>(sum_squares(node)))) {
        for (std::uint32_t pair = 0; pair < n_pairs; ++pair) {
            const std::uint32_t first = node.classes[2 * pair];
            std::uint32_t label = no_label;
            std::uint32_t n_second = 0;
            if (2 * pair + 1 < node.classes.size()) {
                const std::uint32_t second = node.classes[2 * pair + 1];
                label = second << slot_bits;
                n_second = node.totals[second];
            }
            labels_[pair] = halves(first << slot_bits, label);
            double_totals_[pair] = halves(2 * node.totals[first], 2 * n_second);
            n_left_[pair] = _mm256_setzero_si256();
        }
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

template <std::uint32_t n_pairs, bool some_equal>
[[gnu::target("avx2")]] void scan_pairs(const ScannedNode& node, const ScannedBlock& block,
                                        const LaneScores& scores) {
    LeftOfPairs<n_pairs> left(node, block.slot_bits);
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
        _mm256_storeu_ps(scores.groups + begin / cuts_per_group * lane_width, best_of_group);
        best = _mm256_max_ps(best_of_group, best);
    }
    _mm256_storeu_ps(scores.lanes, best);
}

// Counts of more classes would not fit into registers.
constexpr std::size_t max_pairs = 8;

template <std::uint32_t n_pairs = 1>
void scan_avx2(const ScannedNode& node, const ScannedBlock& block, const LaneScores& scores) {
    if constexpr (n_pairs < max_pairs) {
        if (node.classes.size() > 2 * n_pairs) {
            return scan_avx2<n_pairs + 1>(node, block, scores);
        }
    }
    block.differs == nullptr ? scan_pairs<n_pairs, false>(node, block, scores)
                             : scan_pairs<n_pairs, true>(node, block, scores);
}

#endif

}  // namespace

void scan_cuts(const ScannedNode& node, const ScannedBlock& block, std::span<std::uint16_t> lefts,
               const LaneScores& scores) {
#ifdef SHRUBS_AVX2
    if (has_avx2() && node.classes.size() <= 2 * max_pairs) {
        scan_avx2(node, block, scores);
        return;
    }
#endif
    node.size <= exact_size ? scan<FloatSums>(node, block, lefts, scores)
                            : scan<WholeSums>(node, block, lefts, scores);
}

}  // namespace shrubs
