#pragma once

#include <cstdint>
#include <span>

#include "shrubs/paper/members.hpp"
#include "shrubs/window/window.hpp"

namespace shrubs {

/// What a loss looks at: the shrubs with their weights, and the examples.
struct Fit {
    const Members& members;
    const Window& window;
};

/// An example on its way in or out: its leaf in each member, and its label.
struct Seen {
    std::span<const std::uint16_t> leaves;
    std::uint16_t label;
};

/// Members by age: from, ..., to - 1.
struct MemberRange {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
};

}  // namespace shrubs
