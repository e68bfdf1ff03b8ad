#pragma once

// Eight numbers of 16 bits side by side, modulo 2^16: a vector of GCC and Clang, elsewhere an
// array.

#include <cstdint>
#include <cstring>

namespace shrubs {

struct EightShorts {
#if defined(__GNUC__)
    using Vector = std::uint16_t __attribute__((vector_size(16)));
    Vector of;

    template <class Operation>
    static EightShorts each(const EightShorts& a, const EightShorts& b, Operation operation) {
        return {(Vector)operation(a.of, b.of)};
    }
    static constexpr auto mask_of_equals = [](auto x, auto y) { return x == y; };
#else
    std::uint16_t of[8];

    template <class Operation>
    static EightShorts each(const EightShorts& a, const EightShorts& b, Operation operation) {
        EightShorts result;
        for (int i = 0; i < 8; ++i) {
            result.of[i] = static_cast<std::uint16_t>(operation(a.of[i], b.of[i]));
        }
        return result;
    }
    static constexpr auto mask_of_equals = [](auto x, auto y) { return x == y ? 0xFFFF : 0; };
#endif

    static EightShorts all(std::uint16_t value) {
        const std::uint16_t values[8] = {value, value, value, value, value, value, value, value};
        return load(values);
    }
    /// 16 bytes.
    template <class Number>
    static EightShorts load(const Number* from) {
        EightShorts eight;
        std::memcpy(&eight, from, sizeof eight);
        return eight;
    }
    template <class Number>
    void store(Number* to) const {
        std::memcpy(to, this, sizeof *this);
    }

    EightShorts operator+(const EightShorts& b) const {
        return each(*this, b, [](auto x, auto y) { return x + y; });
    }
    EightShorts operator-(const EightShorts& b) const {
        return each(*this, b, [](auto x, auto y) { return x - y; });
    }
    EightShorts operator&(const EightShorts& b) const {
        return each(*this, b, [](auto x, auto y) { return x & y; });
    }
    EightShorts operator|(const EightShorts& b) const {
        return each(*this, b, [](auto x, auto y) { return x | y; });
    }
    EightShorts operator>>(std::uint32_t bits) const {
        return each(*this, *this, [bits](auto x, auto) { return x >> bits; });
    }
    /// All bits where both are equal, which is -1; none elsewhere.
    EightShorts operator==(const EightShorts& b) const { return each(*this, b, mask_of_equals); }
    /// `a` where all bits of this are set, `b` where none is.
    EightShorts choose(const EightShorts& a, const EightShorts& b) const {
        return (a & *this) | each(b, *this, [](auto x, auto mask) { return x & ~mask; });
    }
};

}  // namespace shrubs
