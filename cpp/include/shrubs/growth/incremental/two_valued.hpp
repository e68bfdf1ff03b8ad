#pragma once

// Features with two values in the window, as rows of bytes.
//
// Such a feature has one cut. Its class counts are sums of bytes, and one pass over the rows of a
// node counts all features side by side: nothing has to be kept in order, and a split moves no
// entry but the members themselves.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/growth/incremental/lane_scan.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// Class counts of the upper value of every feature in one node.
class TwoValuedCounts {
 public:
    /// Scratch, `n_classes * stride` numbers each; `stride` is `Window::row_stride(n_features)`.
    TwoValuedCounts(std::span<std::uint8_t> bytes, std::span<std::uint16_t> counts,
                    std::size_t stride)
        : bytes_(bytes), counts_(counts), stride_(stride) {}

    void count(const Window& window, std::span<const std::uint16_t> members,
               std::span<const std::uint16_t> classes);

    /// Takes the counts of one side of a node, which has these classes, off those of all of it.
    void take_off(const TwoValuedCounts& side, std::span<const std::uint16_t> classes);
    void copy_from(const TwoValuedCounts& other, std::span<const std::uint16_t> classes);

    /// Fills the score of the one cut of each feature, as `scan_cuts` gives them; 0 where one side
    /// would be empty, and beyond the last feature.
    void score(const ScannedNode& node, std::span<float> scores) const;

    /// Examples of a class that have the upper value.
    std::uint32_t above(std::uint32_t class_index, std::uint32_t feature) const {
        return counts_[class_index * stride_ + feature];
    }
    /// Examples of all these classes that have the upper value.
    std::uint32_t above(std::span<const std::uint16_t> classes, std::uint32_t feature) const {
        std::uint32_t sum = 0;
        for (const std::uint16_t c : classes) {
            sum += above(c, feature);
        }
        return sum;
    }

 private:
    std::span<std::uint8_t> bytes_;
    std::span<std::uint16_t> counts_;
    std::size_t stride_;
};

}  // namespace shrubs
