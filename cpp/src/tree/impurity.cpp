#include "shrubs/tree/impurity.hpp"

#include <algorithm>

namespace shrubs {

namespace {

// In larger nodes, examples that stand class by class, the ends of the classes are searched.
constexpr std::size_t min_size_for_halving = 16;

}  // namespace

void Gini::count_classes(std::span<const std::uint16_t> members) const {
    std::fill(totals_.begin(), totals_.end(), 0U);
    const std::uint16_t first = labels_[members.front()];
    if (by_class_ && labels_[members.back()] == first) {
        totals_[first] = static_cast<std::uint32_t>(members.size());
        return;
    }
    if (by_class_ && members.size() >= min_size_for_halving * totals_.size()) {
        for (auto begin = members.begin(); begin != members.end();) {
            const std::uint16_t label = labels_[*begin];
            const auto end = std::partition_point(
                begin, members.end(), [&](std::uint16_t slot) { return labels_[slot] == label; });
            totals_[label] = static_cast<std::uint32_t>(end - begin);
            begin = end;
        }
        return;
    }
    if (totals_.size() == 2) {
        std::uint32_t n_second = 0;
        for (const std::uint16_t slot : members) {
            n_second += labels_[slot];
        }
        totals_[0] = static_cast<std::uint32_t>(members.size()) - n_second;
        totals_[1] = n_second;
        return;
    }
    for (const std::uint16_t slot : members) {
        ++totals_[labels_[slot]];
    }
}

void Gini::begin_node(std::span<const std::uint16_t> members) {
    count_classes(members);
    node_squares_ = 0;
    for (const std::uint64_t total : totals_) {
        node_squares_ += total * total;
    }
}

bool Gini::is_pure(std::span<const std::uint16_t> members) const {
    return labels_[members.front()] == labels_[members.back()] &&
           (by_class_ || std::all_of(members.begin(), members.end(), [&](std::uint16_t slot) {
                return labels_[slot] == labels_[members.front()];
            }));
}

void Gini::begin_cut() {
    std::fill(lefts_.begin(), lefts_.end(), 0U);
    left_squares_ = 0;
    right_squares_ = node_squares_;
}

void Variance::begin_node(std::span<const std::uint16_t> members) {
    total_ = 0.0;
    for (const std::uint16_t slot : members) {
        total_ += centred_[slot];
    }
}

bool Variance::is_pure(std::span<const std::uint16_t> members) const {
    return std::all_of(members.begin(), members.end(), [&](std::uint16_t slot) {
        return targets_[slot] == targets_[members.front()];
    });
}

}  // namespace shrubs
