#include "shrubs/gram.hpp"

#include <algorithm>

namespace shrubs {

void Gram::clear() {
    std::ranges::fill(memory_.products, 0.0);
    std::ranges::fill(memory_.rights, 0.0);
}

// Row i gains q_i,c times the entries of class c of the members 0, ..., i, for each class in the
// leaf of member i. Few leaves hold more than one or two.
void Gram::slide(const Members& members, std::span<const std::uint16_t> leaves, std::uint16_t label,
                 double sign) {
    const std::size_t stride = memory_.rights.size();
    std::ranges::fill(memory_.by_class, 0.0F);
    double* row = memory_.products.data();
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const auto visit = [&](auto&& each) {
            members.layout().for_each_entry(members.leaves(i), leaves[i],
                                            [&](std::uint32_t c, std::int32_t q) {
                                                if (q != 0) {
                                                    each(memory_.by_class.data() + c * stride, q);
                                                }
                                            });
        };
        visit([&](float* shares, std::int32_t q) { shares[i] = static_cast<float>(q); });
        visit([&](const float* shares, std::int32_t q) {
            const double factor = sign * q;
            for (std::uint32_t k = 0; k <= i; ++k) {
                row[k] += factor * static_cast<double>(shares[k]);
            }
        });
        memory_.rights[i] += sign * static_cast<double>(memory_.by_class[label * stride + i]);
        row += i + 1;
    }
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
    const std::span<double> products =
        memory_.products.subspan(n_products(newcomer), newcomer + std::size_t{1});

    std::size_t n_impure = 0;
    std::int64_t right = 0;
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        const std::int32_t q =
            layout.entry(members.leaves(newcomer), leaf_ids.get(slot), labels[slot]);
        right += q;
        if (q != fixed_one) {
            impure[n_impure++] = static_cast<std::uint16_t>(slot);
        }
    }
    memory_.rights[newcomer] = static_cast<double>(right);
    for (std::uint32_t i = 0; i <= newcomer; ++i) {
        products[i] = memory_.rights[i] * fixed_one;
    }
    const std::span<std::int32_t> mine = memory_.leaf.first(layout.n_classes());
    for (const std::uint16_t slot : impure.first(n_impure)) {
        layout.get_distribution(members.leaves(newcomer), leaf_ids.get(slot), mine);
        mine[labels[slot]] -= fixed_one;
        for (std::uint32_t i = 0; i <= newcomer; ++i) {
            products[i] += static_cast<double>(
                layout.dot(members.leaves(i), members.leaf_ids(i).get(slot), mine));
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
