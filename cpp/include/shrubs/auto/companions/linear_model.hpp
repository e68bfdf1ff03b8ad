#pragma once

// A linear model by adaptive gradient steps: softmax for classes, squared loss for targets.

#include <cstddef>
#include <cstdint>
#include <span>

#include "shrubs/auto/companions/companion.hpp"

namespace shrubs {

/// Works on memory that it does not own. One row of weights per feature, one for the constant, and
/// one per bucket of categories.
class LinearModel {
 public:
    struct Memory {
        std::span<float> weights;  ///< ((d + 1 + n_buckets) * W,)
        std::span<float> squares;  ///< the same: sums of squared gradients
    };
    static Memory reserve(Arena& arena, const CompanionSizes& sizes);
    static constexpr bool recalls = false;
    static constexpr std::size_t object_bytes = 56;
    static constexpr bool serves(Task) { return true; }

    void begin(const Memory& memory, const CompanionSizes& sizes) {
        memory_ = memory;
        sizes_ = sizes;
    }
    static const char* name() { return "linear model"; }

    /// Probabilities of the classes, or a target in deviations.
    void predict(const Question& question, std::span<double> scratch,
                 std::span<float> prediction) const;
    /// One step against the error of what was predicted last.
    void learn(const Question& question, const Lesson& lesson);

    /// Categories share their buckets with those of other features, so they fade instead.
    void forget_feature(std::size_t feature);
    void renumber_classes(ClassNumbers now);

    void archive(Archive& archive);
    void copy_from(const LinearModel& other);

    /// The weights of a feature, (W,); behind those of all features that of the constant, then
    /// those of the buckets.
    std::span<const float> row(std::size_t i) const {
        return memory_.weights.subspan(i * sizes_.width, sizes_.width);
    }
    std::uint32_t n_buckets() const { return sizes_.n_buckets; }
    Task task() const { return sizes_.task; }

 private:
    // `each(first weight, value)` for every row that takes part, once features are standardised.
    template <class Each>
    void for_each_row(const Question& question, Each each) const;
    void descend(std::size_t first, double value, const double* error);
    void descend_portably(std::size_t first, double value, const double* error);
    void descend_avx2(std::size_t first, double value, const double* error);
    void copy_rows(const LinearModel& other, std::span<const float> from, std::span<float> to);

    Memory memory_;
    CompanionSizes sizes_;
};

}  // namespace shrubs
