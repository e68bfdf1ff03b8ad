#pragma once

// What this processor can do beyond what every processor of its kind can.
//
// A function for AVX2 is marked `[[gnu::target("avx2")]]`, stands behind `#ifdef SHRUBS_AVX2`, and
// is called where `has_avx2()`. It never fuses a multiplication with an addition, so that its
// results are the bits of the portable way.

#if defined(__GNUC__) && defined(__x86_64__)
#define SHRUBS_AVX2
#include <atomic>
#include <cstdint>
#endif

namespace shrubs {

#ifdef SHRUBS_AVX2

/// What `has_avx2` answers, once it has been asked.
enum class Avx2 : std::uint8_t { unknown, absent, present };
inline constinit std::atomic<Avx2> avx2_answer = Avx2::unknown;

/// Asks the processor, and the operating system whether it keeps the wide registers.
Avx2 ask_for_avx2();

inline bool has_avx2() {
    Avx2 answer = avx2_answer.load(std::memory_order_relaxed);
    if (answer == Avx2::unknown) {
        answer = ask_for_avx2();
        avx2_answer.store(answer, std::memory_order_relaxed);
    }
    return answer == Avx2::present;
}

/// For tests and benchmarks that compare both ways: without `allowed`, `has_avx2` says no.
inline void allow_avx2(bool allowed) {
    avx2_answer.store(allowed ? ask_for_avx2() : Avx2::absent, std::memory_order_relaxed);
}

#else

constexpr bool has_avx2() {
    return false;
}
constexpr void allow_avx2(bool /*allowed*/) {}

#endif

}  // namespace shrubs
