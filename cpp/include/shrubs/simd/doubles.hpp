#pragma once

// Four doubles side by side, with AVX2. Every operation is the one on single doubles, so the bits
// are the same.

#include <cstdint>

#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>

namespace shrubs {

struct FourDoubles {
    static constexpr std::uint32_t size = 4;

    [[gnu::target("avx2")]] static FourDoubles all(double value) { return {_mm256_set1_pd(value)}; }
    [[gnu::target("avx2")]] static FourDoubles load(const double* from) {
        return {_mm256_loadu_pd(from)};
    }
    [[gnu::target("avx2")]] static FourDoubles load(const float* from) {
        return {_mm256_cvtps_pd(_mm_loadu_ps(from))};
    }
    [[gnu::target("avx2")]] void store(double* to) const { _mm256_storeu_pd(to, of); }

    [[gnu::target("avx2")]] FourDoubles operator+(const FourDoubles& b) const {
        return {_mm256_add_pd(of, b.of)};
    }
    [[gnu::target("avx2")]] FourDoubles operator-(const FourDoubles& b) const {
        return {_mm256_sub_pd(of, b.of)};
    }
    [[gnu::target("avx2")]] FourDoubles operator*(const FourDoubles& b) const {
        return {_mm256_mul_pd(of, b.of)};
    }
    [[gnu::target("avx2")]] FourDoubles operator/(const FourDoubles& b) const {
        return {_mm256_div_pd(of, b.of)};
    }

    /// `value` where `a` is a number, otherwise 0.
    [[gnu::target("avx2")]] static FourDoubles if_number(const FourDoubles& a,
                                                         const FourDoubles& value) {
        return {_mm256_and_pd(_mm256_cmp_pd(a.of, a.of, _CMP_ORD_Q), value.of)};
    }

    /// Bits of each, as those of whole numbers.
    [[gnu::target("avx2")]] FourDoubles operator&(std::uint64_t bits) const {
        return {_mm256_and_pd(of, as_doubles(bits))};
    }
    [[gnu::target("avx2")]] FourDoubles operator|(std::uint64_t bits) const {
        return {_mm256_or_pd(of, as_doubles(bits))};
    }
    [[gnu::target("avx2")]] FourDoubles operator>>(int n) const {
        return {_mm256_castsi256_pd(_mm256_srli_epi64(_mm256_castpd_si256(of), n))};
    }

    __m256d of;

 private:
    [[gnu::target("avx2")]] static __m256d as_doubles(std::uint64_t bits) {
        return _mm256_castsi256_pd(_mm256_set1_epi64x(static_cast<std::int64_t>(bits)));
    }
};

}  // namespace shrubs

#endif
