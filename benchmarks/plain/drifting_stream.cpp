#include "drifting_stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace shrubs::plain {

namespace {

constexpr double label_noise = 0.1;
constexpr double segment_noise = 0.1;
constexpr double examples_per_turn = 20000.0;
constexpr std::uint64_t examples_per_digit_place = 1000;
constexpr std::array<std::string_view, 10> digits = {"1110111", "0010010", "1011101", "1011011",
                                                     "0111010", "1101011", "1101111", "1010010",
                                                     "1111111", "1111011"};

}  // namespace

std::uint16_t DriftingStream::next(std::span<float> x) {
    const std::uint16_t label = kind_ == Kind::rotating ? next_rotating(x) : next_led(x);
    ++n_given_;
    return label;
}

std::uint16_t DriftingStream::next_rotating(std::span<float> x) {
    for (float& value : x) {
        value = static_cast<float>(2.0 * random_.uniform() - 1.0);
    }
    const double turn = static_cast<double>(n_given_) / examples_per_turn;
    std::uint16_t label = 0;
    double largest = -1e300;
    for (std::uint32_t c = 0; c < n_classes_; ++c) {
        const double angle = 2.0 * std::numbers::pi * (turn + static_cast<double>(c) / n_classes_);
        double product = 0.0;
        for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
            // The pairs matter less and less, so that shallow shrubs have a chance.
            product +=
                (std::cos(angle) * x[i] + std::sin(angle) * x[i + 1]) / static_cast<double>(i + 1);
        }
        if (product > largest) {
            largest = product;
            label = static_cast<std::uint16_t>(c);
        }
    }
    return random_.uniform() < label_noise ? static_cast<std::uint16_t>(random_.below(n_classes_))
                                           : label;
}

std::uint16_t DriftingStream::next_led(std::span<float> x) {
    for (float& value : x) {
        value = random_.uniform() < 0.5 ? 0.0F : 1.0F;
    }
    const std::uint32_t digit = random_.below(10);
    const std::size_t n_segments = digits[digit].size();
    const std::size_t n_places = n_features_ / n_segments;
    const std::size_t begin = n_given_ / examples_per_digit_place % n_places * n_segments;
    for (std::size_t i = 0; i < n_segments; ++i) {
        const bool lit = (digits[digit][i] == '1') != (random_.uniform() < segment_noise);
        x[begin + i] = lit ? 1.0F : 0.0F;
    }
    return static_cast<std::uint16_t>(digit);
}

}  // namespace shrubs::plain
