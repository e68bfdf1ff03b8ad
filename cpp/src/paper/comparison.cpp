#include "shrubs/paper/comparison.hpp"

#include <algorithm>

namespace shrubs {

namespace {

// What the compiler knows about the leaves of an ensemble.
template <LeafKind kind_, std::uint32_t n_classes_>
struct LeavesOf {
    static constexpr LeafKind kind = kind_;
    static constexpr std::uint32_t n_classes = n_classes_;
};

template <class Task>
auto with_kind(const LeafLayout& layout, Task task) {
    if (layout.kind() == LeafKind::sparse) {
        return task(LeavesOf<LeafKind::sparse, 0>());
    }
    switch (layout.n_classes()) {
        case 2: return task(LeavesOf<LeafKind::dense, 2>());
        case 3: return task(LeavesOf<LeafKind::dense, 3>());
        case 4: return task(LeavesOf<LeafKind::dense, 4>());
        default: return task(LeavesOf<LeafKind::dense, 0>());
    }
}

// Writes the slots of the examples for which `is_wanted(slot)` and returns their number.
template <class IsWanted>
std::size_t find_slots(const Window& window, std::uint16_t* slots, IsWanted is_wanted) {
    std::size_t n = 0;
    window.for_each_slot([&](std::uint32_t slot) {
        slots[n] = static_cast<std::uint16_t>(slot);
        n += is_wanted(slot) ? 1 : 0;
    });
    return n;
}

}  // namespace

std::size_t find_errors(const Comparison& comparison, std::span<std::uint16_t> slots) {
    const Members& members = comparison.members;
    const LeafLayout& layout = members.layout();
    const std::byte* leaves = members.leaves(comparison.shrub);
    const LeafIds ids = members.leaf_ids(comparison.shrub);
    return with_kind(layout, [&]<class Leaves>(Leaves) {
        if (comparison.known == Comparison::labels) {
            return find_slots(comparison.window, slots.data(), [&](std::uint32_t slot) {
                return !layout.is_pure<Leaves::kind, Leaves::n_classes>(leaves, ids.get(slot));
            });
        }
        const std::byte* known_leaves = members.leaves(comparison.known);
        const LeafIds known_ids = members.leaf_ids(comparison.known);
        return find_slots(comparison.window, slots.data(), [&](std::uint32_t slot) {
            return !layout.is_same<Leaves::kind, Leaves::n_classes>(
                leaves, ids.get(slot), known_leaves, known_ids.get(slot));
        });
    });
}

ErrorSums measure_errors(const Comparison& comparison, std::span<const std::uint16_t> slots,
                         std::span<std::int32_t> errors) {
    const Members& members = comparison.members;
    const LeafLayout& layout = members.layout();
    const std::size_t n_classes = layout.n_classes();
    std::int32_t* error = errors.data();
    std::fill_n(error, slots.size() * n_classes, 0);
    ErrorSums sums;
    for (const std::uint16_t slot : slots) {
        const std::uint32_t label = comparison.window.labels()[slot];
        layout.for_each_entry(members.leaves(comparison.shrub),
                              members.leaf_ids(comparison.shrub).get(slot),
                              [&](std::uint32_t c, std::int32_t q) { error[c] = q; });
        if (comparison.known == Comparison::labels) {
            error[label] -= fixed_one;
        } else {
            layout.for_each_entry(members.leaves(comparison.known),
                                  members.leaf_ids(comparison.known).get(slot),
                                  [&](std::uint32_t c, std::int32_t q) { error[c] -= q; });
        }
        const std::int32_t first = error[0];
        sums.of_labels += error[label];
        sums.of_first += first;
        for (std::size_t c = 0; c < n_classes; ++c) {
            error[c] -= first;
        }
        error += n_classes;
    }
    return sums;
}

std::int64_t sum_products(const Members& members, std::uint32_t i,
                          std::span<const std::uint16_t> slots,
                          std::span<const std::int32_t> errors) {
    const LeafLayout& layout = members.layout();
    const std::byte* leaves = members.leaves(i);
    const LeafIds ids = members.leaf_ids(i);
    return with_kind(layout, [&]<class Leaves>(Leaves) {
        const std::size_t stride = Leaves::n_classes > 0 ? Leaves::n_classes : layout.n_classes();
        const std::int32_t* error = errors.data();
        std::int64_t sum = 0;
        for (const std::uint16_t slot : slots) {
            std::int64_t product = 0;
            layout.for_each_share<Leaves::kind, Leaves::n_classes>(
                leaves, ids.get(slot),
                [&](std::uint32_t c, std::int32_t q) { product += std::int64_t{q} * error[c]; });
            sum += product;
            error += stride;
        }
        return sum;
    });
}

}  // namespace shrubs
