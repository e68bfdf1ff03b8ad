#include "shrubs/paper/errors.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

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

struct LeavesOfShrub {
    const std::byte* leaves;
    LeafIds ids;
    std::uint32_t n;  ///< shares of a dense leaf, or classes of a sparse one

    const std::byte* shares(std::uint32_t slot) const {
        return leaves + std::size_t{ids.get(slot)} * n * 2;
    }
};

#ifdef SHRUBS_AVX2

// Products are taken four at a time.
constexpr std::uint32_t four = 4;

// Four shares times their errors.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i multiply_four(
    const std::byte* shares, const std::int32_t* errors) {
    const auto q = _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(shares)));
    const auto e = _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(errors)));
    return _mm256_mul_epi32(q, e);
}

[[gnu::target("avx2")]] inline std::int64_t sum_four(__m256i lanes) {
    alignas(32) std::int64_t sums[four];
    _mm256_store_si256(reinterpret_cast<__m256i*>(sums), lanes);
    return sums[0] + sums[1] + sums[2] + sums[3];
}

// The last four shares may overlap those before them, which then do not count twice:
//
//     shares | 1 2 3 4 | 5 6 7 8 | 9 |      last four: 6 7 8 9, of which 9 counts
[[gnu::target("avx2")]] std::int64_t sum_shares_avx2(const LeavesOfShrub& dense,
                                                     std::span<const std::uint16_t> slots,
                                                     const std::int32_t* errors) {
    const std::uint32_t n = dense.n;
    const std::uint32_t last = n - four;
    const std::uint32_t n_twice = (four - n % four) % four;
    const __m256i counts =
        _mm256_cmpgt_epi64(_mm256_setr_epi64x(1, 2, 3, 4), _mm256_set1_epi64x(n_twice));
    __m256i sum = _mm256_setzero_si256();
    const std::int32_t* error = errors + 1;
    for (const std::uint16_t slot : slots) {
        const std::byte* shares = dense.shares(slot);
        for (std::uint32_t at = 0; at < last; at += four) {
            sum = _mm256_add_epi64(sum, multiply_four(shares + 2 * std::size_t{at}, error + at));
        }
        const __m256i products = multiply_four(shares + 2 * std::size_t{last}, error + last);
        sum = _mm256_add_epi64(sum, _mm256_and_si256(products, counts));
        error += n + 1;
    }
    return sum_four(sum);
}

// Entries are taken eight at a time; few leaves have more.
constexpr std::int32_t eight = 8;

// Eight entries, class and q in the halves of 32 bits, times the errors of their classes. Those
// behind the first `n` do not count.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i multiply_entries(
    const std::byte* entries, std::int32_t n, __m256i low_errors, __m256i high_errors) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries));
    const __m256i counts =
        _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256i q = _mm256_and_si256(_mm256_srli_epi32(all, 16), counts);
    // Three bits of the class choose one of eight errors, the fourth one the register.
    const __m256 low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low_errors, all));
    const __m256 high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high_errors, all));
    const __m256 is_high = _mm256_castsi256_ps(_mm256_slli_epi32(all, 28));
    const __m256i e = _mm256_castps_si256(_mm256_blendv_ps(low, high, is_high));
    return _mm256_add_epi64(_mm256_mul_epi32(q, e),
                            _mm256_mul_epi32(_mm256_srli_epi64(q, 32), _mm256_srli_epi64(e, 32)));
}

[[gnu::target("avx2")]] std::int64_t sum_entries_avx2(const LeafLayout& layout,
                                                      const LeavesOfShrub& sparse,
                                                      std::span<const std::uint16_t> slots,
                                                      const std::int32_t* error) {
    const __m256i classes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const auto n_classes = static_cast<std::int32_t>(sparse.n);
    const __m256i is_low = _mm256_cmpgt_epi32(_mm256_set1_epi32(n_classes), classes);
    const __m256i is_high = _mm256_cmpgt_epi32(_mm256_set1_epi32(n_classes - 8), classes);
    __m256i sum = _mm256_setzero_si256();
    for (const std::uint16_t slot : slots) {
        const __m256i low = _mm256_maskload_epi32(error, is_low);
        const __m256i high = _mm256_maskload_epi32(error + eight, is_high);
        auto [entries, n] = layout.entries(sparse.leaves, sparse.ids.get(slot));
        for (; n > 0; n -= eight, entries += 4 * std::size_t{eight}) {
            sum = _mm256_add_epi64(sum, multiply_entries(entries, n, low, high));
        }
        error += sparse.n;
    }
    return sum_four(sum);
}

