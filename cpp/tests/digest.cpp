// Learns fixed streams and prints a digest of each byte state, the window, shrubs and weights in
// it: the same on every machine, with every compiler and at every optimisation. Fails if one is not
// what it was.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "auto_holders.hpp"
#include "shrubs/generators/any_generator.hpp"

using namespace shrubs;

namespace {

struct Scenario {
    const char* name;
    Config config;
    Dimensions dimensions;
    std::uint64_t expected;
};

Config config_of(Task task, Loss loss, Splitter splitter) {
    Config config;
    config.task = task;
    config.loss = loss;
    config.splitter = splitter;
    config.max_shrubs = 12;
    config.window_size = 48;
    config.step_size = 0.2;
    config.seed = 7;
    return config;
}

// FNV-1a, 64 bits.
constexpr std::uint64_t empty_digest = 0xCBF29CE484222325U;

std::uint64_t digest(std::span<const std::byte> bytes, std::uint64_t hash = empty_digest) {
    for (const std::byte byte : bytes) {
        hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3U;
    }
    return hash;
}

std::vector<std::uint8_t> last_nominal(const Dimensions& dimensions) {
    std::vector<std::uint8_t> nominal(dimensions.n_features, 0);
    nominal.back() = 1;
    return nominal;
}

// Labels follow the features and drift; values have all their bits, some are missing.
template <class Ensemble>
void learn_stream(Ensemble& ensemble, const Dimensions& dimensions, std::uint32_t n_examples) {
    const std::vector<std::uint8_t> nominal = last_nominal(dimensions);
    Random random(42, 0);
    std::vector<float> x(dimensions.n_features);
    std::vector<double> f(std::max(dimensions.n_classes, 1U));
    for (std::uint32_t i = 0; i < n_examples; ++i) {
        double score = static_cast<double>(i) / n_examples;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const double value =
                nominal[k] != 0 ? static_cast<double>(random.below(4)) : random.uniform();
            score += value * static_cast<double>(k + 1);
            x[k] = random.below(20) == 0 ? missing : static_cast<float>(value);
        }
        Example example{x, 0, score * score * 1e3};
        if (dimensions.n_classes > 0) {
            example.label = static_cast<std::uint16_t>(static_cast<std::uint32_t>(score) %
                                                       dimensions.n_classes);
        }
        ensemble.predict_next(x, f);
        ensemble.learn_next(example);
    }
}

// Of all that follows the header.
std::uint64_t digest_of_contents(std::span<const std::byte> state, std::size_t begin) {
    constexpr std::size_t checksum_bytes = 4;
    return digest(state.subspan(begin, state.size() - begin - checksum_bytes));
}

std::uint64_t digest_after(const Scenario& scenario, std::uint32_t n_examples) {
    LearnerHolder holder(scenario.config, scenario.dimensions, last_nominal(scenario.dimensions));
    learn_stream(holder.ensemble(), scenario.dimensions, n_examples);
    const auto state = state_of(holder.ensemble());
    return digest_of_contents(state, read_header<PaperEnsemble>(state).contents);
}

std::uint64_t digest_of_auto(Task task, const Dimensions& dimensions, std::uint32_t n_examples) {
    AutoHolder holder({.task = task, .arena_bytes = 1U << 18U, .seed = 7}, dimensions,
                      last_nominal(dimensions));
    learn_stream(holder.ensemble(), dimensions, n_examples);
    const auto state = state_of(holder.ensemble());
    return digest_of_contents(state, read_header<AutoEnsemble>(state).contents);
}

std::uint64_t digest_of_generators() {
    std::vector<AnyGenerator> generators;
    generators.emplace_back(Agrawal({.function = 9}));
    generators.emplace_back(Hyperplane({.magnitude = 0.01}));
    generators.emplace_back(Led({.n_drift_features = 3}));
    generators.emplace_back(RandomRbf({.n_classes = 5, .speed = 0.001}));
    generators.emplace_back(Sea({}));
    generators.emplace_back(Sine({.function = 3}));
    std::uint64_t hash = empty_digest;
    for (AnyGenerator& generator : generators) {
        std::vector<std::int64_t> y(5000);
        std::vector<float> X(y.size() * n_features(generator));
        fill(generator, X, y);
        hash = digest(std::as_bytes(std::span(y)), digest(std::as_bytes(std::span(X)), hash));
    }
    return hash;
}

bool is_expected(const char* name, std::uint64_t found, std::uint64_t expected) {
    std::printf("%016llx  %s%s\n", static_cast<unsigned long long>(found), name,
                found == expected ? "" : "  is not what it was");
    return found == expected;
}

}  // namespace

int main() {
    constexpr Task classify = Task::classification;
    constexpr Task regress = Task::regression;
    const std::array<Scenario, 5> scenarios = {
        {{"mse, best splits",
          config_of(classify, Loss::mse, Splitter::best),
          {6, 3, 6},
          0x1C7D63E6ED934FC3},
         {"mse, random splits",
          config_of(classify, Loss::mse, Splitter::random),
          {6, 12, 2},
          0x1BBDB17C3A97F0CB},
         {"cross-entropy",
          config_of(classify, Loss::cross_entropy, Splitter::best),
          {6, 3, 3},
          0x3914DDFC58FFE966},
         {"regression, best splits",
          config_of(regress, Loss::mse, Splitter::best),
          {6, 0, 6},
          0xAD95BA86FCFCA42D},
         {"regression, random splits",
          config_of(regress, Loss::mse, Splitter::random),
          {6, 0, 2},
          0xAE6AD76EDCA0153C}}};
    bool all_expected = is_expected("generators", digest_of_generators(), 0x7FE269AC07B22634);
    for (const Scenario& scenario : scenarios) {
        all_expected &= is_expected(scenario.name, digest_after(scenario, 1500), scenario.expected);
    }
    all_expected &= is_expected("no tuning, classification",
                                digest_of_auto(classify, {6, 3, 0}, 1500), 0x96DCB2B1558F9D60);
    all_expected &= is_expected("no tuning, regression", digest_of_auto(regress, {6, 0, 0}, 1500),
                                0x031BD032B91B12D6);
    return all_expected ? 0 : 1;
}
