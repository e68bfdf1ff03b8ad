#pragma once

// Other examples of a node than those that its split was found by: they judge the best ones again.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/sampled_split.hpp"
#include "shrubs/growth/split.hpp"

namespace shrubs {

/// A split that explains less of the outcomes of 32 others than this costs its feature some of its
/// merit, another one earns it some, up to a bound. Chance explains half as much; of n times as
/// many others, this and chance are an nth.
inline constexpr double toll = 0x1p-4;
inline constexpr float most_merit = 4.0F;

/// Examples that are not in the sample of a node, evenly spread.
class Jury {
 public:
    /// At most so many times the examples of a sample.
    static constexpr std::uint32_t most_samples = 8;
    static constexpr std::size_t most = std::size_t{most_samples} * most_sampled;

    /// As many times the examples of a sample as there are others; 0 if there are fewer.
    static std::uint32_t n_samples(std::size_t n_members) {
        const auto n = static_cast<std::uint32_t>(n_members / most_sampled);
        return n > 1 ? std::min(n - 1, most_samples) : 0;
    }

    explicit Jury(std::span<const std::uint16_t> members) {
        const std::size_t step = n_samples(members.size()) + 1;
        for (std::size_t i = 0; i < step * most_sampled; ++i) {
            if (i % step != 0) {
                slots_[n_++] = members[i * members.size() / (step * most_sampled)];
            }
        }
    }
    std::span<const std::uint16_t> slots() const { return std::span(slots_).first(n_); }

 private:
    std::size_t n_ = 0;
    std::array<std::uint16_t, most> slots_;
};

/// A jury, divided by a split.
class DividedJury {
 public:
    /// `values` has one by slot.
    template <class Values>
    DividedJury(const Jury& jury, const Values& values, const Split& split) : slots_(jury.slots()) {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            left_[i] = split.goes_left(values[slots_[i]]) ? 1 : 0;
            n_left_ += left_[i];
        }
    }

    /// The share of the impurity of its classes that the split takes away; 0 if it does not divide
    /// the jury. `lefts` and `rights` are scratch, (n_classes,).
    double explained(std::span<const std::uint16_t> labels, std::span<std::uint32_t> lefts,
                     std::span<std::uint32_t> rights) const;

    /// The same of its targets; `centred` has them by slot.
    template <class Centred>
    double explained(const Centred& centred) const {
        double left = 0.0;
        double total = 0.0;
        double squares = 0.0;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            const double target = centred[slots_[i]];
            left += target * left_[i];  // a zero of either sign changes no sum
            total += target;
            squares += target * target;
        }
        const double right = total - left;
        return share(left * left / n_left() + right * right / n_right(), total * total, squares);
    }

 private:
    double n_left() const { return n_left_; }
    double n_right() const { return static_cast<double>(slots_.size()) - n_left_; }
    // How far a score is from that of no split to the largest; n times the former is given.
    double share(double score, double undivided, double largest) const;

    std::span<const std::uint16_t> slots_;
    std::uint32_t n_left_ = 0;
    std::array<std::uint8_t, Jury::most> left_;
};

/// What a split of a feature explained of so many samples of others, less the toll.
inline void earn(float& merit, double explained, std::uint32_t n_samples) {
    merit = static_cast<float>(
        std::clamp(merit + explained - toll / n_samples, 0.0, static_cast<double>(most_merit)));
}

}  // namespace shrubs