// Shares are added eight at a time, those of the next leaf among them, which nobody looks at.
template <std::uint32_t n_blocks>
[[gnu::target("avx2")]] void add_shares_avx2(const LeavesOfShrub& dense,
                                             std::span<const std::uint16_t> slots,
                                             std::uint32_t* sums) {
    __m256i totals[n_blocks];
    std::fill_n(totals, n_blocks, _mm256_setzero_si256());
    for (const std::uint16_t slot : slots) {
        const auto* shares = reinterpret_cast<const __m128i*>(dense.shares(slot));
        for (std::uint32_t k = 0; k < n_blocks; ++k) {
            totals[k] =
                _mm256_add_epi32(totals[k], _mm256_cvtepu16_epi32(_mm_loadu_si128(shares + k)));
        }
    }
    for (std::uint32_t k = 0; k < n_blocks; ++k) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums) + k, totals[k]);
    }
}

#endif

// Sums the shares of some examples, class by class: (16,). They stay below 2^31.
void add_shares(const LeavesOfShrub& dense, std::span<const std::uint16_t> slots,
                std::uint32_t* sums) {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        return dense.n <= 8 ? add_shares_avx2<1>(dense, slots, sums)
                            : add_shares_avx2<2>(dense, slots, sums);
    }
#endif
    for (const std::uint16_t slot : slots) {
        const std::byte* shares = dense.shares(slot);
        for (std::uint32_t c = 0; c < dense.n; ++c) {
            std::uint16_t share = 0;
            std::memcpy(&share, shares + 2 * std::size_t{c}, sizeof share);
            sums[c] += share;
        }
    }
}

}  // namespace

std::size_t find_errors(const Members& members, const Compared& compared, const Window& window,
                        std::span<std::uint16_t> slots, std::span<std::int32_t> known) {
    const LeafLayout& layout = members.layout();
    const std::byte* leaves = members.leaves(compared.shrub);
    const LeafIds ids = members.leaf_ids(compared.shrub);
    const std::size_t n_leaves = members.n_inner(compared.shrub) + std::size_t{1};
    const auto find = [&](auto errs) {
        std::uint16_t* to = slots.data();
        std::size_t n = 0;
        const auto end = std::min<std::size_t>(window.size(), slots.size());
        for (std::uint32_t slot = 0; slot < end; ++slot) {
            to[n] = static_cast<std::uint16_t>(slot);
            n += errs(slot) ? 1 : 0;
        }
        return n;
    };
    const bool is_known = n_leaves <= known.size();
    if (compared.with == Compared::labels) {
        const auto errs = [&](std::uint32_t leaf) { return !layout.is_pure(leaves, leaf); };
        if (!is_known) {
            return find([&](std::uint32_t slot) { return errs(ids.get(slot)); });
        }
        for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
            known[leaf] = errs(leaf) ? 1 : 0;
        }
        return find([&](std::uint32_t slot) { return known[ids.get(slot)] != 0; });
    }
    const std::byte* others = members.leaves(compared.with);
    const LeafIds other_ids = members.leaf_ids(compared.with);
    const auto errs = [&](std::uint32_t leaf, std::uint32_t other) {
        return !layout.is_same(leaves, leaf, others, other);
    };
    if (!is_known) {
        return find([&](std::uint32_t slot) { return errs(ids.get(slot), other_ids.get(slot)); });
    }
    // Examples that share a leaf here mostly share one there: the last answer of each is kept.
    std::ranges::fill(known.first(n_leaves), -1);
    return find([&](std::uint32_t slot) {
        const auto other = static_cast<std::int32_t>(other_ids.get(slot));
        std::int32_t& answer = known[ids.get(slot)];
        if (answer >> 1 != other) {
            const bool is_other = errs(ids.get(slot), other_ids.get(slot));
            answer = 2 * other + (is_other ? 1 : 0);
        }
        return (answer & 1) != 0;
    });
}

