#include <vector>

#include "shrubs/growth/incremental/lane_differences.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

namespace {

// Eight lanes of entries over a window of columns; some lanes have no values.
struct Block {
    std::vector<float> window;
    std::vector<std::uint16_t> entries;
    BlockValues values;
    std::uint32_t n_places;
};

Block draw_block(Random& random, std::uint32_t window_size) {
    Block block;
    block.n_places = 2 + random.below(window_size - 1);
    const std::uint32_t n_features = 8 + random.below(5);
    const std::uint32_t n_values = 1 + random.below(20);
    for (std::uint32_t i = 0; i < n_features * window_size; ++i) {
        block.window.push_back(static_cast<float>(random.below(n_values)) - 3.0F);
    }
    while ((1U << block.values.slot_bits) < window_size) {
        ++block.values.slot_bits;
    }
    for (std::uint32_t i = 0; i < block.n_places * lane_width; ++i) {
        const std::uint32_t label = random.below(4);
        block.entries.push_back(static_cast<std::uint16_t>(random.below(window_size) |
                                                           label << block.values.slot_bits));
    }
    block.values.entries = block.entries.data();
    const std::uint32_t sure = random.below(lane_width);
    for (std::uint32_t lane = 0; lane < lane_width; ++lane) {
        if (lane == sure || random.below(3) > 0) {
            block.values.columns[lane] =
                block.window.data() + random.below(n_features) * window_size;
        }
    }
    return block;
}

std::vector<std::uint16_t> marks(const Block& block) {
    std::vector<std::uint16_t> differs((block.n_places - 1) * lane_width, 77);
    mark_differences(block.values, block.n_places, differs.data());
    return differs;
}

std::vector<std::uint16_t> marks_plainly(const Block& block) {
    std::vector<std::uint16_t> differs;
    const auto value = [&](std::uint32_t place, std::uint32_t lane) {
        const std::uint32_t entry = block.entries[place * lane_width + lane];
        return block.values.columns[lane][entry % (1U << block.values.slot_bits)];
    };
    for (std::uint32_t place = 0; place + 1 < block.n_places; ++place) {
        for (std::uint32_t lane = 0; lane < lane_width; ++lane) {
            const bool differ = block.values.columns[lane] == nullptr ||
                                value(place, lane) != value(place + 1, lane);
            differs.push_back(differ ? 1 : 0);
        }
    }
    return differs;
}

}  // namespace

TEST_CASE("values that differ from the next are marked, with and without AVX2") {
    Random random(9, 0);
    for (int repeat = 0; repeat < 300; ++repeat) {
        const Block block = draw_block(random, 2 + random.below(100));
        for (const bool wide : {false, true}) {
            allow_avx2(wide);
            CHECK_EQ(marks(block), marks_plainly(block));
        }
    }
    allow_avx2(true);
}
