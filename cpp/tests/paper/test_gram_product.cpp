#include <vector>

#include "shrubs/numerics/random.hpp"
#include "shrubs/paper/gram_product.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// (Q w)_i as it is defined: in ascending k.
std::vector<double> multiply_plainly(const Gram& gram, const std::vector<double>& weights) {
    std::vector<double> product(weights.size());
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
        for (std::uint32_t k = 0; k < weights.size(); ++k) {
            product[i] += weights[k] * (k <= i ? gram.row(i)[k] : gram.row(k)[i]);
        }
    }
    return product;
}

}  // namespace

TEST_CASE("the product with the weights has the bits of its definition, with and without AVX2") {
    Random random(3, 0);
    for (std::uint32_t n = 1; n <= 41; ++n) {
        // No number more than the rows need: a sanitizer sees what is read beyond them.
        std::vector<double> products(Gram::n_products(n));
        for (double& entry : products) {
            entry = static_cast<double>(random.below(1U << 31U)) * random.below(1U << 15U);
        }
        std::vector<double> weights(n);
        for (double& weight : weights) {
            weight = random.below(5) == 0 ? 0.0 : random.uniform();
        }
        const Gram gram({products, {}, {}});
        const std::vector<double> expected = multiply_plainly(gram, weights);
        for (const bool wide : {false, true}) {
            allow_avx2(wide);
            std::vector<double> product(n, 77.0);
            multiply(gram, weights, 0, n, product);
            CHECK_EQ(product, expected);
        }
    }
    allow_avx2(true);
}

TEST_CASE("a part of the product has the bits of the whole") {
    Random random(4, 0);
    constexpr std::uint32_t n = 13;
    std::vector<double> products(Gram::n_products(n));
    for (double& entry : products) {
        entry = static_cast<double>(random.below(1U << 31U));
    }
    std::vector<double> weights(n);
    for (double& weight : weights) {
        weight = random.uniform();
    }
    const Gram gram({products, {}, {}});
    const std::vector<double> whole = multiply_plainly(gram, weights);
    for (std::uint32_t from = 0; from < n; ++from) {
        for (std::uint32_t to = from; to <= n; ++to) {
            std::vector<double> part(n, 77.0);
            multiply(gram, weights, from, to, part);
            for (std::uint32_t i = 0; i < n; ++i) {
                CHECK_EQ(part[i], i >= from && i < to ? whole[i] : 77.0);
            }
        }
    }
}
