#include "shrubs/generators/join.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/numerics/exponential.hpp"
#include "shrubs/numerics/random.hpp"

namespace shrubs {

namespace {

constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

// The first t that may come from the second stream, and the first that certainly does.
std::uint64_t first_open(const Join& join) {
    const std::uint64_t reach = 10 * join.width;
    if (reach == 0) {
        return join.position + 1;
    }
    return join.position > reach ? join.position - reach : 0;
}

std::uint64_t first_certain(const Join& join) {
    return join.position + 10 * join.width + 1;
}

double probability(const Join& join, std::uint64_t t) {
    const double late = static_cast<double>(t) - static_cast<double>(join.position);
    const double odds_against = exponential(-4.0 * late / static_cast<double>(join.width));
    return 1.0 / (1.0 + odds_against);
}

}  // namespace

std::size_t Turns::add_stream(std::uint64_t n_examples) {
    nodes_.push_back({n_examples, 1, true, n_streams_++, 0, {}, {}});
    path_.reserve(nodes_.size());
    return nodes_.size() - 1;
}

std::size_t Turns::add_join(std::size_t first, std::size_t second, const Join& join,
                            std::uint64_t n_examples) {
    nodes_.push_back({n_examples, 1, false, first, second, join, {}});
    path_.reserve(nodes_.size());
    return nodes_.size() - 1;
}

std::size_t Turns::memory_bytes() const {
    return sizeof(*this) + nodes_.capacity() * sizeof(Node) +
           path_.capacity() * sizeof(std::size_t);
}

Turns::Choice Turns::choose(Node& node) {
    const std::uint64_t open = first_open(node.join);
    if (node.t < open) {
        return {node.first, open - node.t};
    }
    if (node.t >= first_certain(node.join)) {
        return {node.second, no_end};
    }
    // The hint asks for a branch: away from the position it is nearly always predicted, and then
    // nothing waits for the draw.
    if (draw_second(node)) [[unlikely]] {
        return {node.second, 1};
    }
    return {node.first, 1};
}

bool Turns::draw_second(Node& node) {
    if (node.t >= node.bounds.until) {
        // The probability grows with t; the margins are far above its rounding error.
        const std::uint64_t until = node.t + 1 + node.join.width / 256;
        node.bounds = {until, probability(node.join, node.t) * (1.0 - 1e-12),
                       probability(node.join, until) * (1.0 + 1e-12)};
    }
    const double u = Random(node.join.seed, node.t).uniform();
    if (u < node.bounds.low) {
        return true;
    }
    return u < node.bounds.high && u < probability(node.join, node.t);
}

Turn Turns::next(std::size_t at_most) {
    if (nodes_.empty()) {
        return {0, 0};
    }
    std::uint64_t run = at_most;
    std::size_t at = nodes_.size() - 1;
    path_.clear();
    while (true) {
        Node& node = nodes_[at];
        run = std::min(run, node.remaining);
        path_.push_back(at);
        if (node.is_stream) {
            break;
        }
        const Choice choice = choose(node);
        run = std::min(run, choice.n_certain);
        at = choice.node;
    }
    for (const std::size_t passed : path_) {
        nodes_[passed].remaining -= run;
        nodes_[passed].t += run;
    }
    return {nodes_[at].first, static_cast<std::size_t>(run)};
}

std::size_t fill(Turns& turns, std::span<AnyGenerator> generators, std::span<float> X,
                 std::span<std::int64_t> y) {
    const std::size_t width = n_features(generators[0]);
    std::size_t done = 0;
    while (done < y.size()) {
        const Turn turn = turns.next(y.size() - done);
        if (turn.n_examples == 0) {
            break;
        }
        fill(generators[turn.stream], X.subspan(done * width, turn.n_examples * width),
             y.subspan(done, turn.n_examples));
        done += turn.n_examples;
    }
    return done;
}

}  // namespace shrubs
