#pragma once

// Floats side by side: four in the vector types of GCC and Clang (elsewhere in an array), eight
// with AVX2. A kernel is a template over one of them, and is compiled for both. Every operation is
// the one on single floats, so the bits are the same.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

#if defined(__GNUC__)

struct FourFloats {
    using Vector = float __attribute__((vector_size(16)));
    using Ints = std::int32_t __attribute__((vector_size(16)));
    static constexpr std::uint32_t size = 4;

    static FourFloats all(float value) { return {Vector{value, value, value, value}}; }
    static FourFloats load(const float* from) {
        FourFloats four;
        std::memcpy(&four, from, sizeof four);
        return four;
    }
    static FourFloats load(const std::uint16_t* from) {
        std::uint16_t __attribute__((vector_size(8))) shorts;
        std::memcpy(&shorts, from, sizeof shorts);
        return {__builtin_convertvector(__builtin_convertvector(shorts, Ints), Vector)};
    }
    void store(float* to) const { std::memcpy(to, this, sizeof *this); }

    FourFloats operator+(const FourFloats& b) const { return {of + b.of}; }
    FourFloats operator-(const FourFloats& b) const { return {of - b.of}; }
    FourFloats operator*(const FourFloats& b) const { return {of * b.of}; }
    FourFloats operator/(const FourFloats& b) const { return {of / b.of}; }
    /// `b` where both are equal or one is not a number.
    static FourFloats smaller(const FourFloats& a, const FourFloats& b) {
        return {a.of < b.of ? a.of : b.of};
    }
    static FourFloats larger(const FourFloats& a, const FourFloats& b) {
        return {a.of > b.of ? a.of : b.of};
    }
    /// 1 where `a` is at most `b`, otherwise 0.
    static FourFloats at_most(const FourFloats& a, const FourFloats& b) {
        return {reinterpret_cast<Vector>((a.of <= b.of) & reinterpret_cast<Ints>(all(1.0F).of))};
    }
    bool has_missing() const {
        const Ints mask = of != of;
        return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
    }
    float largest() const { return std::max(std::max(of[0], of[1]), std::max(of[2], of[3])); }

    Vector of;
};

#else

struct FourFloats {
    static constexpr std::uint32_t size = 4;

    template <class Operation>
    static FourFloats each(Operation operation) {
        return {{operation(0), operation(1), operation(2), operation(3)}};
    }
    static FourFloats all(float value) { return {{value, value, value, value}}; }
    template <class T>
    static FourFloats load(const T* from) {
        return each([&](int i) { return static_cast<float>(from[i]); });
    }
    void store(float* to) const { std::memcpy(to, this, sizeof *this); }

    FourFloats operator+(const FourFloats& b) const {
        return each([&](int i) { return of[i] + b.of[i]; });
    }
    FourFloats operator-(const FourFloats& b) const {
        return each([&](int i) { return of[i] - b.of[i]; });
    }
    FourFloats operator*(const FourFloats& b) const {
        return each([&](int i) { return of[i] * b.of[i]; });
    }
    FourFloats operator/(const FourFloats& b) const {
        return each([&](int i) { return of[i] / b.of[i]; });
    }
    static FourFloats smaller(const FourFloats& a, const FourFloats& b) {
        return each([&](int i) { return a.of[i] < b.of[i] ? a.of[i] : b.of[i]; });
    }
    static FourFloats larger(const FourFloats& a, const FourFloats& b) {
        return each([&](int i) { return a.of[i] > b.of[i] ? a.of[i] : b.of[i]; });
    }
    static FourFloats at_most(const FourFloats& a, const FourFloats& b) {
        return each([&](int i) { return a.of[i] <= b.of[i] ? 1.0F : 0.0F; });
    }
    bool has_missing() const {
        return of[0] != of[0] || of[1] != of[1] || of[2] != of[2] || of[3] != of[3];
    }
    float largest() const { return std::max(std::max(of[0], of[1]), std::max(of[2], of[3])); }

    float of[4];
};

#endif

#ifdef SHRUBS_AVX2

struct EightFloats {
    static constexpr std::uint32_t size = 8;

    [[gnu::target("avx2")]] static EightFloats all(float value) { return {_mm256_set1_ps(value)}; }
    [[gnu::target("avx2")]] static EightFloats load(const float* from) {
        return {_mm256_loadu_ps(from)};
    }
    [[gnu::target("avx2")]] static EightFloats load(const std::uint16_t* from) {
        const __m128i shorts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        return {_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(shorts))};
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
    [[gnu::target("avx2")]] bool has_missing() const {
        return _mm256_movemask_ps(_mm256_cmp_ps(of, of, _CMP_UNORD_Q)) != 0;
    }
    [[gnu::target("avx2")]] float largest() const {
        const __m128 four = _mm_max_ps(_mm256_castps256_ps128(of), _mm256_extractf128_ps(of, 1));
        const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
    }

    __m256 of;
};

#endif

}  // namespace shrubs
