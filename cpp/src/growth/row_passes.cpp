#include "shrubs/growth/row_passes.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/simd/dispatch.hpp"
#include "shrubs/simd/four_floats.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

template <std::uint32_t n_fours>
bool measure_fours(const Rows& rows, float* low, float* high) {
    FourFloats lows[n_fours];
    FourFloats highs[n_fours];
    FourFloats sums[n_fours];
    for (std::uint32_t k = 0; k < n_fours; ++k) {
        lows[k] = FourFloats::all(infinity);
        highs[k] = FourFloats::all(-infinity);
        sums[k] = FourFloats::all(0.0F);
    }
    for (std::size_t at = 0; at < rows.slots.size(); ++at) {
        const float* row = rows.row(at);
        for (std::uint32_t k = 0; k < n_fours; ++k) {
            const FourFloats values = load_four(row + 4 * k);
            lows[k] = FourFloats::smaller(values, lows[k]);
            highs[k] = FourFloats::larger(values, highs[k]);
            sums[k] = sums[k] + values;
        }
    }
    // A sum with a missing value is not a number, nor is one of infinities of both signs, which
    // only sums that overflow could bring; that costs time and nothing else.
    bool some_missing = false;
    for (std::uint32_t k = 0; k < n_fours; ++k) {
        store_four(low + 4 * k, lows[k]);
        store_four(high + 4 * k, highs[k]);
        some_missing = some_missing || sums[k].has_missing();
    }
    return some_missing;
}

template <std::uint32_t n_fours>
void count_fours(const Rows& rows, std::span<const std::uint32_t> totals, const float* cuts,
                 float* counts) {
    FourFloats at_most[n_fours];
    for (std::uint32_t k = 0; k < n_fours; ++k) {
        at_most[k] = load_four(cuts + 4 * k);
    }
    std::size_t at = 0;
    for (std::size_t c = 0; c < totals.size(); ++c) {
        FourFloats sums[n_fours];
        for (std::uint32_t k = 0; k < n_fours; ++k) {
            sums[k] = FourFloats::all(0.0F);
        }
        for (const std::size_t end = at + totals[c]; at < end; ++at) {
            const float* row = rows.row(at);
            for (std::uint32_t k = 0; k < n_fours; ++k) {
                sums[k] = sums[k] + FourFloats::at_most(load_four(row + 4 * k), at_most[k]);
            }
        }
        for (std::uint32_t k = 0; totals[c] > 0 && k < n_fours; ++k) {
            store_four(counts + 4 * (c * n_fours + k), sums[k]);
        }
    }
}

// sum R^2 = sum T^2 - 2 sum T L + sum L^2, in steps that are exact.
template <std::uint32_t n_fours>
void score_fours(std::span<const std::uint32_t> totals, const float* counts, float least,
                 CutScores<4 * n_fours>& cuts) {
    FourFloats sizes[n_fours];
    FourFloats squares[n_fours];
    FourFloats crossed[n_fours];
    for (std::uint32_t k = 0; k < n_fours; ++k) {
        sizes[k] = squares[k] = crossed[k] = FourFloats::all(0.0F);
    }
    float node_squares = 0.0F;
    float size = 0.0F;
    for (std::size_t c = 0; c < totals.size(); ++c, counts += 4 * n_fours) {
        if (totals[c] == 0) {
            continue;
        }
        const auto total = static_cast<float>(static_cast<std::int32_t>(totals[c]));
        node_squares += total * total;
        size += total;
        for (std::uint32_t k = 0; k < n_fours; ++k) {
            const FourFloats count = load_four(counts + 4 * k);
            sizes[k] = sizes[k] + count;
            squares[k] = squares[k] + count * count;
            crossed[k] = crossed[k] + count * FourFloats::all(total);
        }
    }
    FourFloats largest = FourFloats::all(0.0F);
    for (std::uint32_t k = 0; k < n_fours; ++k) {
        const FourFloats right_squares =
            FourFloats::all(node_squares) - (crossed[k] + crossed[k]) + squares[k];
        const FourFloats n_right = FourFloats::all(size) - sizes[k];
        const FourFloats allowed = FourFloats::at_most(FourFloats::all(least), sizes[k]) *
                                   FourFloats::at_most(FourFloats::all(least), n_right);
        const FourFloats score = (squares[k] * n_right + right_squares * sizes[k]) /
                                 FourFloats::larger(sizes[k] * n_right, FourFloats::all(1.0F)) *
                                 allowed;
        store_four(cuts.n_left + 4 * k, sizes[k]);
        store_four(cuts.left_squares + 4 * k, squares[k]);
        store_four(cuts.right_squares + 4 * k, right_squares);
        store_four(cuts.scores + 4 * k, score);
        largest = FourFloats::larger(score, largest);
    }
    float four[4];
    store_four(four, largest);
    cuts.largest = std::max(std::max(four[0], four[1]), std::max(four[2], four[3]));
}

