#pragma once

// Leaves that go on learning after their shrub was grown: class counts, or a mean.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "shrubs/auto/config.hpp"

namespace shrubs {

/// A view of one shrub's leaves for classification: `n_classes` counts each.
///
/// Beyond `max_in_leaf` examples all counts are halved, so that no leaf stops learning.
class CountingLeaves {
 public:
    CountingLeaves(std::byte* leaves, std::size_t n_classes)
        : leaves_(leaves), n_classes_(n_classes) {}

    std::uint16_t count(std::uint32_t leaf, std::size_t c) const {
        std::uint16_t value = 0;
        std::memcpy(&value, at(leaf, c), sizeof value);
        return value;
    }
    void set(std::uint32_t leaf, std::size_t c, std::uint16_t count) const {
        std::memcpy(at(leaf, c), &count, sizeof count);
    }
    void forget(std::uint32_t leaf, std::uint16_t label) const { set(leaf, label, 0); }
    /// Examples in a leaf.
    std::uint32_t total(std::uint32_t leaf) const {
        std::uint32_t n = 0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            n += count(leaf, c);
        }
        return n;
    }
    /// Shares of the classes, with half an example spread evenly over them.
    void predict(std::uint32_t leaf, std::span<float> shares) const {
        constexpr double prior = 0.5;
        const double scale = 1.0 / (total(leaf) + prior);
        const double each = prior / static_cast<double>(n_classes_);
        for (std::size_t c = 0; c < n_classes_; ++c) {
            shares[c] = static_cast<float>((count(leaf, c) + each) * scale);
        }
    }
    void learn(std::uint32_t leaf, std::uint16_t label) const {
        set(leaf, label, static_cast<std::uint16_t>(count(leaf, label) + 1));
        const std::uint32_t n = total(leaf);
        for (std::size_t c = 0; c < n_classes_ && n > max_in_leaf; ++c) {
            set(leaf, c, count(leaf, c) / 2);
        }
    }

 private:
    std::byte* at(std::uint32_t leaf, std::size_t c) const {
        return leaves_ + (leaf * n_classes_ + c) * sizeof(std::uint16_t);
    }

    std::byte* leaves_;
    std::size_t n_classes_;
};

/// A view of one shrub's leaves for regression: the mean of the last targets, and their number.
class AveragingLeaves {
 public:
    explicit AveragingLeaves(std::byte* leaves) : leaves_(leaves) {}

    double mean(std::uint32_t leaf) const {
        double value = 0.0;
        std::memcpy(&value, at(leaf), sizeof value);
        return value;
    }
    std::uint16_t count(std::uint32_t leaf) const {
        std::uint16_t value = 0;
        std::memcpy(&value, at(leaf) + sizeof(double), sizeof value);
        return value;
    }
    void set(std::uint32_t leaf, double mean, std::uint16_t count) const {
        std::memcpy(at(leaf), &mean, sizeof mean);
        std::memcpy(at(leaf) + sizeof mean, &count, sizeof count);
    }
    void learn(std::uint32_t leaf, double target) const {
        const std::uint32_t n = std::min<std::uint32_t>(count(leaf) + 1U, max_in_leaf);
        const double share = 1.0 / n;
        set(leaf, mean(leaf) * (1.0 - share) + target * share, static_cast<std::uint16_t>(n));
    }

 private:
    static constexpr std::size_t leaf_bytes = sizeof(double) + sizeof(std::uint16_t);
    std::byte* at(std::uint32_t leaf) const { return leaves_ + leaf * leaf_bytes; }

    std::byte* leaves_;
};

}  // namespace shrubs
