#include "shrubs/paper/prospect.hpp"

#include <algorithm>
#include <numeric>

namespace shrubs {

namespace {

// Examples of one class for which it is worth to look at them together.
constexpr std::size_t min_equal = 8;

}  // namespace

bool Prospect::add_leaf(std::span<const std::uint16_t> slots) {
    const Members& members = fit_.members;
    const std::uint32_t newcomer = members.size();
    const std::uint32_t leaf = members.leaf_ids(newcomer).get(slots.front());
    n_left_ -= slots.size();
    if (!members.layout().is_pure(members.leaves(newcomer), leaf)) {
        const bool is_large = slots.size() >= min_equal * members.layout().n_classes();
        is_large&& Gram::can_add_equal_errors(members.layout()) ? add_by_class(slots) : add(slots);
    }
    if (n_left_ == 0) {
        add_errors();
    }
    return is_hopeless_;
}

void Prospect::add(std::span<const std::uint16_t> slots) {
    while (!slots.empty()) {
        const std::size_t n = std::min(slots.size(), group - n_errors_);
        std::copy_n(slots.begin(), n, errors_.begin() + static_cast<std::ptrdiff_t>(n_errors_));
        n_errors_ += n;
        slots = slots.subspan(n);
        if (n_errors_ == group) {
            add_errors();
        }
    }
}

void Prospect::add_by_class(std::span<const std::uint16_t> slots) {
    add_errors();
    const auto labels = fit_.window.labels();
    std::array<std::uint16_t, max_classes_by_leaf + 1> ends;
    for (; !slots.empty() && !is_hopeless_; slots = slots.subspan(std::min(slots.size(), group))) {
        const auto some = slots.first(std::min(slots.size(), group));
        ends.fill(0);
        for (const std::uint16_t slot : some) {
            ++ends[labels[slot] + std::size_t{1}];
        }
        std::inclusive_scan(ends.begin(), ends.end(), ends.begin());
        for (const std::uint16_t slot : some) {
            errors_[ends[labels[slot]]++] = slot;
        }
        std::size_t begin = 0;
        for (std::uint32_t c = 0; c < fit_.members.layout().n_classes(); ++c) {
            if (ends[c] > begin) {
                loss_.gram().add_equal_errors(fit_.members, fit_.window,
                                              std::span(errors_).subspan(begin, ends[c] - begin));
            }
            begin = ends[c];
        }
        look();
    }
}

void Prospect::add_errors() {
    if (n_errors_ > 0) {
        loss_.gram().add_errors(fit_.members, fit_.window, std::span(errors_).first(n_errors_));
        n_errors_ = 0;
        look();
    }
}

}  // namespace shrubs
