#include "shrubs/paper/gram.hpp"

#include <algorithm>
#include <array>

#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2
#include <immintrin.h>
#endif

namespace shrubs {

namespace {

// The entries of one class of the members 0, 1, ..., and how often they are added.
struct Addend {
    const std::int32_t* shares;
    std::int32_t q;
};

#ifdef SHRUBS_AVX2

// Eight members at a time. The entries of a leaf sum to `fixed_one`, so its products stay below
// 2^31.
[[gnu::target("avx2")]] void add_products_avx2(std::span<const Addend> addends, double sign,
                                               std::span<double> row) {
    const __m256d signs = _mm256_set1_pd(sign);
    std::size_t k = 0;
    for (; k + 8 <= row.size(); k += 8) {
        __m256i sum = _mm256_setzero_si256();
        for (const auto& [shares, q] : addends) {
            const __m256i eight_shares =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(shares + k));
            sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(eight_shares, _mm256_set1_epi32(q)));
        }
        const __m128i halves[] = {_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1)};
        for (std::size_t half = 0; half < 2; ++half) {
            double* to = row.data() + k + 4 * half;
            const __m256d gained = _mm256_mul_pd(signs, _mm256_cvtepi32_pd(halves[half]));
            _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), gained));
        }
    }
    for (; k < row.size(); ++k) {
        std::int32_t sum = 0;
        for (const auto& [shares, q] : addends) {
            sum += q * shares[k];
        }
        row[k] += sign * sum;
    }
}

#endif

void add_products(std::span<const Addend> addends, double sign, std::span<double> row) {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        return add_products_avx2(addends, sign, row);
    }
#endif
    for (const auto& [shares, q] : addends) {
        const double factor = sign * q;
        for (std::size_t k = 0; k < row.size(); ++k) {
            row[k] += factor * shares[k];
        }
    }
}

// Row i gains q_i,c times the entries of class c of the members 0, ..., i, for each class in the
// leaf of member i. Few leaves hold more than one or two.
void add_rows(const Members& members, std::span<const std::uint16_t> leaves, double sign,
              const Gram::Memory& memory) {
    const std::size_t stride = memory.rights.size();
    std::span<double> rest = memory.products;
    std::array<Addend, 16> addends;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const auto row = rest.first(i + std::size_t{1});
        rest = rest.subspan(row.size());
        std::size_t n = 0;
        members.layout().for_each_entry(
            members.leaves(i), leaves[i], [&](std::uint32_t c, std::int32_t q) {
                if (n == addends.size()) {
                    add_products(addends, sign, row);
                    n = 0;
                }
                std::int32_t* shares = memory.by_class.data() + c * stride;
                shares[i] = q;
                addends[n] = {shares, q};
                n += q != 0 ? 1 : 0;
            });
        add_products(std::span(addends).first(n), sign, row);
    }
}

// Of two classes, a leaf is known by the lead of the second, a = q_1 - q_0:
// <q_i, q_k> = (one^2 + a_i a_k) / 2. What is constant cancels when one example enters and one
// leaves. Leads are even, so all numbers are integers.
void slide_leads(double* row, std::uint32_t n, const std::int32_t* leads,
                 const std::int32_t* left) {
    for (std::uint32_t i = 0; i < n; ++i) {
        const double gained = 0.5 * leads[i];
        const double lost = 0.5 * left[i];
        for (std::uint32_t k = 0; k <= i; ++k) {
            row[k] += gained * leads[k] - lost * left[k];
        }
        row += i + 1;
    }
}

inline std::int32_t lead(const LeafLayout& layout, const std::byte* leaves, std::uint32_t leaf) {
    return 2 * layout.entry(leaves, leaf, 1) - fixed_one;
}

struct Errors {
    Compared compared;
    std::size_t n;
};

