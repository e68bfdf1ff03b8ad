#pragma once

// Eight numbers at a time.
//
// Two vectors of four, which every processor with vectors can add and multiply, written with the
// vector types of GCC and Clang; other compilers get arrays. Every operation is the one on single
// numbers, number by number, so the results are the same bits either way.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace shrubs {

/// Four numbers as an array, with the operations of a vector.
template <class T>
struct FourOf {
    T of[4];

    template <class Operation>
    static FourOf each(Operation operation) {
        return {operation(0), operation(1), operation(2), operation(3)};
    }
    FourOf operator+(const FourOf& b) const {
        return each([&](int i) { return of[i] + b.of[i]; });
    }
    FourOf operator-(const FourOf& b) const {
        return each([&](int i) { return of[i] - b.of[i]; });
    }
    FourOf operator*(const FourOf& b) const {
        return each([&](int i) { return of[i] * b.of[i]; });
    }
    FourOf operator/(const FourOf& b) const {
        return each([&](int i) { return of[i] / b.of[i]; });
    }
    FourOf operator&(const FourOf& b) const {
        return each([&](int i) { return of[i] & b.of[i]; });
    }
    FourOf operator>>(int bits) const {
        return each([&](int i) { return of[i] >> bits; });
    }
};

inline FourOf<float> to_floats(const FourOf<std::int32_t>& ints) {
    return FourOf<float>::each([&](int i) { return static_cast<float>(ints.of[i]); });
}
inline FourOf<float> larger(const FourOf<float>& a, const FourOf<float>& b) {
    return FourOf<float>::each([&](int i) { return a.of[i] > b.of[i] ? a.of[i] : b.of[i]; });
}

/// Eight numbers of 16 bits as an array, modulo 2^16.
struct ShortArray {
    std::uint16_t of[8];

    template <class Operation>
    static ShortArray each(Operation operation) {
        ShortArray result;
        for (int i = 0; i < 8; ++i) {
            result.of[i] = static_cast<std::uint16_t>(operation(i));
        }
        return result;
    }
    ShortArray operator-(const ShortArray& b) const {
        return each([&](int i) { return of[i] - b.of[i]; });
    }
    ShortArray operator>>(int bits) const {
        return each([&](int i) { return of[i] >> bits; });
    }
    ShortArray operator&(const ShortArray& b) const {
        return each([&](int i) { return of[i] & b.of[i]; });
    }
    ShortArray operator|(const ShortArray& b) const {
        return each([&](int i) { return of[i] | b.of[i]; });
    }
    ShortArray operator~() const {
        return each([&](int i) { return ~of[i]; });
    }
};

inline ShortArray equal(const ShortArray& a, const ShortArray& b) {
    return ShortArray::each([&](int i) { return a.of[i] == b.of[i] ? 0xFFFF : 0; });
}
inline FourOf<std::int32_t> widen_low(const ShortArray& shorts) {
    return FourOf<std::int32_t>::each([&](int i) { return std::int32_t{shorts.of[i]}; });
}
inline FourOf<std::int32_t> widen_high(const ShortArray& shorts) {
    return FourOf<std::int32_t>::each([&](int i) { return std::int32_t{shorts.of[i + 4]}; });
}

#if defined(__GNUC__)

using FloatVector = float __attribute__((vector_size(16)));
using IntVector = std::int32_t __attribute__((vector_size(16)));
using ShortVector = std::uint16_t __attribute__((vector_size(16)));

inline FloatVector to_floats(const IntVector& ints) {
    return __builtin_convertvector(ints, FloatVector);
}
inline FloatVector larger(const FloatVector& a, const FloatVector& b) {
    return a > b ? a : b;
}
inline ShortVector equal(const ShortVector& a, const ShortVector& b) {
    return (ShortVector)(a == b);
}

