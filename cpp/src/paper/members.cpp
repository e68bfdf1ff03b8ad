#include "shrubs/paper/members.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace shrubs {

Members::Members(const Memory& memory, const LeafLayout& layout, NodeBytes node_bytes,
                 bool all_numeric)
    : memory_(memory), layout_(layout), node_bytes_(node_bytes), all_numeric_(all_numeric) {
    std::iota(memory_.places.begin(), memory_.places.end(), std::uint16_t{0});
}

void Members::append(std::uint32_t n_inner, std::uint64_t born) {
    const std::uint16_t place = memory_.places[size_];
    memory_.n_inner[place] = static_cast<std::uint16_t>(n_inner);
    memory_.born[place] = born;
    memory_.weights[size_] = 0.0;
    ++size_;
}

void Members::remove(std::uint32_t i) {
    // places | 0 .. i-1 | i | i+1 .. size-1 | free |  ->  | 0 .. i-1 | i+1 .. size-1 | i | free |
    const auto places = memory_.places.subspan(i, size_ - i);
    std::rotate(places.begin(), places.begin() + 1, places.end());
    const auto weights = memory_.weights.subspan(i, size_ - i);
    std::rotate(weights.begin(), weights.begin() + 1, weights.end());
    --size_;
}

void Members::find_leaves(std::span<const float> x, std::span<std::uint16_t> found) const {
    std::uint32_t next = 0;
    if (all_numeric_ && std::ranges::none_of(x, [](float value) { return value != value; })) {
        for (; next + 4 <= size_; next += 4) {
            const std::array<ShrubView, 4> four{view(next), view(next + 1), view(next + 2),
                                                view(next + 3)};
            if (std::ranges::any_of(four, [](const auto& shrub) { return shrub.n_inner == 0; })) {
                break;
            }
            find_four_leaves(node_bytes_, four, x, found.subspan(next).first<4>());
        }
    }
    for (std::uint32_t i = next; i < size_; ++i) {
        found[i] = static_cast<std::uint16_t>(find_leaf(i, x));
    }
}

void Members::predict_distribution(std::span<const std::uint16_t> found,
                                   std::span<double> f) const {
    std::ranges::fill(f, size_ == 0 ? 1.0 / static_cast<double>(f.size()) : 0.0);
    if (layout_.kind() == LeafKind::dense && f.size() == 2) {
        double first = f[0];
        double second = f[1];
        for (std::uint32_t i = 0; i < size_; ++i) {
            const std::int32_t q = layout_.entry(leaves(i), found[i], 1);
            first += memory_.weights[i] * ((fixed_one - q) * from_fixed);
            second += memory_.weights[i] * (q * from_fixed);
        }
        f[0] = first;
        f[1] = second;
    } else {
        for (std::uint32_t i = 0; i < size_; ++i) {
            layout_.add_distribution(leaves(i), found[i], memory_.weights[i], f);
        }
    }
    // The weights may sum to a little more than one.
    for (double& probability : f) {
        probability = std::min(probability, 1.0);
    }
}

double Members::predict_value(std::span<const std::uint16_t> found) const {
    double f = 0.0;
    for (std::uint32_t i = 0; i < size_; ++i) {
        f += memory_.weights[i] * layout_.value(leaves(i), found[i]);
    }
    constexpr double largest = std::numeric_limits<double>::max();
    return std::clamp(f, -largest, largest);
}

}  // namespace shrubs
