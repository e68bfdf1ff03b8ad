#pragma once

// How much later than its example a label comes, seen from what is asked and what is learned.
//
// A few of the rows that are asked for are remembered by their bits, with the number of examples
// learned until then. When one of them is learned, that many less are the labels that nobody had
// when it was predicted.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "shrubs/state/archive.hpp"

namespace shrubs {

class LabelDelay {
 public:
    /// A row was predicted after so many examples.
    void ask(std::span<const float> x, std::uint64_t examples_seen) {
        for (std::size_t i = 0; i < asked_.size(); ++i) {
            Asked& asked = asked_[i];
            if (asked.row == nothing || examples_seen - asked.examples_seen > patience[i]) {
                asked = {digest(x), examples_seen};
                return;
            }
        }
    }
    /// The next example is learned after so many.
    void learn(std::span<const float> x, std::uint64_t examples_seen) {
        if (std::ranges::all_of(asked_, [](const Asked& a) { return a.row == nothing; })) {
            return;
        }
        const std::uint64_t row = digest(x);
        for (Asked& asked : asked_) {
            if (asked.row == row) {
                std::shift_right(found_.begin(), found_.end(), 1);
                found_[0] = static_cast<std::uint32_t>(
                    std::min(examples_seen - asked.examples_seen, patience.back()));
                asked.row = nothing;
            }
        }
    }
    /// Labels that come between an example and its own: the fewest of the last four found.
    std::uint32_t examples() const { return *std::ranges::min_element(found_); }

    /// Without what was asked: a prediction changes no state.
    void archive(Archive& archive, std::uint64_t examples_seen) {
        archive.array(std::span<std::uint32_t>(found_), [&](std::uint32_t n) {
            return n <= std::min(examples_seen, patience.back());
        });
    }

 private:
    static constexpr std::uint64_t nothing = 0;
    /// A row that is not learned for so long makes room for another.
    static constexpr std::array<std::uint64_t, 2> patience = {1024, 65536};

    struct Asked {
        std::uint64_t row = nothing;
        std::uint64_t examples_seen = 0;
    };

    static std::uint64_t digest(std::span<const float> x) {
        std::uint64_t h = 1;
        for (const float value : x) {
            // A missing value may have any bits that are no number.
            h = (h ^ (value == value ? std::bit_cast<std::uint32_t>(value) : 0x7FC00000U)) *
                0x9E3779B97F4A7C15U;
            h ^= h >> 32U;
        }
        return h == nothing ? 1 : h;
    }

    std::array<Asked, patience.size()> asked_{};
    std::array<std::uint32_t, 4> found_{};
};

}  // namespace shrubs
