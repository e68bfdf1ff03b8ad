#pragma once

// Floats side by side: four in the vector types of GCC and Clang (elsewhere in an array), eight
// with AVX2. A kernel is a template over one of them, and is compiled for both. Every operation is
// the one on single floats, so the bits are the same.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

struct FourFloats {
    static constexpr std::uint32_t size = 4;
#if defined(__GNUC__)
    using Vector = float __attribute__((vector_size(16)));
    using Ints = int __attribute__((vector_size(16)));  // what comparing two of them gives
    Vector of;

    static FourFloats of_each(float a, float b, float c, float d) { return {Vector{a, b, c, d}}; }
    static FourFloats load(const std::uint16_t* from) {
        std::uint16_t __attribute__((vector_size(8))) shorts;
        std::memcpy(&shorts, from, sizeof shorts);
        return {__builtin_convertvector(__builtin_convertvector(shorts, Ints), Vector)};
    }
    template <class Operation>
    static FourFloats each(const FourFloats& a, const FourFloats& b, Operation operation) {
        return {operation(a.of, b.of)};
    }
    template <class Holds>
    static std::uint32_t bits(const FourFloats& a, const FourFloats& b, Holds holds) {
        const Ints found = holds(a.of, b.of);
#ifdef __SSE__
        return static_cast<std::uint32_t>(__builtin_ia32_movmskps(reinterpret_cast<Vector>(found)));
#else
        return (found[0] & 1U) | (found[1] & 2U) | (found[2] & 4U) | (found[3] & 8U);
#endif
    }
    static constexpr auto one_if_at_most = [](Vector x, Vector y) {
        return reinterpret_cast<Vector>((x <= y) & std::bit_cast<std::int32_t>(1.0F));
    };
    static constexpr auto one_if_equal = [](Vector x, Vector y) {
        return reinterpret_cast<Vector>((x == y) & std::bit_cast<std::int32_t>(1.0F));
    };
    /// 1 where `b` is at least `a` and at most `c`, otherwise 0.
    static FourFloats between(const FourFloats& a, const FourFloats& b, const FourFloats& c) {
        return {reinterpret_cast<Vector>((a.of <= b.of) & (b.of <= c.of) &
                                         std::bit_cast<std::int32_t>(1.0F))};
    }
    /// `value` where `a` is above `b`, otherwise 0.
    static FourFloats if_above(const FourFloats& a, const FourFloats& b, const FourFloats& value) {
        return {reinterpret_cast<Vector>((a.of > b.of) & reinterpret_cast<Ints>(value.of))};
    }
#else
    float of[4];

    static FourFloats of_each(float a, float b, float c, float d) { return {{a, b, c, d}}; }
    static FourFloats load(const std::uint16_t* from) {
        FourFloats result;
        std::copy_n(from, 4, result.of);
        return result;
    }
    template <class Operation>
    static FourFloats each(const FourFloats& a, const FourFloats& b, Operation operation) {
        FourFloats result;
        for (int i = 0; i < 4; ++i) {
            result.of[i] = operation(a.of[i], b.of[i]);
        }
        return result;
    }
    template <class Holds>
    static std::uint32_t bits(const FourFloats& a, const FourFloats& b, Holds holds) {
        std::uint32_t result = 0;
        for (std::uint32_t i = 0; i < size; ++i) {
            result |= (holds(a.of[i], b.of[i]) ? 1U : 0U) << i;
        }
        return result;
    }
    static constexpr auto one_if_at_most = [](float x, float y) { return x <= y ? 1.0F : 0.0F; };
    static constexpr auto one_if_equal = [](float x, float y) { return x == y ? 1.0F : 0.0F; };
    static FourFloats between(const FourFloats& a, const FourFloats& b, const FourFloats& c) {
        return at_most(a, b) * at_most(b, c);
    }
    static FourFloats if_above(const FourFloats& a, const FourFloats& b, const FourFloats& value) {
        FourFloats result;
        for (int i = 0; i < 4; ++i) {
            result.of[i] = a.of[i] > b.of[i] ? value.of[i] : 0.0F;
        }
        return result;
    }
#endif

    static FourFloats all(float value) { return of_each(value, value, value, value); }
    static FourFloats load(const float* from) {
        FourFloats four;
        std::memcpy(&four, from, sizeof four);
        return four;
    }
    void store(float* to) const { std::memcpy(to, this, sizeof *this); }

