#pragma once

// The shrubs of an ensemble with their weights, oldest first, and the prediction they make
// together.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/growth/grow.hpp"
#include "shrubs/memory/arena.hpp"
#include "shrubs/tree/leaf.hpp"
#include "shrubs/tree/leaf_ids.hpp"
#include "shrubs/tree/shrub.hpp"

namespace shrubs {

/// A view of `capacity` equally large places for shrubs, over memory that it does not own.
///
/// `places` is a permutation of all places: the first `size` hold the members in the order of
/// their birth, the others are free. A newcomer is grown in the first free place.
class Members {
 public:
    struct Memory {
        std::byte* nodes = nullptr;     ///< (capacity, node_stride)
        std::byte* leaves = nullptr;    ///< (capacity, leaf_stride)
        std::byte* leaf_ids = nullptr;  ///< (capacity, leaf_id_stride); a cache, may be absent
        std::span<std::uint16_t> n_inner;
        std::span<std::uint64_t> born;
        std::span<std::uint16_t> places;
        std::span<double> weights;  ///< by age
        std::size_t node_stride = 0;
        std::size_t leaf_stride = 0;
        std::size_t leaf_id_stride = 0;
        bool wide_leaf_ids = false;
    };

    /// Memory for `capacity` shrubs, the newcomer among them.
    static Memory reserve(Arena& arena, std::uint32_t capacity, const GrowthPlan& growth);

    Members() = default;
    /// `all_numeric`: no member has a nominal split, which lets them be walked faster.
    Members(const Memory& memory, const LeafLayout& layout, NodeBytes node_bytes,
            bool all_numeric = false);

    std::uint32_t size() const { return size_; }
    const LeafLayout& layout() const { return layout_; }
    NodeBytes node_bytes() const { return node_bytes_; }

    // All indices below count members by age; `size()` is the newcomer.
    std::span<double> weights() const { return memory_.weights; }
    std::uint32_t n_inner(std::uint32_t i) const { return memory_.n_inner[memory_.places[i]]; }
    std::uint64_t born(std::uint32_t i) const { return memory_.born[memory_.places[i]]; }
    std::byte* nodes(std::uint32_t i) const {
        return memory_.nodes + memory_.places[i] * memory_.node_stride;
    }
    std::byte* leaves(std::uint32_t i) const {
        return memory_.leaves + memory_.places[i] * memory_.leaf_stride;
    }
    LeafIds leaf_ids(std::uint32_t i) const {
        return {memory_.leaf_ids + memory_.places[i] * memory_.leaf_id_stride,
                memory_.wide_leaf_ids};
    }
    std::uint32_t find_leaf(std::uint32_t i, std::span<const float> x) const {
        return shrubs::find_leaf(node_bytes_, nodes(i), n_inner(i), x);
    }

    /// The most questions on a way to a leaf; `pending` is scratch, (max_depth,).
    std::uint32_t depth(std::uint32_t i, std::span<PendingNode> pending) const;

    /// Makes the shrub in the first free place a member with weight 0.
    void append(std::uint32_t n_inner, std::uint64_t born);
    /// Frees the place of a member; younger ones move up.
    void remove(std::uint32_t i);

    /// Where the newcomer is to be grown; `append` then makes it a member.
    NewShrub newcomer() const {
        return {nodes(size_), leaves(size_), node_bytes_, leaf_ids(size_), 0};
    }
    /// Shrubs and weights, oldest first. Reading requires that there are none.
    void archive(Archive& archive, std::span<const std::uint8_t> nominal, std::uint32_t max_depth,
                 const GrowScratch& scratch);
    /// Takes over the members of `other`, which may know fewer classes. Requires that there are
    /// none, and scratch for a distribution, `(n_classes,)`.
    void copy_from(const Members& other, std::span<std::int32_t> distribution);

    /// Finds the leaf of `x` in each member, `(size,)`.
    void find_leaves(std::span<const float> x, std::span<std::uint16_t> found) const;
    /// f(x): `(n_classes,)` probabilities, or `(1,)`, the target. `found` is scratch, `(size,)`,
    /// and then holds the leaf of `x` in each member.
    void predict(std::span<const float> x, std::span<std::uint16_t> found,
                 std::span<double> f) const {
        find_leaves(x, found);
        if (layout_.kind() == LeafKind::value) {
            f[0] = predict_value(found);
        } else {
            predict_distribution(found, f);
        }
    }
    /// f(x) from the leaves found: `(n_classes,)` probabilities, uniform without members.
    void predict_distribution(std::span<const std::uint16_t> found, std::span<double> f) const;
    /// f(x) from the leaves found, 0 without members.
    double predict_value(std::span<const std::uint16_t> found) const;

 private:
    void archive_leaves(Archive& archive, const NewShrub& shrub,
                        std::span<std::int32_t> distribution) const;
    std::uint32_t find_many(std::span<const float> x, std::span<std::uint16_t> found) const;
    ShrubView view(std::uint32_t i) const { return {nodes(i), n_inner(i)}; }

    Memory memory_;
    LeafLayout layout_;
    NodeBytes node_bytes_ = NodeBytes::wide;
    bool all_numeric_ = false;
    std::uint32_t size_ = 0;
};

}  // namespace shrubs
