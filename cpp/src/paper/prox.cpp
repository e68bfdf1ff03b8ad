#include "shrubs/paper/prox.hpp"

#include <algorithm>
#include <numeric>

#include "shrubs/simd/dispatch.hpp"

namespace shrubs {

namespace {

// Up to this number, comparing each weight with all others is faster than sorting: no comparison
// has to be guessed, and several are done at once.
constexpr std::size_t max_ranked = 160;
constexpr std::uint16_t no_one = 0xFFFF;

// How many weights are larger goes to the place of each.
[[gnu::always_inline]] inline void rank(std::span<const double> weights,
                                        std::span<std::uint16_t> order) {
    std::ranges::fill(order, no_one);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        std::int64_t n_larger = 0;
        for (const double weight : weights) {
            n_larger += weight > weights[i] ? 1 : 0;
        }
        // Equal weights come to the same place; the later one moves on.
        auto place = order.begin() + n_larger;
        while (*place != no_one) {
            ++place;
        }
        *place = static_cast<std::uint16_t>(i);
    }
}

#ifdef SHRUBS_AVX2
[[gnu::target("avx2")]] void rank_avx2(std::span<const double> weights,
                                       std::span<std::uint16_t> order) {
    rank(weights, order);
}
#endif

bool is_before(std::span<const double> weights, std::uint16_t a, std::uint16_t b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
}

// Sorts what is almost in order. Returns false after so many moves that it is not.
bool sort_by_insertion(std::span<const double> weights, std::span<std::uint16_t> order) {
    constexpr std::size_t moves_per_weight = 8;
    std::size_t n_moves = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
        const std::uint16_t next = order[i];
        std::size_t place = i;
        for (; place > 0 && is_before(weights, next, order[place - 1]); --place) {
            order[place] = order[place - 1];
        }
        order[place] = next;
        n_moves += i - place;
        if (n_moves > moves_per_weight * order.size()) {
            return false;
        }
    }
    return true;
}

// The largest weight first; of equal ones, the earlier.
void sort(std::span<const double> weights, std::span<std::uint16_t> order, std::size_t n_ordered) {
    if (n_ordered > 0) {
        std::iota(order.begin() + static_cast<std::ptrdiff_t>(n_ordered), order.end(),
                  static_cast<std::uint16_t>(n_ordered));
        if (sort_by_insertion(weights, order)) {
            return;
        }
    }
    if (weights.size() <= max_ranked) {
#ifdef SHRUBS_AVX2
        if (has_avx2()) {
            rank_avx2(weights, order);
            return;
        }
#endif
        rank(weights, order);
        return;
    }
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    std::ranges::sort(order, [&](auto a, auto b) { return is_before(weights, a, b); });
}

// What the projection takes off every weight, measured from the largest one.
struct Shift {
    double largest;
    double tau;
};

// tau is taken at the largest j with w_(j) > (w_(1) + ... + w_(j) - 1) / j. (The paper prints the
// -1 inside the sum; docs/algorithm.md shows why that cannot be meant.) The projection does not
// change when all weights move by the same amount; measured from the largest one, j = 1 always
// holds, however large the weights are.
Shift find_shift(std::span<const double> weights, std::span<const std::uint16_t> kept) {
    const double largest = weights[kept[0]];
    double sum = 0.0;
    double tau = 0.0;
    for (std::size_t j = 0; j < kept.size(); ++j) {
        const double weight = weights[kept[j]] - largest;
        sum += weight;
        const double candidate = (sum - 1.0) / static_cast<double>(j + 1);
        if (weight > candidate) {
            tau = candidate;
        }
    }
    return {largest, tau};
}

}  // namespace

void project_sparse_simplex(std::span<double> weights, std::size_t max_shrubs,
                            std::span<std::uint16_t> order, std::size_t n_ordered) {
    order = order.first(weights.size());
    sort(weights, order, n_ordered);
    const std::size_t n_kept = std::min(max_shrubs, weights.size());
    const auto [largest, tau] = find_shift(weights, order.first(n_kept));
    for (double& weight : weights) {
        const double projected = (weight - largest) - tau;
        weight = projected > 0.0 ? projected : 0.0;
    }
    for (const std::uint16_t i : order.subspan(n_kept)) {
        weights[i] = 0.0;
    }
}

// What stays below the shift is not among those that the shift is taken from. Of a full ensemble
// the lightest stays ahead of what is lighter.
double find_least_weight(std::span<const double> weights, std::size_t max_shrubs,
                         std::span<std::uint16_t> order, std::size_t n_ordered) {
    order = order.first(weights.size());
    sort(weights, order, n_ordered);
    const auto [largest, tau] = find_shift(weights, order);
    const double least = largest + tau;
    return weights.size() < max_shrubs ? least : std::max(least, weights[order.back()]);
}

}  // namespace shrubs
