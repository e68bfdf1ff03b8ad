#include "shrubs/simd/dispatch.hpp"
#include "testing.hpp"

using namespace shrubs;

TEST_CASE("the compiler's own check agrees on AVX2") {
#ifdef SHRUBS_AVX2
    CHECK_EQ(has_avx2(), __builtin_cpu_supports("avx2") != 0);
#else
    CHECK(!has_avx2());
#endif
}

TEST_CASE("AVX2 can be switched off and on again") {
    const bool before = has_avx2();
    allow_avx2(false);
    CHECK(!has_avx2());
    allow_avx2(true);
    CHECK_EQ(has_avx2(), before);
}
