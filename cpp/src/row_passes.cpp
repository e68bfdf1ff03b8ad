#include "shrubs/row_passes.hpp"

#include <limits>

#include "shrubs/four_floats.hpp"
#include "shrubs/processor.hpp"

#if defined(__GNUC__) && defined(__x86_64__)
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

#if defined(__GNUC__) && defined(__x86_64__)

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

#endif

}  // namespace

template <std::uint32_t width>
bool measure(const Rows& rows, float* low, float* high) {
#if defined(__GNUC__) && defined(__x86_64__)
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
#if defined(__GNUC__) && defined(__x86_64__)
    if constexpr (width >= 8) {
        if (has_avx2()) {
            count_eights<width / 8>(rows, totals, cuts, counts);
            return;
        }
    }
#endif
    count_fours<width / 4>(rows, totals, cuts, counts);
}

template bool measure<4>(const Rows&, float*, float*);
template bool measure<8>(const Rows&, float*, float*);
template bool measure<16>(const Rows&, float*, float*);
template void count_up_to<4>(const Rows&, std::span<const std::uint32_t>, const float*, float*);
template void count_up_to<8>(const Rows&, std::span<const std::uint32_t>, const float*, float*);
template void count_up_to<16>(const Rows&, std::span<const std::uint32_t>, const float*, float*);

}  // namespace shrubs