ErrorSums measure_errors(const Members& members, const Compared& compared, const Window& window,
                         std::span<const std::uint16_t> slots, std::span<std::int32_t> errors) {
    const LeafLayout& layout = members.layout();
    const std::size_t n_classes = layout.n_classes();
    std::int32_t* error = errors.data();
    std::fill_n(error, slots.size() * n_classes, 0);
    const auto add = [&](std::uint32_t shrub, std::uint32_t slot, std::int32_t sign) {
        layout.for_each_entry(members.leaves(shrub), members.leaf_ids(shrub).get(slot),
                              [&](std::uint32_t c, std::int32_t q) { error[c] += sign * q; });
    };
    ErrorSums sums;
    for (const std::uint16_t slot : slots) {
        const std::uint32_t label = window.labels()[slot];
        add(compared.shrub, slot, 1);
        if (compared.with == Compared::labels) {
            error[label] -= fixed_one;
        } else {
            add(compared.with, slot, -1);
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

ByLeaf sort_by_leaf(const Members& members, std::uint32_t shrub, const Window& window,
                    std::span<std::uint16_t> slots, std::span<std::int32_t> ends) {
    const LeafIds ids = members.leaf_ids(shrub);
    ends = ends.first(members.n_inner(shrub) + std::size_t{1});
    std::ranges::fill(ends, 0);
    for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
        ++ends[ids.get(slot)];
    }
    std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), 0);
    for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
        slots[static_cast<std::uint32_t>(ends[ids.get(slot)]++)] = static_cast<std::uint16_t>(slot);
    }
    return {shrub, slots.first(window.size()), ends};
}

std::int64_t sum_products(const Members& members, std::uint32_t i, const ByLeaf& by_leaf) {
    const LeafLayout& layout = members.layout();
    const std::uint32_t n = layout.n_classes() - 1;
    const LeavesOfShrub others{members.leaves(i), members.leaf_ids(i), n};
    std::int64_t sum = 0;
    std::size_t begin = 0;
    for (std::uint32_t leaf = 0; leaf < by_leaf.ends.size(); ++leaf) {
        const auto end = static_cast<std::size_t>(by_leaf.ends[leaf]);
        std::uint32_t sums[max_classes_by_leaf - 1] = {};
        add_shares(others, by_leaf.slots.subspan(begin, end - begin), sums);
        // Class 0 has the rest, here and there.
        std::int64_t rest = fixed_one;
        std::int64_t rest_of_sums = static_cast<std::int64_t>(end - begin) * fixed_one;
        layout.for_each_share<LeafKind::dense>(members.leaves(by_leaf.shrub), leaf,
                                               [&](std::uint32_t c, std::int32_t q) {
                                                   sum += std::int64_t{q} * sums[c - 1];
                                                   rest -= q;
                                                   rest_of_sums -= sums[c - 1];
                                               });
        sum += rest * rest_of_sums;
        begin = end;
    }
    return sum;
}

std::int64_t sum_equal_products(const Members& members, std::uint32_t i,
                                std::span<const std::uint16_t> slots,
                                std::span<const std::int32_t> error) {
    const LeafLayout& layout = members.layout();
    const std::byte* leaves = members.leaves(i);
    const LeafIds ids = members.leaf_ids(i);
    std::uint32_t sums[max_classes_by_leaf - 1] = {};
    if (layout.n_classes() >= min_classes_by_leaf) {
        add_shares({leaves, ids, layout.n_classes() - 1}, slots, sums);
    } else {
        with_kind(layout, [&]<class Leaves>(Leaves) {
            for (const std::uint16_t slot : slots) {
                layout.for_each_share<LeafKind::dense, Leaves::n_classes>(
                    leaves, ids.get(slot), [&](std::uint32_t c, std::int32_t q) {
                        sums[c - 1] += static_cast<std::uint32_t>(q);
                    });
            }
        });
    }
    std::int64_t sum = 0;
    for (std::uint32_t c = 1; c < layout.n_classes(); ++c) {
        sum += std::int64_t{error[c]} * sums[c - 1];
    }
    return sum;
}

std::int64_t sum_products(const Members& members, std::uint32_t i,
                          std::span<const std::uint16_t> slots,
                          std::span<const std::int32_t> errors) {
    const LeafLayout& layout = members.layout();
    const std::byte* leaves = members.leaves(i);
    const LeafIds ids = members.leaf_ids(i);
#ifdef SHRUBS_AVX2
    if (has_avx2() && layout.kind() == LeafKind::dense && layout.n_classes() > four) {
        return sum_shares_avx2({leaves, ids, layout.n_classes() - 1}, slots, errors.data());
    }
    if (has_avx2() && layout.kind() == LeafKind::sparse && layout.n_classes() <= 2 * eight) {
        return sum_entries_avx2(layout, {leaves, ids, layout.n_classes()}, slots, errors.data());
    }
#endif
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