#ifdef SHRUBS_AVX2

template <std::uint32_t n_eights>
[[gnu::target("avx2")]] bool measure_eights(const Rows& rows, float* low, float* high) {
    __m256 lows[n_eights];
    __m256 highs[n_eights];
    __m256 sums[n_eights];
    for (std::uint32_t k = 0; k < n_eights; ++k) {
        lows[k] = _mm256_set1_ps(infinity);
        highs[k] = _mm256_set1_ps(-infinity);
        sums[k] = _mm256_setzero_ps();
    }
    for (std::size_t at = 0; at < rows.slots.size(); ++at) {
        const float* row = rows.row(at);
        for (std::uint32_t k = 0; k < n_eights; ++k) {
            const __m256 values = _mm256_loadu_ps(row + 8 * k);
            lows[k] = _mm256_min_ps(values, lows[k]);
            highs[k] = _mm256_max_ps(values, highs[k]);
            sums[k] = _mm256_add_ps(sums[k], values);
        }
    }
    int missing = 0;
    for (std::uint32_t k = 0; k < n_eights; ++k) {
        _mm256_storeu_ps(low + 8 * k, lows[k]);
        _mm256_storeu_ps(high + 8 * k, highs[k]);
        missing |= _mm256_movemask_ps(_mm256_cmp_ps(sums[k], sums[k], _CMP_UNORD_Q));
    }
    return missing != 0;
}

template <std::uint32_t n_eights>
[[gnu::target("avx2")]] void count_eights(const Rows& rows, std::span<const std::uint32_t> totals,
                                          const float* cuts, float* counts) {
    __m256 at_most[n_eights];
    for (std::uint32_t k = 0; k < n_eights; ++k) {
        at_most[k] = _mm256_loadu_ps(cuts + 8 * k);
    }
    std::size_t at = 0;
    for (std::size_t c = 0; c < totals.size(); ++c) {
        __m256i sums[n_eights];
        for (std::uint32_t k = 0; k < n_eights; ++k) {
            sums[k] = _mm256_setzero_si256();
        }
        for (const std::size_t end = at + totals[c]; at < end; ++at) {
            const float* row = rows.row(at);
            for (std::uint32_t k = 0; k < n_eights; ++k) {
                // All bits of a value that counts are ones, which is -1.
                const __m256 counts_one =
                    _mm256_cmp_ps(_mm256_loadu_ps(row + 8 * k), at_most[k], _CMP_LE_OQ);
                sums[k] = _mm256_sub_epi32(sums[k], _mm256_castps_si256(counts_one));
            }
        }
        for (std::uint32_t k = 0; totals[c] > 0 && k < n_eights; ++k) {
            _mm256_storeu_ps(counts + 8 * (c * n_eights + k), _mm256_cvtepi32_ps(sums[k]));
        }
    }
}

