// Runs the learner that needs no tuning over one file of examples, for ablations.py.
//
//     int32 n, d, C | uint8 nominal[d] | float32 X[n * d] | uint16 y[n]
//
// Prints the mean running accuracy in percent.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

}  // namespace

int main(int, char** arguments) {
    std::FILE* file = std::fopen(arguments[1], "rb");
    const auto shape = read<std::int32_t>(file, 3);
    const auto n = static_cast<std::size_t>(shape[0]);
    const auto d = static_cast<std::size_t>(shape[1]);
    const auto nominal = read<std::uint8_t>(file, d);
    const auto X = read<float>(file, n * d);
    const auto y = read<std::uint16_t>(file, n);

    const shrubs::AutoConfig config{.arena_bytes = 1 << 20, .seed = 1};
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
    for (std::size_t t = 0; t < n; ++t) {
        const std::span<const float> x(X.data() + t * d, d);
        ensemble.predict_next(x, f);
        std::size_t best = 0;
        for (std::size_t c = 1; c < f.size(); ++c) {
            best = f[c] > f[best] ? c : best;
        }
        right += best == y[t] ? 1.0 : 0.0;
        sum += right / static_cast<double>(t + 1);
        ensemble.learn_next({x, y[t]});
    }
    std::printf("%.4f\n", 100.0 * sum / static_cast<double>(n));
}
