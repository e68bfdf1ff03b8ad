#include <array>
#include <vector>

#include "shrubs/memory/arena.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

struct Arrays {
    std::span<std::uint8_t> bytes;
    std::span<double> numbers;
    std::span<std::uint16_t> scratch;
    std::span<float> nothing;
};

Arrays reserve(Arena& arena) {
    return {.bytes = arena.array<std::uint8_t>(Purpose::window, 3),
            .numbers = arena.array<double>(Purpose::weights, 2),
            .scratch = arena.array<std::uint16_t>(Purpose::scratch, 5),
            .nothing = arena.array<float>(Purpose::cache, 0)};
}

}  // namespace

TEST_CASE("an arena without memory only counts, eight bytes at a time") {
    Arena counter;
    const Arrays arrays = reserve(counter);
    CHECK(arrays.bytes.empty() && arrays.numbers.empty() && arrays.scratch.empty());
    CHECK_EQ(counter.report()[Purpose::window], 8U);
    CHECK_EQ(counter.report()[Purpose::shrubs], 0U);
    CHECK_EQ(counter.report()[Purpose::weights], 16U);
    CHECK_EQ(counter.report()[Purpose::cache], 0U);
    CHECK_EQ(counter.report()[Purpose::scratch], 16U);
    CHECK_EQ(counter.report().total(), 40U);
}

TEST_CASE("an arena hands out what was counted, scratch from the end") {
    alignas(8) std::array<std::byte, 40> memory{};
    Arena arena(memory);
    const Arrays arrays = reserve(arena);
    const auto offset = [&](const auto& array) {
        return reinterpret_cast<const std::byte*>(array.data()) - memory.data();
    };
    CHECK_EQ(arrays.bytes.size(), 3U);
    CHECK_EQ(offset(arrays.bytes), 0);
    CHECK_EQ(arrays.numbers.size(), 2U);
    CHECK_EQ(offset(arrays.numbers), 8);
    CHECK_EQ(arrays.scratch.size(), 5U);
    CHECK_EQ(offset(arrays.scratch), 24);
    CHECK(arrays.nothing.empty());
    CHECK_EQ(arena.report().total(), memory.size());
}

TEST_CASE("more bytes than a machine can address are counted") {
    Arena counter;
    counter.array<double>(Purpose::cache, std::uint64_t{1} << 40U);
    CHECK_EQ(counter.report().total(), std::uint64_t{1} << 43U);
}
