#include "shrubs/generators/normal.hpp"

#include <cmath>

#include "shrubs/generators/logarithm.hpp"
#include "shrubs/numerics/exponential.hpp"

namespace shrubs {

namespace {

constexpr double tail = 3.6541528853610088;  // where the lowest layer ends and the tail begins
constexpr double area = 0.00492867323399;    // of each layer; of the lowest with the tail

double height(double x) {
    return exponential(-0.5 * x * x);
}

}  // namespace

Normal::Normal() {
    widths_[0] = area / height(tail);  // of a rectangle as large as the lowest layer
    widths_[1] = tail;
    for (std::size_t i = 2; i + 1 < widths_.size(); ++i) {
        const double below = widths_[i - 1];
        widths_[i] = std::sqrt(-2.0 * logarithm(area / below + height(below)));
    }
    widths_.back() = 0.0;
}

// A number beyond the lowest layer (Marsaglia, 1964).
double Normal::draw_tail(Random& random) {
    while (true) {
        const double a = -logarithm(1.0 - random.uniform()) / tail;
        const double b = -logarithm(1.0 - random.uniform());
        if (b + b >= a * a) {
            return tail + a;
        }
    }
}

bool Normal::is_below_density(double x, std::size_t layer, Random& random) const {
    const double low = height(widths_[layer]);
    const double high = height(widths_[layer + 1]);
    return low + random.uniform() * (high - low) < height(x);
}

}  // namespace shrubs
