#pragma once

// The Gram matrix of the shrubs' predictions on the window, kept up to date as the window slides.
//
// With q the fixed-point predictions, Q_ik = sum_j <q_i(x_j), q_k(x_j)> and r_i = sum_j
// q_i(x_j)_{y_j}. The gradient of the mse loss is Q w - r, so no step has to look at the window
// again. All entries are integers of at most 2^46, which a double holds exactly: sliding gives the
// same bits as starting from scratch.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/memory/arena.hpp"
#include "shrubs/paper/errors.hpp"
#include "shrubs/paper/losses/fit.hpp"
#include "shrubs/paper/members.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

class Gram {
 public:
    struct Memory {
        std::span<double> products;        ///< lower triangle by rows, ((M + 1)(M + 2) / 2,)
        std::span<double> rights;          ///< r, (M + 1,)
        std::span<std::int32_t> by_class;  ///< scratch, (C * (M + 1),) at least: see `reserve`
    };

    /// For so many members, the newcomer among them. Examples may be sorted by so many leaves.
    static Memory reserve(Arena& arena, std::uint64_t n_shrubs, std::uint64_t n_classes,
                          std::uint64_t max_leaves) {
        const std::uint64_t by_leaf = std::min(max_leaves, max_sorted_leaves);
        const std::uint64_t by_example = n_shrubs > many ? by_leaf * n_classes : by_leaf;
        return {.products = arena.array<double>(Purpose::cache, n_products(n_shrubs)),
                .rights = arena.array<double>(Purpose::cache, n_shrubs),
                .by_class = arena.array<std::int32_t>(Purpose::scratch,
                                                      std::max(n_shrubs * n_classes, by_example))};
    }

    Gram() = default;
    explicit Gram(const Memory& memory) : memory_(memory) {}

    static constexpr std::uint64_t n_products(std::uint64_t n_shrubs) {
        return n_shrubs * (n_shrubs + 1) / 2;
    }

    /// Row `i`: Q_i0, ..., Q_ii.
    std::span<const double> row(std::uint32_t i) const {
        return memory_.products.subspan(n_products(i), i + std::size_t{1});
    }
    double right(std::uint32_t i) const { return memory_.rights[i]; }

    /// How many additions an example takes at most.
    static std::uint64_t max_additions(const Members& members);

    void clear();
    /// Adds (`sign` = 1) or takes away (-1) an example.
    void add(const Members& members, const Seen& example, double sign);
    /// Adds one example and takes away another.
    void slide(const Members& members, const Seen& entering, const Seen& leaving);
    /// Fills the row of the youngest member from the leaf ids of all members. `examples` is
    /// scratch, (B,). Requires that the youngest member was grown on this window.
    void add_newcomer(const Members& members, const Window& window,
                      std::span<std::uint16_t> examples);
    /// The same example by example, while a shrub grows that is about to become the youngest
    /// member: at first its row is that of a shrub that predicts all labels, then it errs on some
    /// examples.
    void begin_newcomer(const Members& members, const Window& window) {
        begin_row(window, {members.size(), Compared::labels});
    }
    void add_errors(const Members& members, const Window& window,
                    std::span<const std::uint16_t> examples) {
        add_errors(members, window, {members.size(), Compared::labels}, examples);
    }
    /// For examples of one leaf and one class. Requires `can_add_equal_errors`.
    void add_equal_errors(const Members& members, const Window& window,
                          std::span<const std::uint16_t> examples);
    static bool can_add_equal_errors(const LeafLayout& layout) {
        return layout.kind() == LeafKind::dense && layout.n_classes() <= max_classes_by_leaf;
    }
    void finish_newcomer(const Members& members) { finish_row({members.size(), Compared::labels}); }
    /// Drops row and column `i` of `n_shrubs`.
    void remove(std::uint32_t i, std::uint32_t n_shrubs);

 private:
    // More of them are not worth the room.
    static constexpr std::uint64_t max_sorted_leaves = 1024;
    // So many members leave the cache before the next group of errors needs them again.
    static constexpr std::uint64_t many = 32;

    void begin_row(const Window& window, const Compared& compared);
    void add_errors(const Members& members, const Window& window, const Compared& compared,
                    std::span<const std::uint16_t> examples);
    void finish_row(const Compared& compared);
    bool has_room_by_leaf(const Members& members) const;
    void add_by_leaf(const Members& members, const ByLeaf& by_leaf, const Window& window);

    Memory memory_;
};

}  // namespace shrubs
