#pragma once

// Joins streams, abruptly or gradually: decides which of them gives the next examples.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shrubs/generators/any_generator.hpp"

namespace shrubs {

/// The next `n_examples` come from the stream `stream`; 0 if there are no more.
struct Turn {
    std::size_t stream;
    std::size_t n_examples;
};

/// How a stream turns into another: the t-th example (the first is 1) comes from the second one
/// with probability 1 / (1 + exp(-4 (t - position) / width)).
///
/// More than ten widths away that is below 1e-17 and counts as 0 or 1. A width of 0 switches
/// exactly after `position` examples.
struct Join {
    std::uint64_t position = 0;  ///< at most 2^52
    std::uint64_t width = 0;     ///< at most 2^48
    std::uint64_t seed = 1;
};

/// A tree of joins with streams at its leaves, as flat nodes. What is added last is the whole.
///
/// A join counts the examples drawn from it, so the counter of an inner join rests while the other
/// side is drawn. A draw is keyed by that counter: leaving out those that are certain shifts no
/// other. The joined stream ends when a limit is reached or the drawn stream has no more.
class Turns {
 public:
    /// Adds a stream of `n_examples` and returns its node. Streams count from 0 in this order.
    std::size_t add_stream(std::uint64_t n_examples);

    /// Adds the join of two nodes, of at most `n_examples`, and returns its node.
    std::size_t add_join(std::size_t first, std::size_t second, const Join& join,
                         std::uint64_t n_examples);

    std::size_t n_nodes() const { return nodes_.size(); }
    std::size_t n_streams() const { return n_streams_; }
    std::size_t memory_bytes() const;

    /// The next turn, of at most `at_most` examples.
    Turn next(std::size_t at_most);

 private:
    // Bounds of the probability for every t before `until`. They decide nearly every draw, so the
    // exponential is seldom needed.
    struct Bounds {
        std::uint64_t until = 0;
        double low = 0.0;
        double high = 1.0;
    };
    struct Node {
        std::uint64_t remaining;
        std::uint64_t t;  // the number of the next example
        bool is_stream;
        std::size_t first;  // of a stream: its number
        std::size_t second;
        Join join;
        Bounds bounds;
    };
    struct Choice {
        std::size_t node;
        std::uint64_t n_certain;  // how many examples it holds for
    };
    static Choice choose(Node& node);
    static bool draw_second(Node& node);

    std::vector<Node> nodes_;
    std::vector<std::size_t> path_;  // from the whole to the drawn stream
    std::size_t n_streams_ = 0;
};

/// Fills a block as for a single generator, from the generators whose turn it is, and returns how
/// many examples there were.
std::size_t fill(Turns& turns, std::span<AnyGenerator> generators, std::span<float> X,
                 std::span<std::int64_t> y);

}  // namespace shrubs