    FourFloats operator+(const FourFloats& b) const {
        return each(*this, b, [](auto x, auto y) { return x + y; });
    }
    FourFloats operator-(const FourFloats& b) const {
        return each(*this, b, [](auto x, auto y) { return x - y; });
    }
    FourFloats operator*(const FourFloats& b) const {
        return each(*this, b, [](auto x, auto y) { return x * y; });
    }
    FourFloats operator/(const FourFloats& b) const {
        return each(*this, b, [](auto x, auto y) { return x / y; });
    }
    /// `b` where both are equal or one is not a number.
    static FourFloats smaller(const FourFloats& a, const FourFloats& b) {
        return each(a, b, [](auto x, auto y) { return x < y ? x : y; });
    }
    static FourFloats larger(const FourFloats& a, const FourFloats& b) {
        return each(a, b, [](auto x, auto y) { return x > y ? x : y; });
    }
    /// 1 where `a` is at most `b`, otherwise 0.
    static FourFloats at_most(const FourFloats& a, const FourFloats& b) {
        return each(a, b, one_if_at_most);
    }
    /// 1 where both are equal, otherwise 0.
    static FourFloats equal(const FourFloats& a, const FourFloats& b) {
        return each(a, b, one_if_equal);
    }
    /// A bit for each, 1 where it holds.
    static constexpr std::uint32_t everywhere = 0xF;
    static std::uint32_t where_at_most(const FourFloats& a, const FourFloats& b) {
        return bits(a, b, [](auto x, auto y) { return x <= y; });
    }
    static std::uint32_t where_equal(const FourFloats& a, const FourFloats& b) {
        return bits(a, b, [](auto x, auto y) { return x == y; });
    }
    static std::uint32_t missing(const FourFloats& a) {
        return bits(a, a, [](auto x, auto y) { return x != y; });
    }
    float smallest() const { return std::min(std::min(of[0], of[1]), std::min(of[2], of[3])); }
    bool has_missing() const {
        return of[0] != of[0] || of[1] != of[1] || of[2] != of[2] || of[3] != of[3];
    }
    float largest() const { return std::max(std::max(of[0], of[1]), std::max(of[2], of[3])); }
};

#ifdef SHRUBS_AVX2

/// The operations of `FourFloats` that kernels need eight at a time.
struct EightFloats {
    static constexpr std::uint32_t size = 8;

    [[gnu::target("avx2")]] static EightFloats all(float value) { return {_mm256_set1_ps(value)}; }
    [[gnu::target("avx2")]] static EightFloats load(const float* from) {
        return {_mm256_loadu_ps(from)};
    }
    /// Four of one place and four of another.
    [[gnu::target("avx2")]] static EightFloats load(const float* low, const float* high) {
        return {
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1)};
    }
    [[gnu::target("avx2")]] void store(float* to) const { _mm256_storeu_ps(to, of); }

    [[gnu::target("avx2")]] EightFloats operator+(const EightFloats& b) const {
        return {_mm256_add_ps(of, b.of)};
    }
    [[gnu::target("avx2")]] EightFloats operator-(const EightFloats& b) const {
        return {_mm256_sub_ps(of, b.of)};
    }
    [[gnu::target("avx2")]] EightFloats operator*(const EightFloats& b) const {
        return {_mm256_mul_ps(of, b.of)};
    }
    [[gnu::target("avx2")]] EightFloats operator/(const EightFloats& b) const {
        return {_mm256_div_ps(of, b.of)};
    }
    [[gnu::target("avx2")]] static EightFloats smaller(const EightFloats& a, const EightFloats& b) {
        return {_mm256_min_ps(a.of, b.of)};
    }
    [[gnu::target("avx2")]] static EightFloats larger(const EightFloats& a, const EightFloats& b) {
        return {_mm256_max_ps(a.of, b.of)};
    }
    [[gnu::target("avx2")]] static EightFloats at_most(const EightFloats& a, const EightFloats& b) {
        return {_mm256_and_ps(_mm256_cmp_ps(a.of, b.of, _CMP_LE_OQ), _mm256_set1_ps(1.0F))};
    }
    [[gnu::target("avx2")]] static EightFloats equal(const EightFloats& a, const EightFloats& b) {
        return {_mm256_and_ps(_mm256_cmp_ps(a.of, b.of, _CMP_EQ_OQ), _mm256_set1_ps(1.0F))};
    }
    [[gnu::target("avx2")]] static EightFloats between(const EightFloats& a, const EightFloats& b,
                                                       const EightFloats& c) {
        return {_mm256_and_ps(_mm256_cmp_ps(a.of, b.of, _CMP_LE_OQ), at_most(b, c).of)};
    }
    [[gnu::target("avx2")]] static EightFloats if_above(const EightFloats& a, const EightFloats& b,
                                                        const EightFloats& value) {
        return {_mm256_and_ps(_mm256_cmp_ps(a.of, b.of, _CMP_GT_OQ), value.of)};
    }
    static constexpr std::uint32_t everywhere = 0xFF;
    [[gnu::target("avx2")]] static std::uint32_t where_at_most(const EightFloats& a,
                                                               const EightFloats& b) {
        return static_cast<std::uint32_t>(
            _mm256_movemask_ps(_mm256_cmp_ps(a.of, b.of, _CMP_LE_OQ)));
    }
    [[gnu::target("avx2")]] bool has_missing() const {
        return _mm256_movemask_ps(_mm256_cmp_ps(of, of, _CMP_UNORD_Q)) != 0;
    }

    __m256 of;
};

#endif

}  // namespace shrubs
