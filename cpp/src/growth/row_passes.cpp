#include "shrubs/growth/row_passes.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/simd/floats.hpp"

namespace shrubs {

namespace {

template <class Floats, std::uint32_t width>
[[gnu::always_inline]] inline bool measure(const Rows& rows, float* low, float* high) {
    constexpr std::uint32_t n = width / Floats::size;
    Floats lows[n];
    Floats highs[n];
    Floats sums[n];
    for (std::uint32_t k = 0; k < n; ++k) {
        lows[k] = Floats::all(std::numeric_limits<float>::infinity());
        highs[k] = Floats::all(-std::numeric_limits<float>::infinity());
        sums[k] = Floats::all(0.0F);
    }
    for (std::size_t at = 0; at < rows.slots.size(); ++at) {
        const float* row = rows.row(at);
        for (std::uint32_t k = 0; k < n; ++k) {
            const Floats values = Floats::load(row + k * Floats::size);
            lows[k] = Floats::smaller(values, lows[k]);
            highs[k] = Floats::larger(values, highs[k]);
            sums[k] = sums[k] + values;
        }
    }
    // A sum with a missing value is not a number, nor is one of infinities of both signs, which
    // only sums that overflow could bring; that costs time and nothing else.
    Floats sum = Floats::all(0.0F);
    for (std::uint32_t k = 0; k < n; ++k) {
        lows[k].store(low + k * Floats::size);
        highs[k].store(high + k * Floats::size);
        sum = sum + sums[k];
    }
    return sum.has_missing();
}

template <class Floats, std::uint32_t width>
[[gnu::always_inline]] inline void count_up_to(const Rows& rows,
                                               std::span<const std::uint32_t> totals,
                                               const float* cuts, float* counts) {
    constexpr std::uint32_t n = width / Floats::size;
    Floats largest[n];
    for (std::uint32_t k = 0; k < n; ++k) {
        largest[k] = Floats::load(cuts + k * Floats::size);
    }
    std::size_t at = 0;
    for (std::size_t c = 0; c < totals.size(); ++c) {
        Floats sums[n];
        for (std::uint32_t k = 0; k < n; ++k) {
            sums[k] = Floats::all(0.0F);
        }
        for (const std::size_t end = at + totals[c]; at < end; ++at) {
            const float* row = rows.row(at);
            for (std::uint32_t k = 0; k < n; ++k) {
                sums[k] =
                    sums[k] + Floats::at_most(Floats::load(row + k * Floats::size), largest[k]);
            }
        }
        for (std::uint32_t k = 0; totals[c] > 0 && k < n; ++k) {
            sums[k].store(counts + c * width + k * Floats::size);
        }
    }
}

template <class Floats, std::uint32_t width, bool with_floors>
[[gnu::always_inline]] inline void add_between(const Rows& rows, const std::uint16_t* labels,
                                               const Between& between, float* counts) {
    constexpr std::uint32_t n = width / Floats::size;
    Floats largest[n];
    Floats smallest[n];
    for (std::uint32_t k = 0; k < n; ++k) {
        largest[k] = Floats::load(between.cuts + k * Floats::size);
        smallest[k] = with_floors ? Floats::load(between.floors + k * Floats::size) : largest[k];
    }
    for (std::size_t at = 0; at < rows.slots.size(); ++at) {
        const float* row = rows.row(at);
        float* count = counts + std::size_t{labels[rows.slots[at]]} * width;
        for (std::uint32_t k = 0; k < n; ++k, row += Floats::size, count += Floats::size) {
            const Floats values = Floats::load(row);
            Floats left = Floats::at_most(values, largest[k]);
            if constexpr (with_floors) {
                left = left * Floats::at_most(smallest[k], values);
            }
            (Floats::load(count) + left).store(count);
        }
    }
}

template <class Floats, std::uint32_t width>
[[gnu::always_inline]] inline void add_between(const Rows& rows, const std::uint16_t* labels,
                                               const Between& between, float* counts) {
    between.floors != nullptr ? add_between<Floats, width, true>(rows, labels, between, counts)
                              : add_between<Floats, width, false>(rows, labels, between, counts);
}

#ifdef SHRUBS_AVX2
template <std::uint32_t width>
[[gnu::target("avx2")]] bool measure_avx2(const Rows& rows, float* low, float* high) {
    return measure<EightFloats, width>(rows, low, high);
}
template <std::uint32_t width>
[[gnu::target("avx2")]] void count_avx2(const Rows& rows, std::span<const std::uint32_t> totals,
                                        const float* cuts, float* counts) {
    count_up_to<EightFloats, width>(rows, totals, cuts, counts);
}
template <std::uint32_t width>
[[gnu::target("avx2")]] void add_between_avx2(const Rows& rows, const std::uint16_t* labels,
                                              const Between& between, float* counts) {
    add_between<EightFloats, width>(rows, labels, between, counts);
}
#endif

}  // namespace

template <std::uint32_t width>
bool RowPasses<width>::measure(const Rows& rows, float* low, float* high) {
#ifdef SHRUBS_AVX2
    if constexpr (width >= 8) {
        if (has_avx2()) {
            return measure_avx2<width>(rows, low, high);
        }
    }
#endif
    return shrubs::measure<FourFloats, width>(rows, low, high);
}

template <std::uint32_t width>
void RowPasses<width>::count_up_to(const Rows& rows, std::span<const std::uint32_t> totals,
                                   const float* cuts, float* counts) {
#ifdef SHRUBS_AVX2
    if constexpr (width >= 8) {
        if (has_avx2()) {
            return count_avx2<width>(rows, totals, cuts, counts);
        }
    }
#endif
    shrubs::count_up_to<FourFloats, width>(rows, totals, cuts, counts);
}

template <std::uint32_t width>
void RowPasses<width>::count_between(const Rows& rows, const Gini& impurity, const Between& between,
                                     float* counts) {
    for (std::size_t c = 0; c < impurity.totals().size(); ++c) {
        if (impurity.totals()[c] != 0) {
            std::fill_n(counts + c * width, width, 0.0F);
        }
    }
    const std::uint16_t* labels = impurity.labels().data();
#ifdef SHRUBS_AVX2
    if constexpr (width >= 8) {
        if (has_avx2()) {
            return add_between_avx2<width>(rows, labels, between, counts);
        }
    }
#endif
    add_between<FourFloats, width>(rows, labels, between, counts);
}

CountedCut count_cut(std::span<const std::uint32_t> totals, const float* counts,
                     std::size_t stride) {
    CountedCut cut;
    for (std::size_t c = 0; c < totals.size(); ++c, counts += stride) {
        if (totals[c] != 0) {
            const auto left = static_cast<std::uint64_t>(*counts);
            const std::uint64_t right = totals[c] - left;
            cut.n_left += left;
            cut.n_right += right;
            cut.left_squares += left * left;
            cut.right_squares += right * right;
        }
    }
    return cut;
}

// sum R^2 = sum T^2 - 2 sum T L + sum L^2, in steps that are exact.
template <std::uint32_t width>
void RowPasses<width>::score_cuts(std::span<const std::uint32_t> totals, const float* counts,
                                  std::uint32_t min_samples_leaf, CutScores<width>& cuts) {
    using Floats = FourFloats;
    constexpr std::uint32_t n = width / Floats::size;
    Floats sizes[n];
    Floats squares[n];
    Floats crossed[n];
    for (std::uint32_t k = 0; k < n; ++k) {
        sizes[k] = squares[k] = crossed[k] = Floats::all(0.0F);
    }
    float node_squares = 0.0F;
    float size = 0.0F;
    for (std::size_t c = 0; c < totals.size(); ++c, counts += width) {
        if (totals[c] == 0) {
            continue;
        }
        const auto total = static_cast<float>(static_cast<std::int32_t>(totals[c]));
        node_squares += total * total;
        size += total;
        for (std::uint32_t k = 0; k < n; ++k) {
            const Floats count = Floats::load(counts + k * Floats::size);
            sizes[k] = sizes[k] + count;
            squares[k] = squares[k] + count * count;
            crossed[k] = crossed[k] + count * Floats::all(total);
        }
    }
    const Floats leasts = Floats::all(static_cast<float>(min_samples_leaf));
    Floats largest = Floats::all(0.0F);
    for (std::uint32_t k = 0; k < n; ++k) {
        const Floats right_squares =
            Floats::all(node_squares) - (crossed[k] + crossed[k]) + squares[k];
        const Floats n_right = Floats::all(size) - sizes[k];
        const Floats allowed = Floats::at_most(leasts, Floats::smaller(sizes[k], n_right));
        const Floats score = (squares[k] * n_right + right_squares * sizes[k]) /
                             Floats::larger(sizes[k] * n_right, Floats::all(1.0F)) * allowed;
        const std::uint32_t first = k * Floats::size;
        sizes[k].store(cuts.n_left + first);
        squares[k].store(cuts.left_squares + first);
        right_squares.store(cuts.right_squares + first);
        score.store(cuts.scores + first);
        largest = Floats::larger(score, largest);
    }
    cuts.largest = largest.largest();
}

template struct RowPasses<4>;
template struct RowPasses<8>;
template struct RowPasses<16>;
template struct RowPasses<24>;

}  // namespace shrubs
