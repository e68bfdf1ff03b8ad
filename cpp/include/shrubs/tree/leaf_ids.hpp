#pragma once

// The leaf that each example of the window falls into, for one shrub. A shrub never changes, so
// this never changes either: it is found once, when the shrub or the example is new.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace shrubs {

/// A view of one or two bytes per slot.
class LeafIds {
 public:
    LeafIds(std::byte* ids, bool wide) : ids_(ids), wide_(wide) {}

    static bool needs_wide(std::uint32_t max_leaves) { return max_leaves > 256; }
    static std::size_t bytes(std::uint32_t max_leaves, std::uint32_t window_size) {
        return std::size_t{window_size} * (needs_wide(max_leaves) ? 2 : 1);
    }

    std::uint32_t get(std::uint32_t slot) const {
        if (!wide_) {
            return static_cast<std::uint32_t>(ids_[slot]);
        }
        std::uint16_t leaf = 0;
        std::memcpy(&leaf, ids_ + 2 * std::size_t{slot}, 2);
        return leaf;
    }

    void set(std::uint32_t slot, std::uint32_t leaf) const {
        if (!wide_) {
            ids_[slot] = static_cast<std::byte>(leaf);
            return;
        }
        const auto narrow = static_cast<std::uint16_t>(leaf);
        std::memcpy(ids_ + 2 * std::size_t{slot}, &narrow, 2);
    }

 private:
    std::byte* ids_;
    bool wide_;
};

}  // namespace shrubs
