#include <limits>
#include <vector>

#include "shrubs/batch/order_key.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("order keys have the order of the values, and missing ones the largest") {
    constexpr float most = std::numeric_limits<float>::max();
    const std::vector<float> ascending = {-most, -2.0F, -1e-40F, 0.0F, 1e-40F, 1.0F, 1.5F, most};
    for (std::size_t i = 1; i < ascending.size(); ++i) {
        CHECK(order_key(ascending[i - 1]) < order_key(ascending[i]));
    }
    CHECK(order_key(most) < missing_key);
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK_EQ(order_key(nan), missing_key);
    CHECK_EQ(order_key(-nan), missing_key);
}

TEST_CASE("a value is larger than a threshold if its key is") {
    CHECK_EQ(threshold_key(1.5F), order_key(1.5F));
    CHECK_EQ(threshold_key(-0.0F), order_key(0.0F));
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(threshold_key(nan) < order_key(-std::numeric_limits<float>::max()));
}
