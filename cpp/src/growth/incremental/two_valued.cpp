#include "shrubs/growth/incremental/two_valued.hpp"

#include <algorithm>
#include <cstring>

#include "shrubs/simd/floats.hpp"

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

}  // namespace

void TwoValuedCounts::count(const Window& window, std::span<const std::uint16_t> members,
                            std::span<const std::uint16_t> classes) {
    // Stores of bytes may change anything in the eyes of a compiler, but not these.
    const std::size_t stride = window.row_stride();
    const std::uint8_t* rows = window.byte_row(0);
    const std::uint16_t* labels = window.labels().data();
    std::uint8_t* bytes = bytes_.data();
    stride_ = stride;
    for (std::size_t begin = 0; begin < members.size(); begin += chunk) {
        for (const std::uint16_t c : classes) {
            std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(c * stride_), stride_,
                        std::uint8_t{0});
        }
        for (const std::uint16_t slot :
             members.subspan(begin, std::min(chunk, members.size() - begin))) {
            add_bytes(rows + slot * stride, stride, bytes + labels[slot] * stride);
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
