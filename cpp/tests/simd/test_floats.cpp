// Vectors give the bits of single numbers, with and without AVX2.

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "shrubs/numerics/random.hpp"
#include "shrubs/simd/floats.hpp"
#include "shrubs/simd/shorts.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

using Eight = std::array<float, 8>;

Eight draw(Random& random) {
    Eight numbers;
    for (float& number : numbers) {
        number = random.below(10) == 0
                     ? std::numeric_limits<float>::quiet_NaN()
                     : static_cast<float>(random.uniform() * random.below(100)) - 7.0F;
    }
    return numbers;
}

std::vector<std::uint32_t> bits(const Eight& numbers) {
    std::vector<std::uint32_t> all;
    for (const float number : numbers) {
        all.push_back(number != number ? 0 : std::bit_cast<std::uint32_t>(number));
    }
    return all;
}

// All operations on `x` and `y`, one after the other; those that both have come first.
template <class Floats>
[[gnu::always_inline]] inline std::array<Eight, 8> compute(
    const Eight& x, const Eight& y, const std::array<std::uint16_t, 8>& shorts) {
    std::array<Eight, 8> results;
    for (std::uint32_t i = 0; i < 8; i += Floats::size) {
        const Floats a = Floats::load(x.data() + i);
        const Floats b = Floats::load(y.data() + i);
        (a + b).store(results[0].data() + i);
        Floats::smaller(a, b).store(results[1].data() + i);
        Floats::larger(a, b).store(results[2].data() + i);
        Floats::at_most(a, b).store(results[3].data() + i);
        if constexpr (Floats::size == 4) {
            (a - b).store(results[4].data() + i);
            (a * b).store(results[5].data() + i);
            (a / b).store(results[6].data() + i);
            (Floats::load(shorts.data() + i) - Floats::all(x[0])).store(results[7].data() + i);
        }
    }
    return results;
}

#ifdef SHRUBS_AVX2
[[gnu::target("avx2")]] std::array<Eight, 8> compute_avx2(
    const Eight& x, const Eight& y, const std::array<std::uint16_t, 8>& shorts) {
    return compute<EightFloats>(x, y, shorts);
}
#endif

std::array<Eight, 8> compute_singly(const Eight& x, const Eight& y,
                                    const std::array<std::uint16_t, 8>& shorts) {
    std::array<Eight, 8> results;
    for (std::size_t i = 0; i < 8; ++i) {
        results[0][i] = x[i] + y[i];
        results[1][i] = x[i] < y[i] ? x[i] : y[i];
        results[2][i] = x[i] > y[i] ? x[i] : y[i];
        results[3][i] = x[i] <= y[i] ? 1.0F : 0.0F;
        results[4][i] = x[i] - y[i];
        results[5][i] = x[i] * y[i];
        results[6][i] = x[i] / y[i];
        results[7][i] = static_cast<float>(shorts[i]) - x[0];
    }
    return results;
}

void check_same(const std::array<Eight, 8>& a, const std::array<Eight, 8>& b, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        CHECK_EQ(bits(a[i]), bits(b[i]));
    }
}

}  // namespace

TEST_CASE("vectors of floats give the bits of single floats") {
    Random random(1, 0);
    for (int repeat = 0; repeat < 1000; ++repeat) {
        const Eight x = draw(random);
        Eight y = draw(random);
        y[random.below(8)] = x[random.below(8)];
        std::array<std::uint16_t, 8> shorts;
        for (std::uint16_t& number : shorts) {
            number = static_cast<std::uint16_t>(random.below(65536));
        }
        const auto singly = compute_singly(x, y, shorts);
        check_same(compute<FourFloats>(x, y, shorts), singly, 8);
#ifdef SHRUBS_AVX2
        if (has_avx2()) {
            check_same(compute_avx2(x, y, shorts), singly, 4);
        }
#endif
    }
}

TEST_CASE("vectors of short integers give the bits of single ones") {
    Random random(3, 0);
    for (int repeat = 0; repeat < 1000; ++repeat) {
        std::array<std::uint16_t, 8> x;
        std::array<std::uint16_t, 8> y;
        for (std::size_t i = 0; i < 8; ++i) {
            x[i] = static_cast<std::uint16_t>(random.below(65536));
            y[i] = random.below(2) == 0 ? x[i] : static_cast<std::uint16_t>(random.below(65536));
        }
        const auto a = EightShorts::load(x.data());
        const auto b = EightShorts::load(y.data());
        const EightShorts results[] = {
            a - b, a & b, a | b, a == b, (a == b).choose(a - b, b), a >> 7, EightShorts::all(x[0])};
        for (std::size_t i = 0; i < 8; ++i) {
            const auto difference = static_cast<std::uint16_t>(x[i] - y[i]);
            const std::uint16_t singly[] = {difference,
                                            static_cast<std::uint16_t>(x[i] & y[i]),
                                            static_cast<std::uint16_t>(x[i] | y[i]),
                                            static_cast<std::uint16_t>(x[i] == y[i] ? 0xFFFF : 0),
                                            x[i] == y[i] ? difference : y[i],
                                            static_cast<std::uint16_t>(x[i] >> 7U),
                                            x[0]};
            for (std::size_t k = 0; k < std::size(singly); ++k) {
                std::uint16_t found[8];
                results[k].store(found);
                CHECK_EQ(found[i], singly[k]);
            }
        }
    }
}
