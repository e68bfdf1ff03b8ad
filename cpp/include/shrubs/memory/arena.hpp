#pragma once

// The one block of memory that a learner lives in, handed out array by array.
//
// Every component reserves its own arrays, in its own file, with a purpose for each. The same walk
// through the components counts the bytes before there is any memory, and hands them out after.

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

namespace shrubs {

/// What an array is for. A cache could be computed again from window, shrubs and weights; scratch
/// means nothing between two calls.
enum class Purpose : std::uint8_t { window, shrubs, weights, cache, scratch };
inline constexpr std::array<const char*, 5> purpose_names = {"window", "shrubs", "weights",
                                                             "caches", "scratch"};

/// Bytes by purpose. They may be more than what a 32-bit machine can address.
class MemoryReport {
 public:
    std::uint64_t& operator[](Purpose purpose) { return bytes_[static_cast<std::size_t>(purpose)]; }
    std::uint64_t operator[](Purpose purpose) const {
        return bytes_[static_cast<std::size_t>(purpose)];
    }
    std::uint64_t total() const {
        return std::accumulate(bytes_.begin(), bytes_.end(), std::uint64_t{0});
    }

 private:
    std::array<std::uint64_t, purpose_names.size()> bytes_{};
};

/// Hands out arrays, aligned to eight bytes: scratch from the end of the memory down, all others
/// from its beginning up.
class Arena {
 public:
    /// Only counts: every array that it hands out is empty.
    Arena() = default;
    /// Requires as many bytes as were counted, aligned to eight.
    explicit Arena(std::span<std::byte> memory)
        : begin_(memory.data()), end_(memory.data() + memory.size() / alignment * alignment) {}

    template <class T>
    std::span<T> array(Purpose purpose, std::uint64_t count) {
        std::byte* const at = take(purpose, count * sizeof(T));
        return at == nullptr
                   ? std::span<T>{}
                   : std::span<T>{reinterpret_cast<T*>(at), static_cast<std::size_t>(count)};
    }

    /// The bytes of all arrays so far.
    const MemoryReport& report() const { return report_; }

 private:
    static constexpr std::size_t alignment = 8;

    std::byte* take(Purpose purpose, std::uint64_t bytes) {
        const std::uint64_t padded = (bytes + alignment - 1) / alignment * alignment;
        report_[purpose] += padded;
        if (begin_ == nullptr) {
            return nullptr;
        }
        const auto size = static_cast<std::size_t>(padded);
        if (purpose == Purpose::scratch) {
            end_ -= size;
            return end_;
        }
        begin_ += size;
        return begin_ - size;
    }

    std::byte* begin_ = nullptr;
    std::byte* end_ = nullptr;
    MemoryReport report_;
};

}  // namespace shrubs
