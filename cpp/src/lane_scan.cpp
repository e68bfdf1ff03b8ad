#include "shrubs/lane_scan.hpp"

#include <algorithm>

#include "shrubs/lanes.hpp"
#include "shrubs/processor.hpp"

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

#ifdef SHRUBS_AVX2

// The same, all eight features in one register.
template <bool some_equal>
[[gnu::target("avx2")]] void scan_two_classes_avx2(const ScannedNode& node,
                                                   const ScannedBlock& block, float* groups,
                                                   float* scores) {
    const __m128i counted = _mm_set1_epi16(static_cast<short>(node.classes[1]));
    const __m128i slot_bits = _mm_cvtsi32_si128(static_cast<int>(block.slot_bits));
    const __m256 total = _mm256_set1_ps(static_cast<float>(node.totals[node.classes[1]]));
    const std::uint32_t n_cuts = node.size - node.min_samples_leaf;
    __m128i n_left = _mm_setzero_si128();
    __m256 best = _mm256_setzero_ps();
    for (std::uint32_t begin = 0; begin < n_cuts; begin += cuts_per_group) {
        __m256 best_of_group = _mm256_setzero_ps();
        const std::uint32_t end = std::min(begin + cuts_per_group, n_cuts);
        for (std::uint32_t place = begin; place < end; ++place) {
            const std::size_t at = std::size_t{place} * lane_width;
            const __m128i entries =
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(block.entries + at));
            const __m128i labels = _mm_srl_epi16(entries, slot_bits);
            n_left = _mm_sub_epi16(n_left, _mm_cmpeq_epi16(labels, counted));
            if (place + 1 < node.min_samples_leaf) {
                continue;
            }
            const __m256 left = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(n_left));
            const __m256 right = _mm256_sub_ps(total, left);
            const __m256 of_left =
                _mm256_mul_ps(_mm256_mul_ps(left, left), _mm256_set1_ps(node.inverse[place + 1]));
            const __m256 of_right = _mm256_mul_ps(
                _mm256_mul_ps(right, right), _mm256_set1_ps(node.inverse[node.size - 1 - place]));
            __m256 score = _mm256_add_ps(of_left, of_right);
            if constexpr (some_equal) {
                const __m128i differs =
                    _mm_loadu_si128(reinterpret_cast<const __m128i*>(block.differs + at));
                score = _mm256_mul_ps(score, _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(differs)));
            }
            best_of_group = _mm256_max_ps(score, best_of_group);
        }
        _mm256_storeu_ps(groups + begin / cuts_per_group * lane_width, best_of_group);
        best = _mm256_max_ps(best_of_group, best);
    }
    _mm256_storeu_ps(scores, best);
}

#endif

template <bool some_equal>
EightFloats scan_two(const ScannedNode& node, const ScannedBlock& block, float* groups) {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        float scores[lane_width];
        scan_two_classes_avx2<some_equal>(node, block, groups, scores);
        return EightFloats::load(scores);
    }
#endif
    return scan_two_classes<some_equal>(node, block, groups);
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

}  // namespace

EightFloats scan_cuts(const ScannedNode& node, const ScannedBlock& block,
                      std::span<std::uint32_t> counts, float* groups) {
    if (counts_one_class(node)) {
        return block.differs == nullptr ? scan_two<false>(node, block, groups)
                                        : scan_two<true>(node, block, groups);
    }
    return block.differs == nullptr ? scan_classes<false>(node, block, counts, groups)
                                    : scan_classes<true>(node, block, counts, groups);
}

}  // namespace shrubs
