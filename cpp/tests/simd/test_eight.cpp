#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "shrubs/numerics/random.hpp"
#include "shrubs/simd/eight.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

using PlainFloats = EightOf<float, FourOf<float>>;
using PlainInts = EightOf<std::int32_t, FourOf<std::int32_t>>;
using PlainShorts = EightShortsOf<ShortArray>;

template <class T>
using Numbers = std::array<T, 8>;

// The bits of eight numbers.
template <class T, class Vector>
std::vector<std::uint32_t> bits(const EightOf<T, Vector>& eight) {
    Numbers<T> numbers;
    eight.store(numbers.data());
    std::vector<std::uint32_t> all;
    for (const T number : numbers) {
        all.push_back(std::bit_cast<std::uint32_t>(number));
    }
    return all;
}

Numbers<float> random_floats(Random& random) {
    Numbers<float> numbers;
    for (float& number : numbers) {
        number = static_cast<float>(random.uniform() * random.below(100000)) - 77.0F;
    }
    return numbers;
}

}  // namespace

TEST_CASE("vectors of floats give the bits of single floats") {
    Random random(1, 0);
    for (int i = 0; i < 1000; ++i) {
        const Numbers<float> x = random_floats(random);
        const Numbers<float> y = random_floats(random);
        const auto a = EightFloats::load(x.data());
        const auto b = EightFloats::load(y.data());
        const auto c = PlainFloats::load(x.data());
        const auto d = PlainFloats::load(y.data());
        CHECK_EQ(bits(a + b), bits(c + d));
        CHECK_EQ(bits(a - b), bits(c - d));
        CHECK_EQ(bits(a * b), bits(c * d));
        CHECK_EQ(bits(a / b), bits(c / d));
        CHECK_EQ(bits(larger(a, b)), bits(larger(c, d)));
        CHECK_EQ(bits(EightFloats::all(x[0])), bits(PlainFloats::all(x[0])));
    }
}

TEST_CASE("vectors of integers give the bits of single integers") {
    Random random(2, 0);
    for (int i = 0; i < 1000; ++i) {
        Numbers<std::int32_t> x;
        Numbers<std::int32_t> y;
        for (std::size_t k = 0; k < 8; ++k) {
            x[k] = static_cast<std::int32_t>(random.below(1U << 25U));
            y[k] = static_cast<std::int32_t>(random.below(1U << 25U));
        }
        const auto a = EightInts::load(x.data());
        const auto b = EightInts::load(y.data());
        const auto c = PlainInts::load(x.data());
        const auto d = PlainInts::load(y.data());
        CHECK_EQ(bits(a + b), bits(c + d));
        CHECK_EQ(bits(a - b), bits(c - d));
        CHECK_EQ(bits(a & b), bits(c & d));
        CHECK_EQ(bits(a >> 16), bits(c >> 16));
        CHECK_EQ(bits(to_floats(a)), bits(to_floats(c)));
    }
}

TEST_CASE("vectors of short integers give the bits of single ones") {
    Random random(3, 0);
    for (int i = 0; i < 1000; ++i) {
        Numbers<std::uint16_t> x;
        Numbers<std::uint16_t> y;
        for (std::size_t k = 0; k < 8; ++k) {
            x[k] = static_cast<std::uint16_t>(random.below(65536));
            y[k] = static_cast<std::uint16_t>(random.below(2) == 0 ? x[k] : random.below(65536));
        }
        const auto a = EightShorts::load(x.data());
        const auto b = EightShorts::load(y.data());
        const auto c = PlainShorts::load(x.data());
        const auto d = PlainShorts::load(y.data());
        const int shift = static_cast<int>(random.below(16));
        CHECK_EQ(bits(widen(a - b)), bits(widen(c - d)));
        CHECK_EQ(bits(widen(a == b)), bits(widen(c == d)));
        CHECK_EQ(bits(widen(a >> shift)), bits(widen(c >> shift)));
        CHECK_EQ(bits(widen(EightShorts::all(x[0]))), bits(widen(PlainShorts::all(x[0]))));
    }
}
