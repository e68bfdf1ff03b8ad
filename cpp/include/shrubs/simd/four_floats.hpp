#pragma once

// Four floats at a time: vector types of GCC and Clang, a plain array elsewhere. Every operation is
// the one on single floats, so the bits are the same.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace shrubs {

#if defined(__GNUC__)

struct FourFloats {
    using Vector = float __attribute__((vector_size(16)));
    using Mask = std::int32_t __attribute__((vector_size(16)));

    static FourFloats all(float value) { return {Vector{value, value, value, value}}; }

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
        return {reinterpret_cast<Vector>((a.of <= b.of) & reinterpret_cast<Mask>(all(1.0F).of))};
    }
    bool has_missing() const {
        const Mask mask = of != of;
        return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
    }

    Vector of;
};

#else

struct FourFloats {
    template <class Operation>
    static FourFloats each(Operation operation) {
        return {{operation(0), operation(1), operation(2), operation(3)}};
    }
    static FourFloats all(float value) { return {{value, value, value, value}}; }

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

    float of[4];
};

#endif

inline FourFloats load_four(const float* from) {
    FourFloats four;
    std::memcpy(&four, from, sizeof four);
    return four;
}
inline void store_four(float* to, const FourFloats& four) {
    std::memcpy(to, &four, sizeof four);
}

}  // namespace shrubs
