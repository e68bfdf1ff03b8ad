#include "shrubs/auto/node_draw.hpp"

#include <algorithm>

namespace shrubs {

std::uint32_t prime_from(std::uint32_t n) {
    const auto is_prime = [](std::uint32_t p) {
        for (std::uint32_t i = 2; i * i <= p; ++i) {
            if (p % i == 0) {
                return false;
            }
        }
        return true;
    };
    std::uint32_t prime = std::max<std::uint32_t>(n, 2);
    while (!is_prime(prime)) {
        ++prime;
    }
    return prime;
}

}  // namespace shrubs
