#pragma once

// Sixteen bytes side by side, modulo 2^8: a vector of GCC and Clang, elsewhere an array.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace shrubs {

struct SixteenBytes {
    static constexpr std::size_t size = 16;
#if defined(__GNUC__)
    using Vector = std::uint8_t __attribute__((vector_size(16)));
    Vector of;

    static SixteenBytes all(std::uint8_t value) { return {value + Vector{}}; }
    SixteenBytes operator+(const SixteenBytes& b) const { return {of + b.of}; }
    /// All bits where both are equal, which is -1; none elsewhere.
    SixteenBytes operator==(const SixteenBytes& b) const { return {(Vector)(of == b.of)}; }
#else
    std::uint8_t of[16];

    template <class Operation>
    static SixteenBytes each(const SixteenBytes& a, const SixteenBytes& b, Operation operation) {
        SixteenBytes result;
        for (std::size_t i = 0; i < size; ++i) {
            result.of[i] = static_cast<std::uint8_t>(operation(a.of[i], b.of[i]));
        }
        return result;
    }
    static SixteenBytes all(std::uint8_t value) {
        SixteenBytes result;
        std::memset(result.of, value, size);
        return result;
    }
    SixteenBytes operator+(const SixteenBytes& b) const {
        return each(*this, b, [](auto x, auto y) { return x + y; });
    }
    SixteenBytes operator==(const SixteenBytes& b) const {
        return each(*this, b, [](auto x, auto y) { return x == y ? 0xFF : 0; });
    }
#endif

    static SixteenBytes load(const std::uint8_t* from) {
        SixteenBytes sixteen;
        std::memcpy(&sixteen, from, sizeof sixteen);
        return sixteen;
    }
    void store(std::uint8_t* to) const { std::memcpy(to, this, sizeof *this); }
};

}  // namespace shrubs
