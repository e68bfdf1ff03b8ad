#include "shrubs/growth/incremental/lane_differences.hpp"

#include <algorithm>

#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

namespace {

void mark_lane(const BlockValues& block, std::uint32_t lane, std::uint32_t n_places,
               std::uint16_t* differs) {
    const std::uint16_t* entry = block.entries + lane;
    std::uint16_t* mark = differs + lane;
    const float* values = block.columns[lane];
    if (values == nullptr) {
        for (std::uint32_t place = 0; place + 1 < n_places; ++place, mark += lane_width) {
            *mark = 1;
        }
        return;
    }
    const std::uint32_t slots = (1U << block.slot_bits) - 1;
    float value = values[*entry & slots];
    for (std::uint32_t place = 0; place + 1 < n_places; ++place, mark += lane_width) {
        entry += lane_width;
        const float next = values[*entry & slots];
        *mark = value != next ? 1 : 0;
        value = next;
    }
}

#ifdef SHRUBS_AVX2

// All eight lanes at once. A lane without values compares the first value of another one with
// itself, and that does not count.
[[gnu::target("avx2")]] void mark_avx2(const BlockValues& block, std::uint32_t n_places,
                                       std::uint16_t* differs) {
    const float* values =
        *std::ranges::find_if(block.columns, [](const float* column) { return column != nullptr; });
    std::int32_t offset[lane_width] = {};
    std::int32_t slot_mask[lane_width] = {};
    for (std::uint32_t lane = 0; lane < lane_width; ++lane) {
        if (block.columns[lane] != nullptr) {
            offset[lane] = static_cast<std::int32_t>(block.columns[lane] - values);
            slot_mask[lane] = static_cast<std::int32_t>((1U << block.slot_bits) - 1);
        }
    }
    const __m256i offsets = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset));
    const __m256i slots = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(slot_mask));
    const __m256i counts = _mm256_cmpgt_epi32(slots, _mm256_setzero_si256());
    const __m128i one = _mm_set1_epi16(1);
    const auto* from = reinterpret_cast<const __m128i*>(block.entries);
    auto* to = reinterpret_cast<__m128i*>(differs);
    __m256 value = _mm256_setzero_ps();
    for (std::uint32_t place = 0; place < n_places; ++place) {
        const __m256i entries = _mm256_cvtepu16_epi32(_mm_loadu_si128(from + place));
        const __m256 next = _mm256_i32gather_ps(
            values, _mm256_add_epi32(_mm256_and_si256(entries, slots), offsets), sizeof(float));
        if (place > 0) {
            const __m256i same = _mm256_and_si256(
                _mm256_castps_si256(_mm256_cmp_ps(value, next, _CMP_EQ_OQ)), counts);
            const __m128i shorts =
                _mm_packs_epi32(_mm256_castsi256_si128(same), _mm256_extracti128_si256(same, 1));
            _mm_storeu_si128(to + (place - 1), _mm_add_epi16(shorts, one));
        }
        value = next;
    }
}

#endif

}  // namespace

void mark_differences(const BlockValues& block, std::uint32_t n_places, std::uint16_t* differs) {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        mark_avx2(block, n_places, differs);
        return;
    }
#endif
    for (std::uint32_t lane = 0; lane < lane_width; ++lane) {
        mark_lane(block, lane, n_places, differs);
    }
}

}  // namespace shrubs
