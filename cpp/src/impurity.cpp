#include "shrubs/impurity.hpp"

#include <algorithm>

namespace shrubs {

void Gini::begin_node(std::span<const std::uint16_t> members) {
    std::fill(totals_.begin(), totals_.end(), 0U);
    for (const std::uint16_t slot : members) {
        ++totals_[labels_[slot]];
    }
    node_squares_ = 0;
    for (const std::uint64_t total : totals_) {
        node_squares_ += total * total;
    }
}

bool Gini::is_pure(std::span<const std::uint16_t> members) const {
    return labels_[members.front()] == labels_[members.back()] &&
           std::all_of(members.begin(), members.end(), [&](std::uint16_t slot) {
               return labels_[slot] == labels_[members.front()];
           });
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
