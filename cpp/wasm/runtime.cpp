// What a compiler and its library may call by themselves, so that nothing of them has to be linked.

#include <__verbose_abort>
#include <cstddef>

extern "C" {

// The first three are instructions of WebAssembly.
void* memcpy(void* to, const void* from, std::size_t n) {
    return __builtin_memcpy(to, from, n);
}

void* memmove(void* to, const void* from, std::size_t n) {
    return __builtin_memmove(to, from, n);
}

void* memset(void* to, int value, std::size_t n) {
    return __builtin_memset(to, value, n);
}

int memcmp(const void* a, const void* b, std::size_t n) {
    const auto* left = static_cast<const unsigned char*>(a);
    const auto* right = static_cast<const unsigned char*>(b);
    for (std::size_t i = 0; i < n; ++i) {
        if (left[i] != right[i]) {
            return left[i] - right[i];
        }
    }
    return 0;
}

}  // extern "C"

// A variant without a value, which there never is.
void std::__libcpp_verbose_abort(const char* /*format*/, ...) noexcept {
    __builtin_trap();
}
