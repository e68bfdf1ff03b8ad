#include "shrubs/growth/incremental/two_valued.hpp"

#include <algorithm>
#include <cstring>

#include "shrubs/simd/floats.hpp"
#include "shrubs/simd/shorts.hpp"

namespace shrubs {

namespace {

// As many ones fit into a byte.
constexpr std::size_t chunk = 255;

// Adds bytes, `n` of them, a multiple of eight, eight at a time; none of them overflows.
void add_bytes(const std::uint8_t* row, std::size_t n, std::uint8_t* sums) {
    for (std::size_t i = 0; i < n; i += 8) {
        std::uint64_t sum = 0;
        std::uint64_t more = 0;
        std::memcpy(&sum, sums + i, sizeof sum);
        std::memcpy(&more, row + i, sizeof more);
        sum += more;
        std::memcpy(sums + i, &sum, sizeof sum);
    }
}

// Some rows of bytes and their labels.
struct LabelledRows {
    const std::uint8_t* first;
    std::size_t stride;
    const std::uint16_t* labels;
    std::span<const std::uint16_t> slots;
};

// As many bytes as a register holds, and as many registers as there are for the sums of a class.
constexpr std::size_t width = 16;
constexpr std::size_t max_registers = 4;

// The sums of two classes stay in registers: `n` of them from byte `begin` on. The last one may
// overlap the one before it. Two bytes are one number of 16 bits, as none of them overflows.
template <std::size_t n>
void add_two_classes(const LabelledRows& rows, std::size_t begin, std::uint32_t second,
                     std::uint8_t* of_first, std::uint8_t* of_second) {
    EightShorts all[n];
    EightShorts seconds[n];
    std::size_t at[n];
    for (std::size_t k = 0; k < n; ++k) {
        all[k] = seconds[k] = EightShorts::all(0);
        at[k] = std::min(begin + k * width, rows.stride - width);
    }
    for (const std::uint16_t slot : rows.slots) {
        const std::uint8_t* row = rows.first + slot * rows.stride;
        const bool is_second = rows.labels[slot] == second;
        const EightShorts mask = EightShorts::all(static_cast<std::uint16_t>(0 - is_second));
        for (std::size_t k = 0; k < n; ++k) {
            const EightShorts bytes = EightShorts::load(row + at[k]);
            all[k] = all[k] + bytes;
            seconds[k] = seconds[k] + (bytes & mask);
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        seconds[k].store(of_second + at[k]);
        (all[k] - seconds[k]).store(of_first + at[k]);
    }
}

void add_two_classes(const LabelledRows& rows, std::uint32_t second, std::uint8_t* of_first,
                     std::uint8_t* of_second) {
    for (std::size_t begin = 0; begin < rows.stride; begin += max_registers * width) {
        switch (std::min((rows.stride - begin + width - 1) / width, max_registers)) {
            case 1: add_two_classes<1>(rows, begin, second, of_first, of_second); break;
            case 2: add_two_classes<2>(rows, begin, second, of_first, of_second); break;
            case 3: add_two_classes<3>(rows, begin, second, of_first, of_second); break;
            default: add_two_classes<4>(rows, begin, second, of_first, of_second); break;
        }
    }
}

void add_by_class(const LabelledRows& rows, std::span<const std::uint16_t> classes,
                  std::uint8_t* sums) {
    for (const std::uint16_t c : classes) {
        std::fill_n(sums + c * rows.stride, rows.stride, std::uint8_t{0});
    }
    for (const std::uint16_t slot : rows.slots) {
        add_bytes(rows.first + slot * rows.stride, rows.stride,
                  sums + rows.labels[slot] * rows.stride);
    }
}

}  // namespace

void TwoValuedCounts::count(const Window& window, std::span<const std::uint16_t> members,
                            std::span<const std::uint16_t> classes) {
    // Stores of bytes may change anything in the eyes of a compiler, but not these.
    const std::size_t stride = window.row_stride();
    const std::uint8_t* rows = window.byte_row(0);
    const std::uint16_t* labels = window.labels().data();
    std::uint8_t* bytes = bytes_.data();
    for (std::size_t begin = 0; begin < members.size(); begin += chunk) {
        const auto slots = members.subspan(begin, std::min(chunk, members.size() - begin));
        if (classes.size() == 2 && stride >= width) {
            add_two_classes({rows, stride, labels, slots}, classes[1], bytes + classes[0] * stride,
                            bytes + classes[1] * stride);
        } else {
            add_by_class({rows, stride, labels, slots}, classes, bytes);
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

void TwoValuedCounts::take_off(const TwoValuedCounts& side,
                               std::span<const std::uint16_t> classes) {
    for (const std::uint16_t c : classes) {
        std::uint16_t* counts = counts_.data() + c * stride_;
        const std::uint16_t* taken = side.counts_.data() + c * stride_;
        for (std::size_t i = 0; i < stride_; ++i) {
            counts[i] = static_cast<std::uint16_t>(counts[i] - taken[i]);
        }
    }
}

void TwoValuedCounts::copy_from(const TwoValuedCounts& other,
                                std::span<const std::uint16_t> classes) {
    for (const std::uint16_t c : classes) {
        std::copy_n(other.counts_.data() + c * stride_, stride_, counts_.data() + c * stride_);
    }
}

void TwoValuedCounts::score(const ScannedNode& node, std::span<float> scores) const {
    using Floats = FourFloats;
    for (std::size_t first = 0; first < stride_; first += Floats::size) {
        Floats n_right = Floats::all(0.0F);
        Floats squares_right = Floats::all(0.0F);
        Floats squares_left = Floats::all(0.0F);
        for (const std::uint16_t c : node.classes) {
            const Floats right = Floats::load(counts_.data() + c * stride_ + first);
            const Floats left = Floats::all(static_cast<float>(node.totals[c])) - right;
            n_right = n_right + right;
            squares_right = squares_right + right * right;
            squares_left = squares_left + left * left;
        }
        const Floats n_left = Floats::all(static_cast<float>(node.size)) - n_right;
        const Floats sides = Floats::larger(n_left * n_right, Floats::all(1.0F));
        ((squares_left * n_right + squares_right * n_left) / sides).store(scores.data() + first);
    }
}

}  // namespace shrubs
