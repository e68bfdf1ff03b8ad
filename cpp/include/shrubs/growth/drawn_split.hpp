#pragma once

// The best of one random cut for each of some features, for classes.
//
// A window for random splits stores rows. Neighbouring features are measured and counted side by
// side, as in random_split.hpp, in those blocks that hold a drawn one; the others there come along
// at no cost. The random numbers are those that `find_split` draws, and so is the result, to the
// bit.

#include <cstdint>
#include <optional>
#include <span>

#include "shrubs/growth/split.hpp"
#include "shrubs/memory/arena.hpp"
#include "shrubs/window/dimensions.hpp"

namespace shrubs {

/// Scratch. d8 = features rounded up to blocks.
struct DrawnScratch {
    float* floats = nullptr;              ///< (4 * d8 + C * width of a block,)
    double* scores = nullptr;             ///< (d8,)
    std::uint32_t* totals = nullptr;      ///< (C,)
    std::span<std::uint8_t> blocks = {};  ///< one per block

    /// Nothing if `find_split` has to do it.
    static DrawnScratch reserve(Arena& arena, Task task, Splitter splitter,
                                const Dimensions& dimensions);
    bool empty() const { return blocks.empty(); }
};

/// Does what `find_split` does when not all features are tried by random cuts.
std::optional<Split> find_drawn_split(const SearchedNode& node,
                                      std::span<std::uint16_t> permutation,
                                      const DrawnScratch& scratch, Gini& impurity, Random& random);

}  // namespace shrubs
