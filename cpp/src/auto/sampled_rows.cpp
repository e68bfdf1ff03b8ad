#include "shrubs/auto/sampled_rows.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/simd/dispatch.hpp"

namespace shrubs {

namespace {

// Neighbouring features, as many as are looked at side by side. The last block of all may begin
// before the one before it ends, so that nothing behind a row is read.
template <class Floats, std::size_t n_blocks>
struct Blocks {
    std::uint32_t first[n_blocks];

    [[gnu::always_inline]] Blocks(std::uint32_t begin, std::uint32_t n_features) {
        for (std::uint32_t k = 0; k < n_blocks; ++k) {
            first[k] = std::min(begin + k * Floats::size, n_features - Floats::size);
        }
    }
};

}  // namespace

// Calls one of the kernels below for all features.
template <class Floats, class Kernel>
[[gnu::always_inline]] inline void RowCuts::for_all(Kernel) {
    std::uint32_t begin = 0;
    for (; begin + 2 * Floats::size < n_features_; begin += 3 * Floats::size) {
        Kernel::template run<Floats, 3>(*this, Blocks<Floats, 3>(begin, n_features_));
    }
    if (begin + Floats::size < n_features_) {
        Kernel::template run<Floats, 2>(*this, Blocks<Floats, 2>(begin, n_features_));
    } else if (begin < n_features_) {
        Kernel::template run<Floats, 1>(*this, Blocks<Floats, 1>(begin, n_features_));
    }
}

// A sum with a missing value is not a number, nor is one of infinities of both signs, which only
// sums that overflow could bring; that costs time and nothing else.
struct RowCuts::Measure {
    template <class Floats, std::size_t n_blocks>
    [[gnu::always_inline]] static void run(RowCuts& cuts, const Blocks<Floats, n_blocks>& blocks) {
        const auto rows = cuts.examples_.rows;
        Floats low[n_blocks];
        Floats high[n_blocks];
        Floats sum[n_blocks];
        for (std::size_t k = 0; k < n_blocks; ++k) {
            low[k] = high[k] = sum[k] = Floats::load(rows[0] + blocks.first[k]);
        }
        for (std::size_t i = 1; i < rows.size(); ++i) {
            for (std::size_t k = 0; k < n_blocks; ++k) {
                const Floats values = Floats::load(rows[i] + blocks.first[k]);
                low[k] = Floats::smaller(values, low[k]);
                high[k] = Floats::larger(values, high[k]);
                sum[k] = sum[k] + values;
            }
        }
        for (std::size_t k = 0; k < n_blocks; ++k) {
            low[k].store(cuts.floors_.data() + blocks.first[k]);
            high[k].store(cuts.highs_.data() + blocks.first[k]);
            const std::uint64_t constant = Floats::where_at_most(high[k], low[k]);
            cuts.varying_ |= (constant ^ Floats::everywhere) << blocks.first[k];
            sum[0] = k == 0 ? sum[0] : sum[0] + sum[k];
        }
        cuts.has_missing_ = cuts.has_missing_ || sum[0].has_missing();
    }
};

// sum R^2 = sum T^2 - 2 sum T L + sum L^2, in steps that are exact.
template <GoesLeft goes>
struct RowCuts::Judge {
    // 1 for each feature by which the example goes left.
    template <class Floats>
    [[gnu::always_inline]] static Floats go_left(const RowCuts& cuts, std::uint32_t first,
                                                 const Floats& values) {
        const Floats cut = Floats::load(cuts.cuts_.data() + first);
        if constexpr (goes == GoesLeft::equal) {
            return Floats::equal(values, cut);
        } else if constexpr (goes == GoesLeft::between) {
            return Floats::between(Floats::load(cuts.floors_.data() + first), values, cut);
        } else {
            return Floats::at_most(values, cut);
        }
    }