// Finds the errors of the youngest member from the labels, or from the one before it if those are
// fewer. Few members are not worth the search.
Errors find_closer(const Members& members, const Window& window, std::span<std::uint16_t> examples,
                   std::span<std::int32_t> known) {
    constexpr std::uint32_t few = 16;
    const std::uint32_t newcomer = members.size() - 1;
    const Compared with_labels{newcomer, Compared::labels};
    const Compared with_last{newcomer, newcomer - 1};
    const auto find = [&](const Compared& compared) {
        return find_errors(members, compared, window, examples, known);
    };
    // Some examples tell whether the two have much in common.
    const auto some = examples.first(std::min<std::size_t>(examples.size(), 64));
    if (newcomer < few || 2 * find_errors(members, with_last, window, some, {}) > some.size()) {
        return {with_labels, find(with_labels)};
    }
    const std::size_t n_from_last = find(with_last);
    const std::size_t n = find(with_labels);
    return n <= n_from_last ? Errors{with_labels, n} : Errors{with_last, find(with_last)};
}

}  // namespace

std::uint64_t Gram::max_additions(const Members& members) {
    std::uint64_t n_additions = 0;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        std::uint64_t most = 0;
        for (std::uint32_t leaf = 0; leaf <= members.n_inner(i); ++leaf) {
            std::uint64_t n_entries = 0;
            members.layout().for_each_entry(
                members.leaves(i), leaf,
                [&](std::uint32_t, std::int32_t q) { n_entries += q != 0 ? 1 : 0; });
            most = std::max(most, n_entries);
        }
        n_additions += most * (i + 1);
    }
    return n_additions;
}

void Gram::clear() {
    std::ranges::fill(memory_.products, 0.0);
    std::ranges::fill(memory_.rights, 0.0);
}

void Gram::add(const Members& members, const Seen& example, double sign) {
    std::ranges::fill(memory_.by_class.first(memory_.rights.size() * members.layout().n_classes()),
                      0);
    add_rows(members, example.leaves, sign, memory_);
    const std::int32_t* of_label = memory_.by_class.data() + example.label * memory_.rights.size();
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        memory_.rights[i] += sign * of_label[i];
    }
}

void Gram::slide(const Members& members, const Seen& entering, const Seen& leaving) {
    if (members.layout().n_classes() != 2) {
        add(members, leaving, -1.0);
        add(members, entering, 1.0);
        return;
    }
    const std::span<std::int32_t> leads = memory_.by_class.first(memory_.rights.size());
    const std::span<std::int32_t> left =
        memory_.by_class.subspan(memory_.rights.size(), memory_.rights.size());
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const std::byte* leaves = members.leaves(i);
        leads[i] = lead(members.layout(), leaves, entering.leaves[i]);
        left[i] = lead(members.layout(), leaves, leaving.leaves[i]);
        // q_y = (one + a) / 2 for the second class, (one - a) / 2 for the first.
        const std::int32_t gained = entering.label == 1 ? leads[i] : -leads[i];
        const std::int32_t lost = leaving.label == 1 ? left[i] : -left[i];
        memory_.rights[i] += 0.5 * (gained - lost);
    }
    slide_leads(memory_.products.data(), members.size(), leads.data(), left.data());
}

// A shrub that predicts all labels would have the row fixed_one * r, and one that predicts what the
// youngest member does would have its row. From the one that is closer, the newcomer errs here and
// there.
void Gram::add_newcomer(const Members& members, const Window& window,
                        std::span<std::uint16_t> examples) {
    const std::uint32_t newcomer = members.size() - 1;
    const auto [compared, n_errors] = find_closer(members, window, examples, memory_.by_class);
    if (2 * n_errors > window.size() && has_room_by_leaf(members)) {
        add_by_leaf(members, sort_by_leaf(members, newcomer, window, examples, memory_.by_class),
                    window);
        return;
    }
    begin_row(window, compared);
    add_errors(members, window, compared, examples.first(n_errors));
    finish_row(compared);
}