template <std::uint32_t n_eights>
[[gnu::target("avx2")]] void score_eights(std::span<const std::uint32_t> totals,
                                          const float* counts, float least,
                                          CutScores<8 * n_eights>& cuts) {
    __m256 sizes[n_eights];
    __m256 squares[n_eights];
    __m256 crossed[n_eights];
    for (std::uint32_t k = 0; k < n_eights; ++k) {
        sizes[k] = squares[k] = crossed[k] = _mm256_setzero_ps();
    }
    float node_squares = 0.0F;
    float size = 0.0F;
    for (std::size_t c = 0; c < totals.size(); ++c, counts += 8 * n_eights) {
        if (totals[c] == 0) {
            continue;
        }
        const auto total = static_cast<float>(static_cast<std::int32_t>(totals[c]));
        node_squares += total * total;
        size += total;
        for (std::uint32_t k = 0; k < n_eights; ++k) {
            const __m256 count = _mm256_loadu_ps(counts + 8 * k);
            sizes[k] = _mm256_add_ps(sizes[k], count);
            squares[k] = _mm256_add_ps(squares[k], _mm256_mul_ps(count, count));
            crossed[k] = _mm256_add_ps(crossed[k], _mm256_mul_ps(count, _mm256_set1_ps(total)));
        }
    }
    const __m256 leasts = _mm256_set1_ps(least);
    __m256 largest = _mm256_setzero_ps();
    for (std::uint32_t k = 0; k < n_eights; ++k) {
        const __m256 right_squares = _mm256_add_ps(
            _mm256_sub_ps(_mm256_set1_ps(node_squares), _mm256_add_ps(crossed[k], crossed[k])),
            squares[k]);
        const __m256 n_right = _mm256_sub_ps(_mm256_set1_ps(size), sizes[k]);
        const __m256 allowed = _mm256_and_ps(_mm256_cmp_ps(leasts, sizes[k], _CMP_LE_OQ),
                                             _mm256_cmp_ps(leasts, n_right, _CMP_LE_OQ));
        const __m256 above = _mm256_add_ps(_mm256_mul_ps(squares[k], n_right),
                                           _mm256_mul_ps(right_squares, sizes[k]));
        const __m256 below = _mm256_max_ps(_mm256_mul_ps(sizes[k], n_right), _mm256_set1_ps(1.0F));
        const __m256 score = _mm256_and_ps(_mm256_div_ps(above, below), allowed);
        _mm256_storeu_ps(cuts.n_left + 8 * k, sizes[k]);
        _mm256_storeu_ps(cuts.left_squares + 8 * k, squares[k]);
        _mm256_storeu_ps(cuts.right_squares + 8 * k, right_squares);
        _mm256_storeu_ps(cuts.scores + 8 * k, score);
        largest = _mm256_max_ps(score, largest);
    }
    const __m128 four =
        _mm_max_ps(_mm256_castps256_ps128(largest), _mm256_extractf128_ps(largest, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    cuts.largest = _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

#endif

}  // namespace

template <std::uint32_t width>
bool measure(const Rows& rows, float* low, float* high) {
#ifdef SHRUBS_AVX2
    if constexpr (width >= 8) {
        if (has_avx2()) {
            return measure_eights<width / 8>(rows, low, high);
        }
    }
#endif
    return measure_fours<width / 4>(rows, low, high);
}

template <std::uint32_t width>
void count_up_to(const Rows& rows, std::span<const std::uint32_t> totals, const float* cuts,
                 float* counts) {
#ifdef SHRUBS_AVX2
    if constexpr (width >= 8) {
        if (has_avx2()) {
            count_eights<width / 8>(rows, totals, cuts, counts);
            return;
        }
    }
#endif
    count_fours<width / 4>(rows, totals, cuts, counts);
}

template <std::uint32_t width>
void score_cuts(std::span<const std::uint32_t> totals, const float* counts,
                std::uint32_t min_samples_leaf, CutScores<width>& cuts) {
    const auto least = static_cast<float>(min_samples_leaf);
#ifdef SHRUBS_AVX2
    if constexpr (width >= 8) {
        if (has_avx2()) {
            score_eights<width / 8>(totals, counts, least, cuts);
            return;
        }
    }
#endif
    score_fours<width / 4>(totals, counts, least, cuts);
}

template void score_cuts<4>(std::span<const std::uint32_t>, const float*, std::uint32_t,
                            CutScores<4>&);
template void score_cuts<8>(std::span<const std::uint32_t>, const float*, std::uint32_t,
                            CutScores<8>&);
template void score_cuts<16>(std::span<const std::uint32_t>, const float*, std::uint32_t,
                             CutScores<16>&);
template void score_cuts<24>(std::span<const std::uint32_t>, const float*, std::uint32_t,
                             CutScores<24>&);
template bool measure<4>(const Rows&, float*, float*);
template bool measure<8>(const Rows&, float*, float*);
template bool measure<16>(const Rows&, float*, float*);
template bool measure<24>(const Rows&, float*, float*);
template void count_up_to<4>(const Rows&, std::span<const std::uint32_t>, const float*, float*);
template void count_up_to<8>(const Rows&, std::span<const std::uint32_t>, const float*, float*);
template void count_up_to<16>(const Rows&, std::span<const std::uint32_t>, const float*, float*);
template void count_up_to<24>(const Rows&, std::span<const std::uint32_t>, const float*, float*);

}  // namespace shrubs
