#include "shrubs/paper/gram_product.hpp"

#include <algorithm>

#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

namespace {

// Adds the products of a row from column `k` on to `sum`, one after the other.
double sum_row(std::span<const double> row, std::size_t k, std::span<const double> weights,
               double sum) {
    for (; k < row.size(); ++k) {
        sum += weights[k] * row[k];
    }
    return sum;
}

// Four rows at a time: each sum waits for its last addition, four of them wait together.
void add_four_rows(const Gram& gram, std::uint32_t i, std::span<const double> weights,
                   std::span<double> product) {
    const double* rows[] = {gram.row(i).data(), gram.row(i + 1).data(), gram.row(i + 2).data(),
                            gram.row(i + 3).data()};
    double sums[] = {0.0, 0.0, 0.0, 0.0};
    for (std::uint32_t k = 0; k <= i; ++k) {
        for (std::uint32_t at = 0; at < 4; ++at) {
            sums[at] += weights[k] * rows[at][k];
        }
    }
    for (std::uint32_t at = 0; at < 4; ++at) {
        product[i + at] = sum_row(gram.row(i + at), std::size_t{i} + 1, weights, sums[at]);
    }
}

// First along row i, then down column i.
void multiply_rows(const Gram& gram, std::span<const double> weights, std::uint32_t from,
                   std::uint32_t to, std::span<double> product) {
    std::uint32_t next = from;
    for (; next + 4 <= to; next += 4) {
        add_four_rows(gram, next, weights, product);
    }
    for (; next < to; ++next) {
        product[next] = sum_row(gram.row(next), 0, weights, 0.0);
    }
    for (std::uint32_t k = from + 1; k < weights.size(); ++k) {
        const auto row = gram.row(k);
        for (std::uint32_t i = from; i < std::min(k, to); ++i) {
            product[i] += weights[k] * row[i];
        }
    }
}

#ifdef SHRUBS_AVX2

struct FourRows {
    const double* of[4];
};

// The rows i, ..., i + 3, one after the other in memory.
FourRows rows_from(const Gram& gram, std::uint32_t i) {
    const double* first = gram.row(i).data();
    const double* second = first + i + 1;
    const double* third = second + i + 2;
    return {{first, second, third, third + i + 3}};
}

// Four columns of four rows.
struct Block {
    __m256d of[4];
};

[[gnu::target("avx2"), gnu::always_inline]] inline Block load(const FourRows& rows, std::size_t k) {
    return {{_mm256_loadu_pd(rows.of[0] + k), _mm256_loadu_pd(rows.of[1] + k),
             _mm256_loadu_pd(rows.of[2] + k), _mm256_loadu_pd(rows.of[3] + k)}};
}

// Two numbers of one row and two of another.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256d load_pairs(const double* a,
                                                                      const double* b) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(b), 1);
}

// The columns k, ..., k + 3 as rows.
[[gnu::target("avx2"), gnu::always_inline]] inline Block load_transposed(const FourRows& rows,
                                                                         std::size_t k) {
    const __m256d a = load_pairs(rows.of[0] + k, rows.of[2] + k);
    const __m256d b = load_pairs(rows.of[1] + k, rows.of[3] + k);
    const __m256d c = load_pairs(rows.of[0] + k + 2, rows.of[2] + k + 2);
    const __m256d d = load_pairs(rows.of[1] + k + 2, rows.of[3] + k + 2);
    return {{_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), _mm256_unpacklo_pd(c, d),
             _mm256_unpackhi_pd(c, d)}};
}

// Four rows up to the diagonal, and the columns that go on from there: Q is symmetric.
[[gnu::target("avx2"), gnu::always_inline]] inline Block load_diagonal(const FourRows& rows,
                                                                       std::size_t k) {
    const Block below = load(rows, k);
    const Block above = load_transposed(rows, k);
    return {{_mm256_blend_pd(below.of[0], above.of[0], 0b1110),
             _mm256_blend_pd(below.of[1], above.of[1], 0b1100),
             _mm256_blend_pd(below.of[2], above.of[2], 0b1000), below.of[3]}};
}

// Adds a product of each row to four sums, row after row.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256d add_block(__m256d sum,
                                                                     const Block& block,
                                                                     const Block& weights) {
    for (int row = 0; row < 4; ++row) {
        sum = _mm256_add_pd(sum, _mm256_mul_pd(weights.of[row], block.of[row]));
    }
    return sum;
}

// The sums of all members. Up to three are left over; rows that do not exist stand for more of
// them.
struct Sums {
    double* product;
    std::uint32_t n_in_blocks;
    FourRows rest_rows;
    double rest[4] = {};
};

