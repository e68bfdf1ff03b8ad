#pragma once

// Several shrubs that many rows are asked about at once.
//
// The rows are first ranked: each value becomes a byte, its rank among the thresholds that these
// shrubs compare its feature with. Then a shrub answers all of its questions for a strip of rows,
// from the last to the first, and each takes over the answer of its left or its right child:
//
//     leaves[question] = rank > threshold ? leaves[right] : leaves[left]
//
// That is more questions than on the one path down, but they need no branch, and a processor
// with vectors answers each for sixteen rows in a few instructions.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shrubs/batch/rank_table.hpp"
#include "shrubs/tree/shrub.hpp"

namespace shrubs {

class RankedShrubs {
 public:
    /// A leaf is a byte.
    static constexpr std::size_t max_questions = 255;
    static constexpr std::size_t max_features = 256;
    /// Rows are ranked so many at most at a time; what they need stays in a processor's cache.
    static constexpr std::size_t max_rows = 512;
    /// Rows are answered so many at a time.
    static constexpr std::size_t strip = 128;
    /// So many rows, made up to whole strips.
    static constexpr std::size_t whole_strips(std::size_t n_rows) {
        return (n_rows + strip - 1) / strip * strip;
    }

    explicit RankedShrubs(std::size_t n_features);

    std::size_t size() const { return shrubs_.size(); }
    /// Removes all shrubs.
    void clear();
    /// Takes in a shrub; false if it is too large or there is no room for its thresholds. There is
    /// room in the beginning.
    bool add(NodeBytes bytes, const std::byte* packed, std::uint32_t n_inner);
    /// To be called when the last shrub was added.
    void finish();

    /// Ranks rows, a multiple of `strip`; `keys` is `(n_rows, n_features)`.
    void rank_rows(std::span<const std::uint32_t> keys);
    /// The leaf of each ranked row, `(n_rows,)`.
    void find_leaves(std::size_t shrub, std::span<std::uint8_t> leaves);

    std::size_t memory_bytes() const {
        return shrubs_.capacity() * sizeof(Shrub) + questions_.capacity() * sizeof(Question) +
               tables_.capacity() * sizeof(FeatureTable) +
               table_of_.capacity() * sizeof(std::uint16_t) + ranks_.capacity() * sizeof(Rank) +
               answers_.capacity() * sizeof(Strip);
    }

 private:
    struct Question {
        std::uint32_t threshold;  // its key
        std::uint16_t plane;      // the row of `ranks_` to look at
        std::uint16_t left;       // which of `answers_`
        std::uint16_t right;
        Rank rank;  // of the threshold
    };
    struct Shrub {
        std::size_t first;  // of its questions
        std::size_t n_questions;
    };
    struct FeatureTable {
        std::uint16_t feature;
        RankTable ranks;
    };
    struct Strip {
        alignas(64) std::array<std::uint8_t, strip> leaves;
    };

    bool add_threshold(std::uint32_t feature, std::uint32_t threshold);
    void add_questions(std::span<const Node> nodes);
    void answer(const Shrub& shrub, std::size_t row);

    std::size_t n_features_;
    std::vector<Shrub> shrubs_;
    std::vector<Question> questions_;
    std::vector<FeatureTable> tables_;     // of the features that are asked about
    std::vector<std::uint16_t> table_of_;  // by feature
    std::vector<Rank> ranks_;              // (n_tables, 2, max_rows): missing left, missing right
    std::vector<Strip> answers_;           // one per leaf: the leaf itself; one per question
};

}  // namespace shrubs
