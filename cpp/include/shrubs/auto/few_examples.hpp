#pragma once

// A node of at most 32 examples whose features have two values, and all nodes below it. An example
// is a bit, so a node is a word, a class is one, and a feature is another. They are made once;
// after that examples are neither read nor moved.

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "shrubs/auto/sampled_split.hpp"

namespace shrubs {

class FewExamples {
 public:
    static constexpr std::uint32_t most = most_sampled;
    static constexpr std::uint32_t max_features = 32;

    static bool suit(const Window& window) {
        return window.n_features() >= FourFloats::size && window.n_features() <= max_features;
    }
    /// Takes in the examples of a node. False, and nothing is known, if a feature has more than two
    /// values, missing ones included.
    bool take(const Window& window, std::span<const std::uint16_t> slots);
    /// The outcomes before those examples are features too.
    void take_recalled(const Window& window, std::uint32_t lag);

    /// All that were taken in.
    std::uint32_t all() const { return ~std::uint32_t{0} >> (most - n_); }
    /// How many examples of a node come before the first one that is of another class than they.
    std::uint32_t n_alike(std::uint32_t node) const;
    /// The slots of the examples of a node, into the first places of `slots`.
    std::span<std::uint16_t> copy_slots(std::uint32_t node, std::span<std::uint16_t> slots) const;

    struct Found {
        Split split;
        std::uint32_t left = 0;  ///< the examples that go there; none if no feature divides them
        std::uint32_t n_left = 0;
    };
    /// The split of a node of `n` examples that `find_sampled_splits` finds, which draws the same.
    /// Requires examples of more than one class.
    Found find_split(const Window& window, std::uint32_t node, std::uint32_t n,
                     std::uint32_t n_tried, std::uint32_t prime, Random& random);

 private:
    /// Behind all features and the next prime number. What is recalled has a word for each node.
    static constexpr std::uint32_t first_recalled = max_features + 8;
    static constexpr std::uint32_t n_words = first_recalled + 8;

    using Rows = std::array<const float*, most>;
    template <class Words>
    bool take_rows(const Rows& rows);
    bool take_rows(const Rows& rows);
    bool take_avx2(const Rows& rows);
    using Labels = std::array<std::uint32_t, most>;
    template <class Words>
    void find_alike(const Labels& labels);
    void find_alike(const Labels& labels);
    void find_alike_avx2(const Labels& labels);
    template <class Words, std::size_t n_blocks>
    void judge_blocks(std::uint32_t node, std::uint32_t n, const std::uint32_t* first);
    template <class Words>
    void judge_all(std::uint32_t node, std::uint32_t n);
    void judge_avx2(std::uint32_t node, std::uint32_t n);
    void judge(std::uint32_t node, std::uint32_t n);
    void set_recalled(std::uint32_t node, std::uint32_t drawn);
    bool is_divided(std::uint32_t node, std::uint32_t number) const {
        const std::uint32_t upper = upper_[number] & node;
        return upper != 0 && upper != node;
    }
    std::uint32_t first_divided(std::uint32_t node, NodeDraw& draw) const;
    std::uint32_t find_best(std::uint32_t n_tried, NodeDraw& draw) const;

    std::uint32_t n_ = 0;
    std::uint32_t n_features_ = 0;
    std::uint32_t n_recalled_ = 0;
    std::array<std::uint16_t, most> slots_;
    std::array<std::uint32_t, most> alike_;     ///< of each example, all of its class
    std::array<std::uint32_t, n_words> upper_;  ///< of each feature, those with the larger value
    std::array<float, max_features> low_;       ///< of each feature, the smaller value
    std::array<float, max_features> high_;
    std::array<std::array<float, most>, recalled_features> recalled_;
    std::array<float, n_words> scores_;  ///< 0 if the node is not divided
};

}  // namespace shrubs