// The columns of `n` blocks of four members, from member k on. Two at a time read what lies side by
// side in memory.
template <std::uint32_t n>
[[gnu::target("avx2")]] void add_columns(const Gram& gram, std::span<const double> weights,
                                         std::uint32_t k, Sums& sums) {
    FourRows rows[n];
    Block factors[n];
    for (std::uint32_t b = 0; b < n; ++b) {
        rows[b] = rows_from(gram, k + 4 * b);
        for (std::uint32_t row = 0; row < 4; ++row) {
            factors[b].of[row] = _mm256_set1_pd(weights[k + 4 * b + row]);
        }
    }
    double* product = sums.product;
    for (std::uint32_t i = 0; i < k; i += 4) {
        __m256d sum = _mm256_loadu_pd(product + i);
        for (std::uint32_t b = 0; b < n; ++b) {
            sum = add_block(sum, load(rows[b], i), factors[b]);
        }
        _mm256_storeu_pd(product + i, sum);
    }
    for (std::uint32_t d = 0; d < n; ++d) {
        const std::uint32_t i = k + 4 * d;
        __m256d sum = _mm256_loadu_pd(product + i);
        for (std::uint32_t b = 0; b < d; ++b) {
            sum = add_block(sum, load_transposed(rows[d], k + 4 * b), factors[b]);
        }
        sum = add_block(sum, load_diagonal(rows[d], i), factors[d]);
        for (std::uint32_t b = d + 1; b < n; ++b) {
            sum = add_block(sum, load(rows[b], i), factors[b]);
        }
        _mm256_storeu_pd(product + i, sum);
    }
    for (std::uint32_t i = k + 4 * n; i < sums.n_in_blocks; i += 4) {
        const FourRows others = rows_from(gram, i);
        __m256d sum = _mm256_loadu_pd(product + i);
        for (std::uint32_t b = 0; b < n; ++b) {
            sum = add_block(sum, load_transposed(others, k + 4 * b), factors[b]);
        }
        _mm256_storeu_pd(product + i, sum);
    }
    __m256d rest = _mm256_loadu_pd(sums.rest);
    for (std::uint32_t b = 0; b < n; ++b) {
        rest = add_block(rest, load_transposed(sums.rest_rows, k + 4 * b), factors[b]);
    }
    _mm256_storeu_pd(sums.rest, rest);
}

// All members, four i and four k at a time. Rows are stored up to the diagonal only:
//
//      k --------------------------------->
//    i | diagonal   | rows of k  | rows of k |
//      | transposed | diagonal   | rows of k |
//      | transposed | transposed | diagonal  |
[[gnu::target("avx2")]] void multiply_blocks(const Gram& gram, std::span<const double> weights,
                                             double* product) {
    const auto n = static_cast<std::uint32_t>(weights.size());
    Sums sums{.product = product, .n_in_blocks = n / 4 * 4, .rest_rows = {}};
    const std::uint32_t n_in_blocks = sums.n_in_blocks;
    std::fill_n(product, n_in_blocks, 0.0);
    for (std::uint32_t at = 0; at < 4; ++at) {
        sums.rest_rows.of[at] = gram.row(std::min(n_in_blocks + at, n - 1)).data();
    }
    std::uint32_t next = 0;
    for (; next + 8 <= n_in_blocks; next += 8) {
        add_columns<2>(gram, weights, next, sums);
    }
    if (next < n_in_blocks) {
        add_columns<1>(gram, weights, next, sums);
    }
    double* rest = sums.rest;
    for (std::uint32_t k = n_in_blocks; k < n; ++k) {
        const double* row = gram.row(k).data();
        for (std::uint32_t i = 0; i < n_in_blocks; ++i) {
            product[i] += weights[k] * row[i];
        }
        for (std::uint32_t i = n_in_blocks; i < n; ++i) {
            rest[i - n_in_blocks] += weights[k] * (i <= k ? row[i] : gram.row(i)[k]);
        }
    }
    std::copy_n(rest, n - n_in_blocks, product + n_in_blocks);
}

#endif

}  // namespace

void multiply(const Gram& gram, std::span<const double> weights, std::uint32_t from,
              std::uint32_t to, std::span<double> product) {
#ifdef SHRUBS_AVX2
    if (has_avx2() && from == 0 && to == weights.size() && to > 0) {
        multiply_blocks(gram, weights, product.data());
        return;
    }
#endif
    multiply_rows(gram, weights, from, to, product);
}

}  // namespace shrubs