    template <class Floats, std::size_t n_blocks>
    [[gnu::always_inline]] static void run(RowCuts& cuts, const Blocks<Floats, n_blocks>& blocks) {
        const Floats none = Floats::all(0.0F);
        Floats n_left[n_blocks];
        Floats squares[n_blocks];
        Floats crossed[n_blocks];
        for (std::size_t k = 0; k < n_blocks; ++k) {
            n_left[k] = squares[k] = crossed[k] = none;
        }
        float all_squares = 0.0F;
        Floats sum = none;
        const float* const* row = cuts.examples_.rows.data();
        for (const std::uint32_t n_in_class : cuts.examples_.n_in_class) {
            Floats left[n_blocks];
            for (std::size_t k = 0; k < n_blocks; ++k) {
                left[k] = none;
            }
            for (const float* const* const end = row + n_in_class; row != end; ++row) {
                for (std::size_t k = 0; k < n_blocks; ++k) {
                    const Floats values = Floats::load(*row + blocks.first[k]);
                    left[k] = left[k] + go_left(cuts, blocks.first[k], values);
                    sum = goes == GoesLeft::equal ? sum + values : sum;
                }
            }
            const auto total = static_cast<float>(static_cast<std::int32_t>(n_in_class));
            all_squares += total * total;
            for (std::size_t k = 0; k < n_blocks; ++k) {
                n_left[k] = n_left[k] + left[k];
                squares[k] = squares[k] + left[k] * left[k];
                crossed[k] = crossed[k] + left[k] * Floats::all(total);
            }
        }
        const Floats n = Floats::all(static_cast<float>(cuts.examples_.rows.size()));
        for (std::size_t k = 0; k < n_blocks; ++k) {
            const Floats right_squares =
                Floats::all(all_squares) - (crossed[k] + crossed[k]) + squares[k];
            const Floats above = squares[k] * (n - n_left[k]) + right_squares * n_left[k];
            n_left[k].store(cuts.n_left_.data() + blocks.first[k]);
            above.store(cuts.above_.data() + blocks.first[k]);
            (above / (n_left[k] * (n - n_left[k]))).store(cuts.scores_.data() + blocks.first[k]);
            if constexpr (goes == GoesLeft::equal) {  // at least one example is
                const std::uint64_t constant = Floats::where_at_most(n, n_left[k]);
                cuts.varying_ |= (constant ^ Floats::everywhere) << blocks.first[k];
            }
        }
        if constexpr (goes == GoesLeft::equal) {
            cuts.has_missing_ = cuts.has_missing_ || sum.has_missing();
        }
    }
};

// As if all of them were numbers. The compiler takes several at a time.
[[gnu::always_inline]] inline void RowCuts::cut_portably(const NodeDraw& draw) {
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        cuts_[feature] = cut_between(floors_[feature], highs_[feature], draw.share(feature));
    }
}

#ifdef SHRUBS_AVX2
[[gnu::target("avx2")]] void RowCuts::measure_avx2() {
    for_all<EightFloats>(Measure{});
}
[[gnu::target("avx2"), gnu::flatten]] void RowCuts::cut_avx2(const NodeDraw& draw) {
    cut_portably(draw);
}
[[gnu::target("avx2")]] void RowCuts::judge_avx2() {
    has_floors_ ? for_all<EightFloats>(Judge<GoesLeft::between>{})
                : for_all<EightFloats>(Judge<GoesLeft::at_most>{});
}
[[gnu::target("avx2")]] void RowCuts::judge_categories_avx2() {
    for_all<EightFloats>(Judge<GoesLeft::equal>{});
}
#endif

void RowCuts::measure() {
#ifdef SHRUBS_AVX2
    if (n_features_ >= EightFloats::size && has_avx2()) {
        return measure_avx2();
    }
#endif
    for_all<FourFloats>(Measure{});
}

void RowCuts::cut_numbers(const NodeDraw& draw) {
#ifdef SHRUBS_AVX2
    if (n_features_ >= EightFloats::size && has_avx2()) {
        return cut_avx2(draw);
    }
#endif
    cut_portably(draw);
}

void RowCuts::judge() {
#ifdef SHRUBS_AVX2
    if (n_features_ >= EightFloats::size && has_avx2()) {
        return judge_avx2();
    }
#endif
    has_floors_ ? for_all<FourFloats>(Judge<GoesLeft::between>{})
                : for_all<FourFloats>(Judge<GoesLeft::at_most>{});
}

void RowCuts::judge_categories(const float* categories) {
    std::copy_n(categories, n_features_, cuts_.begin());
#ifdef SHRUBS_AVX2
    if (n_features_ >= EightFloats::size && has_avx2()) {
        return judge_categories_avx2();
    }
#endif
    for_all<FourFloats>(Judge<GoesLeft::equal>{});
}

}  // namespace shrubs
