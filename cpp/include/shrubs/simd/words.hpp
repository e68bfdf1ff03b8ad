#pragma once

// Words of 32 bits side by side, modulo 2^32: four in the vector types of GCC and Clang (elsewhere
// in an array), eight with AVX2. A kernel is a template over one of them, as it is over floats.

#include <cstdint>
#include <cstring>

#include "shrubs/simd/floats.hpp"

namespace shrubs {

struct FourWords {
    using Floats = FourFloats;
    static constexpr std::uint32_t size = 4;
#if defined(__GNUC__)
    using Vector = std::uint32_t __attribute__((vector_size(16)));
    Vector of;

    template <class Operation>
    static FourWords each(const FourWords& a, const FourWords& b, Operation operation) {
        return {operation(a.of, b.of)};
    }
    /// All bits where both are equal.
    static FourWords where_equal(const FourFloats& a, const FourFloats& b) {
        return {(Vector)(a.of == b.of)};
    }
    static FourWords where_equal(const FourWords& a, const FourWords& b) {
        return {(Vector)(a.of == b.of)};
    }
    /// Requires words below 2^31.
    FourFloats as_floats() const {
        return {__builtin_convertvector((FourFloats::Ints)of, FourFloats::Vector)};
    }
#else
    std::uint32_t of[4];

    template <class Operation>
    static FourWords each(const FourWords& a, const FourWords& b, Operation operation) {
        FourWords result;
        for (int i = 0; i < 4; ++i) {
            result.of[i] = operation(a.of[i], b.of[i]);
        }
        return result;
    }
    static FourWords where_equal(const FourFloats& a, const FourFloats& b) {
        FourWords result;
        for (int i = 0; i < 4; ++i) {
            result.of[i] = a.of[i] == b.of[i] ? ~std::uint32_t{0} : 0;
        }
        return result;
    }
    static FourWords where_equal(const FourWords& a, const FourWords& b) {
        return each(a, b, [](auto x, auto y) { return x == y ? ~std::uint32_t{0} : 0; });
    }
    FourFloats as_floats() const {
        FourFloats result;
        for (int i = 0; i < 4; ++i) {
            result.of[i] = static_cast<float>(of[i]);
        }
        return result;
    }
#endif

    static FourWords all(std::uint32_t value) {
        const std::uint32_t values[4] = {value, value, value, value};
        return load(values);
    }
    static FourWords load(const std::uint32_t* from) {
        FourWords four;
        std::memcpy(&four, from, sizeof four);
        return four;
    }
    void store(std::uint32_t* to) const { std::memcpy(to, this, sizeof *this); }

    FourWords operator&(const FourWords& b) const {
        return each(*this, b, [](auto x, auto y) { return x & y; });
    }
    FourWords operator|(const FourWords& b) const {
        return each(*this, b, [](auto x, auto y) { return x | y; });
    }
    FourWords operator+(const FourWords& b) const {
        return each(*this, b, [](auto x, auto y) { return x + y; });
    }
    FourWords operator-(const FourWords& b) const {
        return each(*this, b, [](auto x, auto y) { return x - y; });
    }
    FourWords operator*(const FourWords& b) const {
        return each(*this, b, [](auto x, auto y) { return x * y; });
    }
    FourWords operator>>(int bits) const {
        return each(*this, *this, [bits](auto x, auto) { return x >> bits; });
    }
    /// The number of bits that are set.
    FourWords count_ones() const {
        const FourWords twos = *this - ((*this >> 1) & all(0x55555555U));
        const FourWords fours = (twos & all(0x33333333U)) + ((twos >> 2) & all(0x33333333U));
        return (((fours + (fours >> 4)) & all(0x0F0F0F0FU)) * all(0x01010101U)) >> 24;
    }
    bool are_all_set() const { return (of[0] & of[1] & of[2] & of[3]) == ~std::uint32_t{0}; }
};

#ifdef SHRUBS_AVX2

struct EightWords {
    using Floats = EightFloats;
    static constexpr std::uint32_t size = 8;

    [[gnu::target("avx2")]] static EightWords all(std::uint32_t value) {
        return {_mm256_set1_epi32(static_cast<int>(value))};
    }
    [[gnu::target("avx2")]] static EightWords load(const std::uint32_t* from) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
    }
    [[gnu::target("avx2")]] void store(std::uint32_t* to) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), of);
    }
    [[gnu::target("avx2")]] static EightWords where_equal(const EightFloats& a,
                                                          const EightFloats& b) {
        return {_mm256_castps_si256(_mm256_cmp_ps(a.of, b.of, _CMP_EQ_OQ))};
    }
    [[gnu::target("avx2")]] static EightWords where_equal(const EightWords& a,
                                                          const EightWords& b) {
        return {_mm256_cmpeq_epi32(a.of, b.of)};
    }
    [[gnu::target("avx2")]] EightFloats as_floats() const { return {_mm256_cvtepi32_ps(of)}; }

    [[gnu::target("avx2")]] EightWords operator&(const EightWords& b) const {
        return {_mm256_and_si256(of, b.of)};
    }
    [[gnu::target("avx2")]] EightWords operator|(const EightWords& b) const {
        return {_mm256_or_si256(of, b.of)};
    }
    [[gnu::target("avx2")]] EightWords operator+(const EightWords& b) const {
        return {_mm256_add_epi32(of, b.of)};
    }
    [[gnu::target("avx2")]] EightWords operator-(const EightWords& b) const {
        return {_mm256_sub_epi32(of, b.of)};
    }
    [[gnu::target("avx2")]] EightWords operator*(const EightWords& b) const {
        return {_mm256_mullo_epi32(of, b.of)};
    }
    [[gnu::target("avx2")]] EightWords operator>>(int bits) const {
        return {_mm256_srli_epi32(of, bits)};
    }
    /// Four bits at a time are looked up.
    [[gnu::target("avx2")]] EightWords count_ones() const {
        const __m256i ones = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1,
                                              1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i half = _mm256_set1_epi8(0xF);
        const __m256i in_bytes = _mm256_add_epi8(
            _mm256_shuffle_epi8(ones, _mm256_and_si256(of, half)),
            _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16(of, 4), half)));
        const __m256i in_shorts = _mm256_maddubs_epi16(in_bytes, _mm256_set1_epi8(1));
        return {_mm256_madd_epi16(in_shorts, _mm256_set1_epi16(1))};
    }
    [[gnu::target("avx2")]] bool are_all_set() const { return _mm256_movemask_epi8(of) == -1; }

    __m256i of;
};

#endif

}  // namespace shrubs
