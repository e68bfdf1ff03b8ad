#include "shrubs/generators/led.hpp"

#include <algorithm>
#include <array>

namespace shrubs {

namespace {

constexpr std::uint32_t n_segments = 7;
constexpr std::uint32_t n_bits = 24;

// Bit i: segment i is lit, so each digit reads from right to left.
constexpr std::array<std::uint32_t, 10> segments = {0b1110111, 0b0100100, 0b1011101, 0b1101101,
                                                    0b0101110, 0b1101011, 0b1111011, 0b0100101,
                                                    0b1111111, 0b1101111};

// The features of four bits, so that a row is six copies: n_columns values for each bit.
template <std::size_t n_columns>
constexpr auto make_columns() {
    std::array<std::array<float, 4 * n_columns>, 16> columns{};
    for (std::uint32_t bits = 0; bits < 16; ++bits) {
        for (std::uint32_t i = 0; i < 4; ++i) {
            const bool bit = ((bits >> i) & 1U) != 0;
            columns[bits][i * n_columns] = bit == (n_columns == 1) ? 1.0F : 0.0F;
            columns[bits][(i + 1) * n_columns - 1] = bit ? 1.0F : 0.0F;
        }
    }
    return columns;
}

constexpr auto plain = make_columns<1>();
constexpr auto one_hot = make_columns<2>();

template <class Columns>
void write(std::uint32_t bits, const Columns& columns, float* x) {
    for (std::uint32_t i = 0; i < n_bits; i += 4) {
        x = std::ranges::copy(columns[(bits >> i) & 0xFU], x).out;
    }
}

// Bit i is set with probability `below` / 2^32, for each segment i.
std::uint32_t draw_flips(Random& random, std::uint64_t below) {
    std::uint32_t flips = 0;
    for (std::uint32_t i = 0; i < n_segments; i += 2) {  // one draw serves two segments
        const std::uint64_t draw = random.next();
        flips |= static_cast<std::uint32_t>((draw >> 32U) < below) << i;
        flips |= static_cast<std::uint32_t>((draw & 0xFFFFFFFFU) < below) << (i + 1);
    }
    return flips & 0x7FU;
}

// Exchanges bit i with bit 7 + i for every bit i of `swapped`.
//
//     irrelevant bits | segments        irrelevant bits | segments
//     ... j  i  h     | ... c  b  a  -> ... j  i  a     | ... c  b  h     (swapped = 1)
std::uint32_t exchange(std::uint32_t bits, std::uint32_t swapped) {
    const std::uint32_t difference = (bits ^ (bits >> n_segments)) & swapped;
    return bits ^ difference ^ (difference << n_segments);
}

}  // namespace

Led::Led(const LedOptions& options)
    : random_(options.seed, 0),
      flip_below_(static_cast<std::uint64_t>(options.noise * 0x1p32)),
      swapped_((1U << options.n_drift_features) - 1U),
      one_hot_(options.one_hot) {}

std::uint16_t Led::next(std::span<float> x) {
    const std::uint64_t draw = random_.next();
    const auto digit = static_cast<std::uint16_t>(((draw >> 32U) * 10U) >> 32U);
    const auto irrelevant = static_cast<std::uint32_t>(draw & 0x1FFFFU);
    const std::uint32_t lit = segments[digit] ^ draw_flips(random_, flip_below_);
    const std::uint32_t bits = exchange(lit | (irrelevant << n_segments), swapped_);
    if (one_hot_) {
        write(bits, one_hot, x.data());
    } else {
        write(bits, plain, x.data());
    }
    return digit;
}

}  // namespace shrubs
