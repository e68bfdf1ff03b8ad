#include <vector>

#include "shrubs/tree/leaf_ids.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("up to 256 leaves take one byte per example, more take two") {
    CHECK_EQ(LeafIds::bytes(256, 100), 100U);
    CHECK_EQ(LeafIds::bytes(257, 100), 200U);
}

TEST_CASE("narrow and wide leaf ids give back the largest leaf") {
    for (const bool wide : {false, true}) {
        std::vector<std::byte> bytes(wide ? 6 : 3);
        const LeafIds ids(bytes.data(), wide);
        const std::uint32_t largest = wide ? 65534 : 255;
        ids.set(0, 1);
        ids.set(1, largest);
        ids.set(2, 0);
        CHECK_EQ(ids.get(0), 1U);
        CHECK_EQ(ids.get(1), largest);
        CHECK_EQ(ids.get(2), 0U);
    }
}
