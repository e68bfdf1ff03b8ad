#pragma once

// Learners of every kind with their byte states, and what it takes to tamper with those.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "holders.hpp"

namespace shrubs {

/// Bytes before the features' kinds: magic, version, length, configuration, dimensions.
inline constexpr std::size_t kinds_offset = 6 + 2 + 8 + 5 + 5 * 4 + 8 + 8 + 4 * 4;

/// CRC-32 as in zlib, bit by bit.
inline std::uint32_t crc32(std::span<const std::byte> bytes) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const std::byte byte : bytes) {
        crc ^= static_cast<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 1U) != 0 ? (crc >> 1U) ^ 0xEDB88320U : crc >> 1U;
        }
    }
    return ~crc;
}

/// Makes length and checksum fit the contents again.
inline void seal(std::vector<std::byte>& state) {
    if (state.size() < 20) {
        return;
    }
    const std::uint64_t length = state.size();
    std::memcpy(state.data() + 8, &length, 8);
    const std::uint32_t crc = crc32(std::span(state).first(state.size() - 4));
    std::memcpy(state.data() + state.size() - 4, &crc, 4);
}

/// A learner from a state; none if it is refused or needs more than `max_bytes`.
template <class Ensemble = PaperEnsemble>
std::unique_ptr<HolderOf<Ensemble>> loaded(std::span<const std::byte> state,
                                           std::size_t max_bytes = std::size_t{1} << 24U) {
    const auto header = read_header<Ensemble>(state);
    if (header.error != StateError::none ||
        Ensemble::report(header.config, header.dimensions).total() > max_bytes) {
        return nullptr;
    }
    auto holder = std::make_unique<HolderOf<Ensemble>>(
        header.config, header.dimensions,
        std::vector<std::uint8_t>(header.nominal.begin(), header.nominal.end()));
    const StateError error = load_state(state, header, holder->ensemble());
    return error == StateError::none ? std::move(holder) : nullptr;
}

/// A learner of another shape that has taken over what `other` knows.
template <class Ensemble>
std::unique_ptr<HolderOf<Ensemble>> copied(HolderOf<Ensemble>& other,
                                           const Dimensions& dimensions) {
    const auto nominal = other.ensemble().nominal();
    auto holder = std::make_unique<HolderOf<Ensemble>>(
        other.ensemble().config(), dimensions,
        std::vector<std::uint8_t>(nominal.begin(), nominal.end()));
    holder->ensemble().copy_from(other.ensemble());
    return holder;
}

/// One configuration of each kind: losses, splitters, leaves of all layouts, both node sizes.
struct Kind {
    Config config;
    Dimensions dimensions;
};

inline std::vector<Kind> all_kinds() {
    Config config;
    config.max_shrubs = 3;
    config.window_size = 6;
    config.step_size = 1.0;
    std::vector<Kind> kinds = {{config, {2, 2, 2}}, {config, {2, 20, 1}}, {config, {70, 3, 8}}};
    config.splitter = Splitter::random;
    config.max_depth = 2;
    kinds.push_back({config, {3, 3, 2}});
    config.loss = Loss::cross_entropy;
    kinds.push_back({config, {1, 3, 1}});
    config.loss = Loss::mse;
    config.task = Task::regression;
    config.min_samples_leaf = 2;
    kinds.push_back({config, {2, 0, 2}});
    config.window_size = 300;
    config.min_samples_leaf = 1;
    config.max_depth = no_limit;
    kinds.push_back({config, {2, 0, 2}});
    return kinds;
}

/// A learner that has seen some examples; its last feature is nominal.
inline std::unique_ptr<LearnerHolder> taught(const Kind& kind, int n_examples = 20) {
    std::vector<std::uint8_t> nominal(kind.dimensions.n_features, 0);
    nominal.back() = 1;
    auto holder = std::make_unique<LearnerHolder>(kind.config, kind.dimensions, nominal);
    ExampleSource source(3, kind.dimensions, 8);
    for (int i = 0; i < n_examples; ++i) {
        holder->ensemble().learn(source.next());
    }
    return holder;
}

}  // namespace shrubs
