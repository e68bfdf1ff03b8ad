#include "shrubs/gram.hpp"

#include <algorithm>

#include "shrubs/processor.hpp"

namespace shrubs {

namespace {

// Row i gains q_i,c times the entries of class c of the members 0, ..., i, for each class in the
// leaf of member i. Few leaves hold more than one or two.
[[gnu::always_inline]] inline void add_rows(const Members& members,
                                            std::span<const std::uint16_t> leaves, double sign,
                                            const Gram::Memory& memory) {
    const std::size_t stride = memory.rights.size();
    double* row = memory.products.data();
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const auto visit = [&](auto&& each) {
            members.layout().for_each_entry(members.leaves(i), leaves[i],
                                            [&](std::uint32_t c, std::int32_t q) {
                                                if (q != 0) {
                                                    each(memory.by_class.data() + c * stride, q);
                                                }
                                            });
        };
        visit([&](std::int32_t* shares, std::int32_t q) { shares[i] = q; });
        visit([&](const std::int32_t* shares, std::int32_t q) {
            const double factor = sign * q;
            for (std::uint32_t k = 0; k <= i; ++k) {
                row[k] += factor * shares[k];
            }
        });
        row += i + 1;
    }
}

// Of two classes, a leaf is known by the lead of the second, a = q_1 - q_0:
// <q_i, q_k> = (one^2 + a_i a_k) / 2. What is constant cancels when one example enters and one
// leaves. Leads are even, so all numbers are integers.
[[gnu::always_inline]] inline void slide_leads(double* row, std::uint32_t n,
                                               const std::int32_t* leads,
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

#ifdef SHRUBS_AVX2
[[gnu::target("avx2")]] void add_rows_avx2(const Members& members,
                                           std::span<const std::uint16_t> leaves, double sign,
                                           const Gram::Memory& memory) {
    add_rows(members, leaves, sign, memory);
}
[[gnu::target("avx2")]] void slide_leads_avx2(double* row, std::uint32_t n,
                                              const std::int32_t* leads, const std::int32_t* left) {
    slide_leads(row, n, leads, left);
}
#endif

inline std::int32_t lead(const LeafLayout& layout, const std::byte* leaves, std::uint32_t leaf) {
    return 2 * layout.entry(leaves, leaf, 1) - fixed_one;
}

// The sum of <q_i, error> over some examples, whose errors stand one after the other. The entries
// of an error sum to zero.
std::int64_t sum_errors(const Members& members, std::uint32_t i,
                        std::span<const std::uint16_t> slots, const std::int32_t* errors) {
    const LeafLayout& layout = members.layout();
    const std::uint32_t n_classes = layout.n_classes();
    const std::byte* leaves = members.leaves(i);
    const LeafIds leaf_ids = members.leaf_ids(i);
    std::int64_t sum = 0;
    if (n_classes == 2) {
        for (std::size_t at = 0; at < slots.size(); ++at) {
            sum += std::int64_t{errors[2 * at + 1]} * lead(layout, leaves, leaf_ids.get(slots[at]));
        }
        return sum;
    }
    for (const std::uint16_t slot : slots) {
        layout.for_each_entry(leaves, leaf_ids.get(slot), [&](std::uint32_t c, std::int32_t q) {
            sum += std::int64_t{q} * errors[c];
        });
        errors += n_classes;
    }
    return sum;
}

}  // namespace

void Gram::clear() {
    std::ranges::fill(memory_.products, 0.0);
    std::ranges::fill(memory_.rights, 0.0);
}

void Gram::add(const Members& members, const Seen& example, double sign) {
    std::ranges::fill(memory_.by_class, 0);
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        add_rows_avx2(members, example.leaves, sign, memory_);
    } else {
        add_rows(members, example.leaves, sign, memory_);
    }
#else
    add_rows(members, example.leaves, sign, memory_);
#endif
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
    const std::span<std::int32_t> left = memory_.by_class.last(memory_.rights.size());
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const std::byte* leaves = members.leaves(i);
        leads[i] = lead(members.layout(), leaves, entering.leaves[i]);
        left[i] = lead(members.layout(), leaves, leaving.leaves[i]);
        // q_y = (one + a) / 2 for the second class, (one - a) / 2 for the first.
        const std::int32_t gained = entering.label == 1 ? leads[i] : -leads[i];
        const std::int32_t lost = leaving.label == 1 ? left[i] : -left[i];
        memory_.rights[i] += 0.5 * (gained - lost);
    }
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        slide_leads_avx2(memory_.products.data(), members.size(), leads.data(), left.data());
        return;
    }
#endif
    slide_leads(memory_.products.data(), members.size(), leads.data(), left.data());
}

// A pure leaf of the newcomer predicts the label y_j of each of its examples, so there
// <q_new, q_i> = fixed_one * q_i(x_j)_{y_j}, which r_i sums up already. Only the examples in impure
// leaves have to be looked at.
void Gram::add_newcomer(const Members& members, const Window& window,
                        std::span<std::uint16_t> impure) {
    const LeafLayout& layout = members.layout();
    const std::uint32_t newcomer = members.size() - 1;
    const auto labels = window.labels();
    const LeafIds leaf_ids = members.leaf_ids(newcomer);
    const std::byte* mine = members.leaves(newcomer);
    const std::span<double> products =
        memory_.products.subspan(n_products(newcomer), newcomer + std::size_t{1});

    std::size_t n_impure = 0;
    std::int64_t right = 0;
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        const std::uint32_t leaf = leaf_ids.get(slot);
        std::int32_t q = 0;
        if (layout.n_classes() == 2) {
            // Labels are hard to guess: a sign instead of a branch.
            const std::int32_t sign = 2 * std::int32_t{labels[slot]} - 1;
            q = (fixed_one + sign * lead(layout, mine, leaf)) / 2;
        } else {
            q = layout.entry(mine, leaf, labels[slot]);
        }
        right += q;
        impure[n_impure] = static_cast<std::uint16_t>(slot);
        n_impure += q != fixed_one ? 1 : 0;
    }
    memory_.rights[newcomer] = static_cast<double>(right);
    for (std::uint32_t i = 0; i <= newcomer; ++i) {
        products[i] = memory_.rights[i] * fixed_one;
    }
    // As many examples at a time as there is room for what the newcomer gets wrong about each.
    const std::size_t n_classes = layout.n_classes();
    const std::size_t group = memory_.rights.size();
    for (std::size_t begin = 0; begin < n_impure; begin += group) {
        const auto slots = impure.subspan(begin, std::min(group, n_impure - begin));
        std::int32_t* errors = memory_.by_class.data();
        std::fill_n(errors, slots.size() * n_classes, 0);
        for (const std::uint16_t slot : slots) {
            layout.for_each_entry(mine, leaf_ids.get(slot),
                                  [&](std::uint32_t c, std::int32_t q) { errors[c] = q; });
            errors[labels[slot]] -= fixed_one;
            errors += n_classes;
        }
        for (std::uint32_t i = 0; i <= newcomer; ++i) {
            products[i] +=
                static_cast<double>(sum_errors(members, i, slots, memory_.by_class.data()));
        }
    }
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
