#pragma once

// Classes that go, and others that take their numbers.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace shrubs {

/// The number that each class has from now on: its own, or a smaller one that is free; or
/// `gone_class`.
using ClassNumbers = std::span<const std::uint16_t>;
inline constexpr std::uint16_t gone_class = 0xFFFF;

/// In rows of a value per class, those of classes that go or move become `fresh`.
template <class T>
void renumber_rows(std::span<T> rows, ClassNumbers now, T fresh) {
    for (std::size_t first = 0; first < rows.size(); first += now.size()) {
        for (std::size_t c = 0; c < now.size(); ++c) {
            if (now[c] != c) {
                const T value = rows[first + c];
                rows[first + c] = fresh;
                if (now[c] != gone_class) {
                    rows[first + now[c]] = value;
                }
            }
        }
    }
}

/// Whether a split asks for a class that stays.
inline bool is_class(float threshold, ClassNumbers now) {
    return threshold >= 0.0F && threshold < static_cast<float>(now.size()) &&
           now[static_cast<std::size_t>(threshold)] != gone_class;
}
/// The number of that class, or missing.
inline float renumbered(float threshold, ClassNumbers now) {
    return is_class(threshold, now) ? now[static_cast<std::size_t>(threshold)]
                                    : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace shrubs
