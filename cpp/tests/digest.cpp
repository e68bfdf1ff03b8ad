// Learns fixed streams and prints a digest of each byte state: the same on every machine, with
// every compiler and at every optimisation. Fails if one is not what it was.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "holders.hpp"

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
std::uint64_t digest(const std::vector<std::byte>& bytes) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const std::byte byte : bytes) {
        hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3U;
    }
    return hash;
}

// Labels follow the features and drift; values have all their bits, some are missing.
std::uint64_t digest_after(const Scenario& scenario, std::uint32_t n_examples) {
    std::vector<std::uint8_t> nominal(scenario.dimensions.n_features, 0);
    nominal.back() = 1;
    LearnerHolder holder(scenario.config, scenario.dimensions, nominal);
    Random random(42, 0);
    std::vector<float> x(scenario.dimensions.n_features);
    std::vector<double> f(scenario.dimensions.n_classes + std::size_t{1});
    for (std::uint32_t i = 0; i < n_examples; ++i) {
        double score = static_cast<double>(i) / n_examples;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const double value =
                nominal[k] != 0 ? static_cast<double>(random.below(4)) : random.uniform();
            score += value * static_cast<double>(k + 1);
            x[k] = random.below(20) == 0 ? missing : static_cast<float>(value);
        }
        Example example{x, 0, score * score * 1e3};
        if (scenario.dimensions.n_classes > 0) {
            example.label = static_cast<std::uint16_t>(static_cast<std::uint32_t>(score) %
                                                       scenario.dimensions.n_classes);
        }
        holder.ensemble().predict_and_learn(
            example, std::span(f).first(std::max(scenario.dimensions.n_classes, 1U)));
    }
    return digest(state_of(holder.ensemble()));
}

}  // namespace

int main() {
    constexpr Task classify = Task::classification;
    constexpr Task regress = Task::regression;
    const std::array<Scenario, 5> scenarios = {
        {{"mse, best splits",
          config_of(classify, Loss::mse, Splitter::best),
          {6, 3, 6},
          0xE4DA048DD954CB34},
         {"mse, random splits",
          config_of(classify, Loss::mse, Splitter::random),
          {6, 12, 2},
          0x1A45E2EA7CD153DD},
         {"cross-entropy",
          config_of(classify, Loss::cross_entropy, Splitter::best),
          {6, 3, 3},
          0x5A1AF8712FB4DA43},
         {"regression, best splits",
          config_of(regress, Loss::mse, Splitter::best),
          {6, 0, 6},
          0x2DCB0AE974ADE7F2},
         {"regression, random splits",
          config_of(regress, Loss::mse, Splitter::random),
          {6, 0, 2},
          0x03AEAD5D0AF4B1F7}}};
    int n_different = 0;
    for (const Scenario& scenario : scenarios) {
        const std::uint64_t found = digest_after(scenario, 1500);
        const bool same = found == scenario.expected;
        n_different += same ? 0 : 1;
        std::printf("%016llx  %s%s\n", static_cast<unsigned long long>(found), scenario.name,
                    same ? "" : "  is not what it was");
    }
    return n_different == 0 ? 0 : 1;
}
