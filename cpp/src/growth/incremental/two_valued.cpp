#include "shrubs/growth/incremental/two_valued.hpp"

#include <algorithm>
#include <cstring>

#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

namespace {

// As many ones fit into a byte.
constexpr std::size_t chunk = 255;

// Adds some bytes at once; none of them overflows.
template <class Bytes>
void add_some(const std::uint8_t* row, std::uint8_t* sums) {
    Bytes sum;
    Bytes more;
    std::memcpy(&sum, sums, sizeof sum);
    std::memcpy(&more, row, sizeof more);
    sum += more;
    std::memcpy(sums, &sum, sizeof sum);
}

// Adds bytes, `n` of them, a multiple of eight.
void add_bytes(const std::uint8_t* row, std::size_t n, std::uint8_t* sums) {
    std::size_t i = 0;
#if defined(__GNUC__)
    using Sixteen = std::uint8_t __attribute__((vector_size(16)));
    for (; i + 16 <= n; i += 16) {
        add_some<Sixteen>(row + i, sums + i);
    }
#endif
    for (; i < n; i += 8) {
        add_some<std::uint64_t>(row + i, sums + i);
    }
}

#ifdef SHRUBS_AVX2

// What `TwoValuedCounts::scores` does, all eight features in one register; `counts` are those of
// class 0.
[[gnu::target("avx2")]] void score_eight(const ScannedNode& node, const std::uint16_t* counts,
                                         std::size_t stride, float* scores) {
    __m256 n_right = _mm256_setzero_ps();
    __m256 squares_right = _mm256_setzero_ps();
    __m256 cross = _mm256_setzero_ps();
    float squares = 0.0F;
    const bool one_class = counts_one_class(node);
    for (const std::uint16_t c : node.classes) {
        const __m128i shorts =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(counts + c * stride));
        const __m256 right = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(shorts));
        n_right = _mm256_add_ps(n_right, right);
        if (!one_class || c == node.classes[1]) {
            const auto total = static_cast<float>(node.totals[c]);
            squares += total * total;
            squares_right = _mm256_add_ps(squares_right, _mm256_mul_ps(right, right));
            cross = _mm256_add_ps(cross, _mm256_mul_ps(right, _mm256_set1_ps(total)));
        }
    }
    const __m256 n_left = _mm256_sub_ps(_mm256_set1_ps(static_cast<float>(node.size)), n_right);
    const __m256 squares_left = _mm256_add_ps(_mm256_sub_ps(_mm256_set1_ps(squares), cross),
                                              _mm256_sub_ps(squares_right, cross));
    const __m256 above =
        _mm256_add_ps(_mm256_mul_ps(squares_left, n_right), _mm256_mul_ps(squares_right, n_left));
    const __m256 sides = _mm256_max_ps(_mm256_mul_ps(n_left, n_right), _mm256_set1_ps(1.0F));
    _mm256_storeu_ps(scores, _mm256_div_ps(above, sides));
}

#endif

}  // namespace

void TwoValuedCounts::count(const Window& window, std::span<const std::uint16_t> members,
                            std::span<const std::uint16_t> classes) {
    // Stores of bytes may change anything in the eyes of a compiler, but not these.
    const std::size_t stride = window.row_stride();
    const std::uint8_t* rows = window.byte_row(0);
    const std::uint16_t* labels = window.labels().data();
    std::uint8_t* bytes = bytes_.data();
    stride_ = stride;
    for (std::size_t begin = 0; begin < members.size(); begin += chunk) {
        for (const std::uint16_t c : classes) {
            std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(c * stride_), stride_,
                        std::uint8_t{0});
        }
        for (const std::uint16_t slot :
             members.subspan(begin, std::min(chunk, members.size() - begin))) {
            add_bytes(rows + slot * stride, stride, bytes + labels[slot] * stride);
        }
        for (const std::uint16_t c : classes) {
            const std::uint8_t* sums = bytes_.data() + c * stride_;
            std::uint16_t* counts = counts_.data() + c * stride_;
            if (begin == 0) {
                std::copy_n(sums, stride_, counts);
                continue;
            }
            for (std::size_t i = 0; i < stride_; ++i) {
                counts[i] = static_cast<std::uint16_t>(counts[i] + sums[i]);
            }
        }
    }
}

EightFloats TwoValuedCounts::scores(const ScannedNode& node, std::uint32_t first_feature) const {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        float scores[lane_width];
        score_eight(node, counts_.data() + first_feature, stride_, scores);
        return EightFloats::load(scores);
    }
#endif
    const EightFloats zero = EightFloats::all(0.0F);
    EightFloats n_right = zero;
    EightFloats squares_right = zero;
    EightFloats cross = zero;
    float squares = 0.0F;
    const bool one_class = counts_one_class(node);
    for (const std::uint16_t c : node.classes) {
        const EightFloats right =
            to_floats(widen(EightShorts::load(counts_.data() + c * stride_ + first_feature)));
        n_right = n_right + right;
        if (!one_class || c == node.classes[1]) {
            const auto total = static_cast<float>(node.totals[c]);
            squares += total * total;
            squares_right = squares_right + right * right;
            cross = cross + right * EightFloats::all(total);
        }
    }
    const EightFloats n_left = EightFloats::all(static_cast<float>(node.size)) - n_right;
    // sum L^2 = sum T^2 - 2 sum T R + sum R^2, in steps that are exact.
    const EightFloats squares_left = (EightFloats::all(squares) - cross) + (squares_right - cross);
    const EightFloats sides = larger(n_left * n_right, EightFloats::all(1.0F));
    return (squares_left * n_right + squares_right * n_left) / sides;
}

}  // namespace shrubs
