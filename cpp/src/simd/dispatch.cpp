#include "shrubs/simd/dispatch.hpp"

#ifdef SHRUBS_AVX2

#include <cpuid.h>

namespace shrubs {

namespace {

constexpr std::uint32_t saves_wide_registers = 1U << 27U;  // leaf 1, ecx: OSXSAVE
constexpr std::uint32_t avx = 1U << 28U;                   // leaf 1, ecx
constexpr std::uint32_t avx2 = 1U << 5U;                   // leaf 7, ebx
constexpr std::uint32_t both_halves = 6;                   // of the registers, in XCR0

// The parts of the registers that the operating system keeps; requires OSXSAVE.
std::uint32_t kept_registers() {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

}  // namespace

Avx2 ask_for_avx2() {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::uint32_t d = 0;
    const std::uint32_t needed = saves_wide_registers | avx;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & needed) != needed ||
        (kept_registers() & both_halves) != both_halves) {
        return Avx2::absent;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & avx2) == 0) {
        return Avx2::absent;
    }
    return Avx2::present;
}

}  // namespace shrubs

#endif
