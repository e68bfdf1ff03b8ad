#include "shrubs/generators/sea.hpp"

#include <array>

namespace shrubs {

namespace {

constexpr std::array<double, 4> thresholds = {8.0, 9.0, 7.0, 9.5};

}  // namespace

Sea::Sea(const SeaOptions& options)
    : random_(options.seed, 0),
      threshold_(thresholds[options.function - 1]),
      noise_(options.noise),
      balance_(options.balance) {}

std::uint16_t Sea::next(std::span<float> x) {
    std::uint16_t label = 0;
    do {
        const double a = 10.0 * random_.uniform();
        const double b = 10.0 * random_.uniform();
        x[0] = static_cast<float>(a);
        x[1] = static_cast<float>(b);
        x[2] = static_cast<float>(10.0 * random_.uniform());
        label = a + b <= threshold_ ? 0 : 1;
    } while (balance_ && label != next_class_);
    next_class_ = label ^ 1U;
    return label ^ static_cast<std::uint16_t>(random_.uniform() < noise_);
}

}  // namespace shrubs