// The row of a shrub that predicts what it is compared with.
void Gram::begin_row(const Window& window, const Compared& compared) {
    const std::uint32_t newcomer = compared.shrub;
    const bool from_labels = compared.with == Compared::labels;
    double* products = memory_.products.data() + n_products(newcomer);
    for (std::uint32_t i = 0; i < newcomer; ++i) {
        products[i] = from_labels ? memory_.rights[i] * fixed_one : row(compared.with)[i];
    }
    products[newcomer] = 0.0;
    memory_.rights[newcomer] = from_labels ? static_cast<double>(window.size()) * fixed_one
                                           : memory_.rights[compared.with];
}

// As many examples at a time as there is room for errors.
void Gram::add_errors(const Members& members, const Window& window, const Compared& compared,
                      std::span<const std::uint16_t> examples) {
    double* products = memory_.products.data() + n_products(compared.shrub);
    const std::size_t group = memory_.by_class.size() / members.layout().n_classes();
    for (std::size_t begin = 0; begin < examples.size(); begin += group) {
        const auto slots = examples.subspan(begin, std::min(group, examples.size() - begin));
        const ErrorSums sums = measure_errors(members, compared, window, slots, memory_.by_class);
        memory_.rights[compared.shrub] += static_cast<double>(sums.of_labels);
        for (std::uint32_t i = 0; i <= compared.shrub; ++i) {
            products[i] += static_cast<double>(sums.of_first * fixed_one +
                                               sum_products(members, i, slots, memory_.by_class));
        }
    }
}

void Gram::add_equal_errors(const Members& members, const Window& window,
                            std::span<const std::uint16_t> examples) {
    const Compared compared{members.size(), Compared::labels};
    double* products = memory_.products.data() + n_products(compared.shrub);
    const ErrorSums sums =
        measure_errors(members, compared, window, examples.first(1), memory_.by_class);
    const auto error = memory_.by_class.first(members.layout().n_classes());
    const auto n = static_cast<std::int64_t>(examples.size());
    memory_.rights[compared.shrub] += static_cast<double>(n * sums.of_labels);
    for (std::uint32_t i = 0; i <= compared.shrub; ++i) {
        products[i] += static_cast<double>(n * sums.of_first * fixed_one +
                                           sum_equal_products(members, i, examples, error));
    }
}

// <q_new, q_new> = <q_new, labels> + <q_new, error>
void Gram::finish_row(const Compared& compared) {
    double* products = memory_.products.data() + n_products(compared.shrub);
    products[compared.shrub] += compared.with == Compared::labels
                                    ? memory_.rights[compared.shrub] * fixed_one
                                    : products[compared.with];
}

bool Gram::has_room_by_leaf(const Members& members) const {
    const std::uint32_t n_classes = members.layout().n_classes();
    return members.layout().kind() == LeafKind::dense && n_classes >= min_classes_by_leaf &&
           n_classes <= max_classes_by_leaf &&
           members.n_inner(members.size() - 1) < memory_.by_class.size();
}

void Gram::add_by_leaf(const Members& members, const ByLeaf& by_leaf, const Window& window) {
    const std::uint32_t newcomer = by_leaf.shrub;
    double* products = memory_.products.data() + n_products(newcomer);
    for (std::uint32_t i = 0; i <= newcomer; ++i) {
        products[i] = static_cast<double>(sum_products(members, i, by_leaf));
    }
    std::int64_t right = 0;
    for (std::uint32_t slot = 0; slot < window.size(); ++slot) {
        right += members.layout().entry(
            members.leaves(newcomer), members.leaf_ids(newcomer).get(slot), window.labels()[slot]);
    }
    memory_.rights[newcomer] = static_cast<double>(right);
}

void Gram::remove(std::uint32_t i, std::uint32_t n_shrubs) {
    double* to = memory_.products.data() + n_products(i);
    const double* from = memory_.products.data() + n_products(std::size_t{i} + 1);
    for (std::uint32_t row = i + 1; row < n_shrubs; ++row) {
        to = std::copy_n(from, i, to);
        from += i + 1;
        to = std::copy_n(from, row - i, to);
        from += row - i;
    }
    const auto rights = memory_.rights.subspan(i, n_shrubs - i);
    std::copy(rights.begin() + 1, rights.end(), rights.begin());
}

}  // namespace shrubs
