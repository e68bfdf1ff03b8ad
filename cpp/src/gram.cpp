#include "shrubs/gram.hpp"

#include <algorithm>

namespace shrubs {

void Gram::clear() {
    std::ranges::fill(memory_.products, 0);
    std::ranges::fill(memory_.rights, 0);
}

void Gram::slide(const Members& members, std::span<const std::uint16_t> leaves, std::uint16_t label,
                 std::int64_t sign) {
    const std::size_t n_classes = members.layout().n_classes();
    std::int64_t* product = memory_.products.data();
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        std::int32_t* mine = memory_.dense.data() + i * n_classes;
        members.layout().get_distribution(members.leaves(i), leaves[i], {mine, n_classes});
        memory_.rights[i] += sign * mine[label];
        const std::int32_t* other = memory_.dense.data();
        for (std::uint32_t k = 0; k <= i; ++k) {
            std::int64_t sum = 0;
            for (std::size_t c = 0; c < n_classes; ++c) {
                sum += std::int64_t{mine[c]} * other[c];
            }
            *product++ += sign * sum;
            other += n_classes;
        }
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
    const std::span<std::int64_t> products =
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
    memory_.rights[newcomer] = right;
    for (std::uint32_t i = 0; i <= newcomer; ++i) {
        products[i] = memory_.rights[i] * fixed_one;
    }
    const std::span<std::int32_t> mine = memory_.dense.first(layout.n_classes());
    for (const std::uint16_t slot : impure.first(n_impure)) {
        layout.get_distribution(members.leaves(newcomer), leaf_ids.get(slot), mine);
        mine[labels[slot]] -= fixed_one;
        for (std::uint32_t i = 0; i <= newcomer; ++i) {
            products[i] += layout.dot(members.leaves(i), members.leaf_ids(i).get(slot), mine);
        }
    }
}

void Gram::remove(std::uint32_t i, std::uint32_t n_shrubs) {
    std::int64_t* to = memory_.products.data() + n_products(i);
    const std::int64_t* from = memory_.products.data() + n_products(std::size_t{i} + 1);
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