// A zero beside a number, in the upper half, makes it one of 32 bits. `first` is the first of four.
template <int first>
IntVector widen_from(const ShortVector& shorts) {
    constexpr bool little = std::endian::native == std::endian::little;
    constexpr int even = little ? first : 8;
    constexpr int odd = little ? 8 : first;
    return (IntVector)__builtin_shufflevector(shorts, ShortVector{}, even, odd, even + 1, odd + 1,
                                              even + 2, odd + 2, even + 3, odd + 3);
}
inline IntVector widen_low(const ShortVector& shorts) {
    return widen_from<0>(shorts);
}
inline IntVector widen_high(const ShortVector& shorts) {
    return widen_from<4>(shorts);
}

#else

using FloatVector = FourOf<float>;
using IntVector = FourOf<std::int32_t>;
using ShortVector = ShortArray;

#endif

/// Eight numbers as two vectors of four.
template <class T, class Vector>
struct EightOf {
    Vector low;
    Vector high;

    static EightOf all(T value) {
        const Vector four{value, value, value, value};
        return {four, four};
    }
    static EightOf load(const T* from) {
        EightOf eight;
        std::memcpy(&eight.low, from, sizeof eight.low);
        std::memcpy(&eight.high, from + 4, sizeof eight.high);
        return eight;
    }
    void store(T* to) const {
        std::memcpy(to, &low, sizeof low);
        std::memcpy(to + 4, &high, sizeof high);
    }
    EightOf operator+(const EightOf& b) const { return {low + b.low, high + b.high}; }
    EightOf operator-(const EightOf& b) const { return {low - b.low, high - b.high}; }
    EightOf operator*(const EightOf& b) const { return {low * b.low, high * b.high}; }
    EightOf operator/(const EightOf& b) const { return {low / b.low, high / b.high}; }
    EightOf operator&(const EightOf& b) const { return {low & b.low, high & b.high}; }
    EightOf operator>>(int bits) const { return {low >> bits, high >> bits}; }
};

/// Eight numbers of 16 bits in one vector.
template <class Vector>
struct EightShortsOf {
    Vector of;

    static EightShortsOf all(std::uint16_t value) {
        const Vector eight{value, value, value, value, value, value, value, value};
        return {eight};
    }
    static EightShortsOf load(const std::uint16_t* from) {
        EightShortsOf eight;
        std::memcpy(&eight.of, from, sizeof eight.of);
        return eight;
    }
    void store(std::uint16_t* to) const { std::memcpy(to, &of, sizeof of); }
    EightShortsOf operator-(const EightShortsOf& b) const { return {of - b.of}; }
    EightShortsOf operator&(const EightShortsOf& b) const { return {of & b.of}; }
    EightShortsOf operator|(const EightShortsOf& b) const { return {of | b.of}; }
    EightShortsOf operator>>(int bits) const { return {of >> bits}; }
    /// 0xFFFF (which is -1) where both are equal, otherwise 0.
    EightShortsOf operator==(const EightShortsOf& b) const { return {equal(of, b.of)}; }
    /// `a` where all bits of this are set, `b` where none is.
    EightShortsOf choose(const EightShortsOf& a, const EightShortsOf& b) const {
        return {(a.of & of) | (b.of & ~of)};
    }
};

using EightFloats = EightOf<float, FloatVector>;
using EightInts = EightOf<std::int32_t, IntVector>;
using EightShorts = EightShortsOf<ShortVector>;

template <class Vector>
auto to_floats(const EightOf<std::int32_t, Vector>& ints) {
    const auto low = to_floats(ints.low);
    return EightOf<float, std::remove_const_t<decltype(low)>>{low, to_floats(ints.high)};
}
template <class Vector>
EightOf<float, Vector> larger(const EightOf<float, Vector>& a, const EightOf<float, Vector>& b) {
    return {larger(a.low, b.low), larger(a.high, b.high)};
}
template <class Vector>
auto widen(const EightShortsOf<Vector>& shorts) {
    const auto low = widen_low(shorts.of);
    return EightOf<std::int32_t, std::remove_const_t<decltype(low)>>{low, widen_high(shorts.of)};
}

}  // namespace shrubs
