#pragma once

// Normal random numbers, the same on every platform.

#include <array>
#include <cstdint>

#include "shrubs/numerics/random.hpp"

namespace shrubs {

/// Draws numbers with mean 0 and deviation 1 from a ziggurat (Marsaglia and Tsang, 2000): layers
/// of equal area under the density, so that one draw and one comparison nearly always do.
///
/// Of libm it needs only the square root, which IEEE 754 fixes to the last bit.
class Normal {
 public:
    Normal();

    double draw(Random& random) const {
        while (true) {
            const std::uint64_t bits = random.next();
            const std::size_t layer = bits & 0xFFU;
            const double u = static_cast<double>(bits >> 11U) * 0x1p-52 - 1.0;
            const double x = u * widths_[layer];
            if ((x < 0.0 ? -x : x) < widths_[layer + 1]) {
                return x;
            }
            if (layer == 0) {
                return u < 0.0 ? -draw_tail(random) : draw_tail(random);
            }
            if (is_below_density(x, layer, random)) {
                return x;
            }
        }
    }

 private:
    static double draw_tail(Random& random);
    bool is_below_density(double x, std::size_t layer, Random& random) const;

    std::array<double, 257> widths_;  // of each layer, the lowest first, and 0 above the highest
};

}  // namespace shrubs
