#pragma once

// Grows shrubs where every feature has at most two values: from one bit per value.
//
// Such a feature has one cut. Which features vary in a node is told by its examples' words
// together, and eight cuts are counted at a time in the bytes of one word. The window itself is not
// looked at but for the example that is new. The random numbers are those of `find_split`, and so
// are the shrubs, to the bit.

#include <cstdint>
#include <span>

#include "shrubs/growth/depth_first.hpp"
#include "shrubs/growth/growth_plan.hpp"
#include "shrubs/memory/arena.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// Kept from one shrub to the next. B = window size, d = features.
class BitRows {
 public:
    /// Empty where all features are tried, or few: a word is much beside them.
    static BitRows reserve(Arena& arena, const GrowthPlan& plan);
    bool empty() const { return facts_.empty(); }
    /// Before the first shrub.
    void begin() const;

    /// Takes what is new in the window. False if a feature has a third value, or misses one.
    bool update(const Window& window) const;

    /// 1 if the example has the upper value of a feature, otherwise 0.
    std::uint64_t bit(std::uint32_t slot, std::uint32_t feature) const {
        return row(slot)[feature / 64] >> feature % 64 & 1;
    }
    /// The bits of an example, 64 features in each word.
    const std::uint64_t* row(std::uint32_t slot) const { return rows_ + slot * n_words(); }
    std::size_t n_words() const { return facts_.size() - 2; }
    /// Scratch, (`n_words`,).
    std::span<std::uint64_t> varying() const { return facts_.subspan(2); }
    float low(std::uint32_t feature) const { return values_[2 * std::size_t{feature}]; }
    float high(std::uint32_t feature) const { return values_[2 * std::size_t{feature} + 1]; }

 private:
    bool rebuild(const Window& window) const;
    bool find_values(const Window& window, std::uint32_t feature) const;
    bool encode(const Window& window, std::uint32_t slot) const;

    std::uint64_t* rows_ = nullptr;  ///< (B * n_words,)
    float* values_ = nullptr;        ///< (2 * d,) lower and upper value, equal if there is but one
    /// (2 + n_words,) examples added until then and one more, or 0; a feature that had a third
    /// value; which features vary
    std::span<std::uint64_t> facts_;
};

/// Scratch that other ways of growing use as well.
struct BitScratch {
    std::span<std::uint16_t> members;      ///< (B,)
    std::span<std::uint16_t> right;        ///< (B,)
    std::span<std::uint16_t> permutation;  ///< (d,)
    std::span<PendingNode> pending;        ///< (largest depth,)
    std::span<std::uint32_t> totals;       ///< (C,)
    std::span<std::int32_t> distribution;  ///< (C,)
};

/// Requires that `rows` are up to date.
void grow_on_bits(const BitRows& rows, const Window& window, const GrowthPlan& plan, Random random,
                  const BitScratch& scratch, NewShrub& shrub);

}  // namespace shrubs
