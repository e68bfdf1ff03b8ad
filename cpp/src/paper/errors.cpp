#include "shrubs/paper/errors.hpp"

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

}  // namespace

std::size_t find_errors(const Members& members, std::uint32_t shrub, const Window& window,
                        std::span<std::uint16_t> slots) {
    const LeafLayout& layout = members.layout();
    const std::byte* leaves = members.leaves(shrub);
    const LeafIds ids = members.leaf_ids(shrub);
    return with_kind(layout, [&]<class Leaves>(Leaves) {
        std::uint16_t* to = slots.data();
        std::size_t n = 0;
        for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
            to[n] = static_cast<std::uint16_t>(slot);
            n += layout.is_pure<Leaves::kind, Leaves::n_classes>(leaves, ids.get(slot)) ? 0 : 1;
        }
        return n;
    });
}

ErrorSums measure_errors(const Members& members, std::uint32_t shrub, const Window& window,
                         std::span<const std::uint16_t> slots, std::span<std::int32_t> errors) {
    const LeafLayout& layout = members.layout();
    const std::size_t n_classes = layout.n_classes();
    std::int32_t* error = errors.data();
    std::fill_n(error, slots.size() * n_classes, 0);
    ErrorSums sums;
    for (const std::uint16_t slot : slots) {
        const std::uint32_t label = window.labels()[slot];
        layout.for_each_entry(members.leaves(shrub), members.leaf_ids(shrub).get(slot),
                              [&](std::uint32_t c, std::int32_t q) { error[c] = q; });
        error[label] -= fixed_one;
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
