// Runs the learner that needs no tuning over one file of examples, for ablations.py and
// bench_work.py. The file:
//
//     int32 n, d, C | uint8 nominal[d] | float32 X[n * d] | uint16 y[n]
//
// Then the bytes of the learner. Prints the mean running accuracy in percent; and of the values
// that an example visits to be learned the mean, those of growing in the mean, and the most.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <span>
#include <vector>

#include "shrubs/auto/ensemble.hpp"

namespace {

template <class T>
std::vector<T> read(std::FILE* file, std::size_t n) {
    std::vector<T> values(n);
    if (std::fread(values.data(), sizeof(T), n, file) != n) {
        std::exit(1);
    }
    return values;
}

// Inner nodes that an example walks through.
std::uint64_t n_walked(const shrubs::NewShrub& shrub, std::span<const float> x) {
    std::uint64_t n = 0;
    std::uint32_t node = 0;
    for (std::uint32_t below = shrub.n_inner; below > 0; ++n) {
        const shrubs::Node at = shrubs::read_node(shrub.node_bytes, shrub.nodes, node);
        const bool left = at.split.goes_left(x[at.split.feature]);
        node += left ? 1 : 1 + at.n_left;
        below = left ? at.n_left : below - 1 - at.n_left;
    }
    return n;
}

// Values that the next example visits whatever grows. A number counts as often as it is passed
// over: those of the example when it is kept, copied and scaled; nodes; class counts that are read
// and judged; weights when they are scaled, mixed by class, moved by class and projected.
std::uint64_t n_visited(const shrubs::AutoEnsemble& ensemble, std::span<const float> x) {
    const shrubs::PlanInUse& plan = ensemble.plan();
    const std::uint64_t d = x.size();
    const std::uint64_t width = plan.width();
    std::vector<float> recalling(x.begin(), x.end());
    std::ranges::copy(ensemble.recalled(), std::back_inserter(recalling));
    std::uint64_t n = 3 * d;
    std::uint32_t n_absent = plan.n_places;
    for (std::uint32_t place = 0; place < plan.n_places; ++place) {
        if (ensemble.shrubs().is_grown(place)) {
            n += n_walked(ensemble.shrubs().shrub(place), recalling) + 2 * width;
            --n_absent;
        }
    }
    n += plan.ranges.n_weights() * (2 * width + 2) * (plan.n_experts - n_absent) / plan.n_experts;
    const auto& [slow, quick, linear, neighbours, same, one, two, three, trend] =
        ensemble.companions();
    n += (slow != nullptr ? (width + 1) * d : 0) + (quick != nullptr ? (width + 1) * d : 0);
    n += linear != nullptr ? 2 * width * (d + 1) : 0;
    n += neighbours != nullptr ? (neighbours->size() + 1) * neighbours->features().size() : 0;
    for (const bool follows : {same != nullptr, one != nullptr, two != nullptr, three != nullptr}) {
        n += follows ? 2 * width : 0;
    }
    return n;
}

}  // namespace

int main(int, char** arguments) {
    std::FILE* file = std::fopen(arguments[1], "rb");
    const auto shape = read<std::int32_t>(file, 3);
    const auto n = static_cast<std::size_t>(shape[0]);
    const auto d = static_cast<std::size_t>(shape[1]);
    const auto nominal = read<std::uint8_t>(file, d);
    const auto X = read<float>(file, n * d);
    const auto y = read<std::uint16_t>(file, n);

    const shrubs::AutoConfig config{.arena_bytes = std::strtoull(arguments[2], nullptr, 10),
                                    .seed = 1};
    const shrubs::Dimensions dimensions{static_cast<std::uint32_t>(d),
                                        static_cast<std::uint32_t>(shape[2]), 0};
    std::uint32_t n_nominal = 0;
    for (const std::uint8_t kind : nominal) {
        n_nominal += kind;
    }
    const auto plan = shrubs::make_auto_plan(config, dimensions, n_nominal);
    std::vector<std::uint64_t> arena(plan.total_bytes / sizeof(std::uint64_t) + 1);
    shrubs::AutoEnsemble ensemble(
        config, dimensions, nominal,
        {reinterpret_cast<std::byte*>(arena.data()), static_cast<std::size_t>(plan.total_bytes)});
    std::vector<double> f(static_cast<std::size_t>(shape[2]));
    double right = 0.0;
    double sum = 0.0;
    std::uint64_t n_values = 0;
    std::uint64_t n_grown = 0;
    std::uint64_t most = 0;
    for (std::size_t t = 0; t < n; ++t) {
        const std::span<const float> x(X.data() + t * d, d);
        ensemble.predict_next(x, f);
        std::size_t best = 0;
        for (std::size_t c = 1; c < f.size(); ++c) {
            best = f[c] > f[best] ? c : best;
        }
        right += best == y[t] ? 1.0 : 0.0;
        sum += right / static_cast<double>(t + 1);
        const std::uint64_t others = n_visited(ensemble, x);
        ensemble.learn_next({x, y[t]});
        n_grown += ensemble.n_visited();
        n_values += others + ensemble.n_visited();
        most = std::max(most, others + ensemble.n_visited());
    }
    std::printf("%.4f %.0f %.0f %.0f\n", 100.0 * sum / static_cast<double>(n),
                static_cast<double>(n_values) / static_cast<double>(n),
                static_cast<double>(n_grown) / static_cast<double>(n), static_cast<double>(most));
}
