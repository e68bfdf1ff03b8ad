#include "shrubs/tree/leaf.hpp"

#include <algorithm>
#include <cstring>

namespace shrubs {

namespace {

constexpr std::size_t entry_bytes = 4;

void store16(std::byte* to, std::size_t index, std::uint16_t value) {
    std::memcpy(to + 2 * index, &value, 2);
}

std::uint64_t dense_bytes(std::uint32_t max_leaves, std::uint32_t n_classes) {
    return n_classes == 0 ? 0 : std::uint64_t{max_leaves} * (n_classes - 1) * 2;
}

std::uint64_t sparse_bytes(std::uint32_t max_leaves, std::uint32_t max_entries) {
    return (std::uint64_t{max_leaves} + 1) * 2 + std::uint64_t{max_entries} * entry_bytes;
}

std::uint32_t count_entries(std::uint32_t max_leaves, std::uint32_t n_classes,
                            std::uint32_t window_size) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(window_size, std::uint64_t{max_leaves} * n_classes));
}

}  // namespace

LeafLayout LeafLayout::for_regression(std::uint32_t max_leaves) {
    LeafLayout layout;
    layout.max_leaves_ = max_leaves;
    return layout;
}

LeafLayout LeafLayout::for_classification(std::uint32_t max_leaves, std::uint32_t n_classes,
                                          std::uint32_t window_size) {
    LeafLayout layout;
    layout.max_leaves_ = max_leaves;
    layout.n_classes_ = n_classes;
    layout.max_entries_ = count_entries(max_leaves, n_classes, window_size);
    layout.kind_ =
        dense_bytes(max_leaves, n_classes) <= sparse_bytes(max_leaves, layout.max_entries_)
            ? LeafKind::dense
            : LeafKind::sparse;
    return layout;
}

std::uint64_t LeafLayout::bytes() const {
    switch (kind_) {
        case LeafKind::value: return std::uint64_t{max_leaves_} * sizeof(double);
        case LeafKind::dense: return dense_bytes(max_leaves_, n_classes_);
        case LeafKind::sparse: break;
    }
    return sparse_bytes(max_leaves_, max_entries_);
}

double LeafLayout::value(const std::byte* leaves, std::uint32_t leaf) const {
    double value = 0.0;
    std::memcpy(&value, leaves + std::size_t{leaf} * sizeof value, sizeof value);
    return value;
}

void LeafLayout::set_value(std::byte* leaves, std::uint32_t leaf, double value) const {
    std::memcpy(leaves + std::size_t{leaf} * sizeof value, &value, sizeof value);
}

void LeafLayout::set_distribution(std::byte* leaves, std::uint32_t leaf,
                                  std::span<const std::int32_t> q) const {
    if (kind_ == LeafKind::dense) {
        for (std::uint32_t c = 1; c < n_classes_; ++c) {
            store16(leaves, std::size_t{leaf} * (n_classes_ - 1) + c - 1,
                    static_cast<std::uint16_t>(q[c]));
        }
        return;
    }
    if (leaf == 0) {
        store16(leaves, 0, 0);
    }
    std::byte* entries = leaves + starts_bytes();
    std::uint16_t at = load16(leaves, leaf);
    for (std::uint32_t c = 0; c < q.size(); ++c) {
        if (q[c] != 0) {
            store16(entries, 2 * std::size_t{at}, static_cast<std::uint16_t>(c));
            store16(entries, 2 * std::size_t{at} + 1, static_cast<std::uint16_t>(q[c]));
            ++at;
        }
    }
    store16(leaves, std::size_t{leaf} + 1, at);
}

void LeafLayout::set_pure(std::byte* leaves, std::uint32_t leaf, std::uint32_t class_index) const {
    constexpr auto one = static_cast<std::uint16_t>(fixed_one);
    if (kind_ == LeafKind::dense) {
        const std::size_t n = n_shares<0>();
        std::fill_n(leaves + leaf * n * 2, n * 2, std::byte{0});
        if (class_index > 0) {
            store16(leaves, leaf * n + class_index - 1, one);
        }
        return;
    }
    if (leaf == 0) {
        store16(leaves, 0, 0);
    }
    const std::uint16_t at = load16(leaves, leaf);
    std::byte* entries = leaves + starts_bytes();
    store16(entries, 2 * std::size_t{at}, static_cast<std::uint16_t>(class_index));
    store16(entries, 2 * std::size_t{at} + 1, one);
    store16(leaves, std::size_t{leaf} + 1, static_cast<std::uint16_t>(at + 1));
}

void LeafLayout::get_distribution(const std::byte* leaves, std::uint32_t leaf,
                                  std::span<std::int32_t> q) const {
    std::fill(q.begin(), q.end(), 0);
    for_each_entry(leaves, leaf, [&](std::uint32_t c, std::int32_t entry) { q[c] = entry; });
}

void LeafLayout::copy_distributions(const std::byte* from, std::uint32_t from_leaf, std::uint32_t n,
                                    std::byte* to, std::uint32_t to_leaf) const {
    if (kind_ == LeafKind::dense) {
        const std::size_t bytes = (std::size_t{n_classes_} - 1) * 2;
        std::memcpy(to + to_leaf * bytes, from + from_leaf * bytes, n * bytes);
        return;
    }
    if (to_leaf == 0) {
        store16(to, 0, 0);
    }
    const std::size_t begin = load16(from, from_leaf);
    const std::size_t at = load16(to, to_leaf);
    for (std::uint32_t i = 1; i <= n; ++i) {
        const std::size_t end = load16(from, std::size_t{from_leaf} + i) - begin + at;
        store16(to, std::size_t{to_leaf} + i, static_cast<std::uint16_t>(end));
    }
    const std::size_t n_entries = load16(from, std::size_t{from_leaf} + n) - begin;
    std::memcpy(to + starts_bytes() + at * entry_bytes, from + starts_bytes() + begin * entry_bytes,
                n_entries * entry_bytes);
}

void LeafLayout::add_distribution(const std::byte* leaves, std::uint32_t leaf, double weight,
                                  std::span<double> sums) const {
    for_each_entry(leaves, leaf, [&](std::uint32_t c, std::int32_t entry) {
        sums[c] += weight * (entry * from_fixed);
    });
}

double LeafLayout::add_product(const std::byte* leaves, std::uint32_t leaf,
                               std::span<const double> factors, double start) const {
    for_each_entry(leaves, leaf, [&](std::uint32_t c, std::int32_t entry) {
        start += factors[c] * (entry * from_fixed);
    });
    return start;
}

void round_distribution(std::span<const std::uint32_t> counts, std::span<std::int32_t> q) {
    std::uint64_t n = 0;
    for (const std::uint32_t count : counts) {
        n += count;
    }
    std::uint64_t cumulative = 0;
    std::uint64_t before = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        if (counts[c] == 0) {
            q[c] = 0;
            continue;
        }
        cumulative += counts[c];
        // The last class of a leaf, the only one of most, needs no division.
        const std::uint64_t upto = cumulative == n
                                       ? std::uint64_t{fixed_one}
                                       : (2 * std::uint64_t{fixed_one} * cumulative + n) / (2 * n);
        q[c] = static_cast<std::int32_t>(upto - before);
        before = upto;
    }
}

}  // namespace shrubs
