#include <cstdint>

#include "shrubs/numerics/random.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// The finaliser of splitmix64, as published, run backwards: which z has mix(z) == `mixed`?
std::uint64_t unmixed(std::uint64_t mixed) {
    const auto unshift = [](std::uint64_t z, unsigned by) {
        std::uint64_t result = z;
        for (unsigned done = by; done < 64; done += by) {
            result = z ^ (result >> by);
        }
        return result;
    };
    // The inverses modulo 2^64 of the two factors.
    std::uint64_t z = unshift(mixed, 31) * 0x319642B2D24D8EC3U;
    z = unshift(z, 27) * 0x96DE1B173F119089U;
    return unshift(z, 30);
}

// A generator whose splitmix64 state is `state`: mix(mix(0) + index) = state, and mix(0) = 0.
Random with_state(std::uint64_t state) {
    return {0, unmixed(state)};
}

}  // namespace

TEST_CASE("the numbers are those of splitmix64 for seed 1234567") {
    // The published check values (Rosetta Code, "Pseudo-random numbers/Splitmix64").
    Random random = with_state(1234567);
    CHECK_EQ(random.next(), 6457827717110365317U);
    CHECK_EQ(random.next(), 3203168211198807973U);
    CHECK_EQ(random.next(), 9817491932198370423U);
    CHECK_EQ(random.next(), 4593380528125082431U);
    CHECK_EQ(random.next(), 16408922859458223821U);
}

TEST_CASE("the numbers are those of splitmix64 for seed 0") {
    // The seeds that java.util.SplittableRandom(0) and xoshiro's seeding use.
    Random random(0, 0);
    CHECK_EQ(random.next(), 0xE220A8397B1DCDAFU);
    CHECK_EQ(random.next(), 0x6E789E6AA1B965F4U);
    CHECK_EQ(random.next(), 0x06C45D188009454FU);
}

TEST_CASE("uniform numbers use the upper 53 bits") {
    // 0xE220A8397B1DCDAF >> 11 = 0x1C4415072F63B9, divided by 2^53.
    CHECK_EQ(Random(0, 0).uniform(), 0x1.C4415072F63B9p-1);
}

TEST_CASE("uniform numbers lie in [0, 1)") {
    Random random(7, 0);
    for (int i = 0; i < 10000; ++i) {
        const double u = random.uniform();
        CHECK(u >= 0.0 && u < 1.0);
    }
}

TEST_CASE("numbers below n come from the upper 32 bits") {
    // 0xE220A839 = 3793790009; 3793790009 * 10 / 2^32 = 8.83...
    CHECK_EQ(Random(0, 0).below(10), 8U);
    CHECK_EQ(Random(0, 0).below(1), 0U);
    CHECK_EQ(Random(0, 0).below(0xFFFFFFFF), 0xE220A838U);
}

TEST_CASE("another example index gives other numbers") {
    CHECK(Random(1, 0).next() != Random(1, 1).next());
    CHECK(Random(0, 1).next() != Random(1, 0).next());
}
