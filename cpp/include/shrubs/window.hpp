#pragma once

// The last `window_size` examples; the oldest leaves first.

#include <cstddef>
#include <cstdint>
#include <span>

namespace shrubs {

/// A ring of slots over memory that it does not own.
///
/// Values are stored by feature. With `sorted`, each feature also keeps its slots ordered by
/// (value, arrival), missing values last, so that no shrub has to sort again:
///
///     values  | feature 0: B values | feature 1: B values | ...
///     sorted  | feature 0: n slots  | feature 1: n slots  | ...   (B places each)
class Window {
 public:
    struct Memory {
        std::span<float> values;                ///< (n_features * window_size,)
        std::span<std::uint16_t> labels;        ///< (window_size,), classification
        std::span<double> targets;              ///< (window_size,), regression
        std::span<std::uint16_t> sorted;        ///< (n_features * window_size,) or empty
        std::span<const std::uint8_t> nominal;  ///< (n_features,), 1 for nominal features
    };

    Window() = default;
    Window(const Memory& memory, std::uint32_t window_size, std::uint32_t n_features)
        : memory_(memory), window_size_(window_size), n_features_(n_features) {}

    std::uint32_t size() const { return size_; }
    bool is_full() const { return size_ == window_size_; }
    std::uint32_t n_features() const { return n_features_; }
    bool is_sorted() const { return !memory_.sorted.empty(); }

    /// The slot of the `age`-th oldest example.
    std::uint32_t slot(std::uint32_t age) const {
        const std::uint32_t at = oldest_ + age;
        return at < window_size_ ? at : at - window_size_;
    }

    std::span<const float> column(std::uint32_t feature) const {
        return memory_.values.subspan(std::size_t{feature} * window_size_, window_size_);
    }
    /// The slots of a feature in ascending order of (value, arrival).
    std::span<const std::uint16_t> sorted(std::uint32_t feature) const {
        return memory_.sorted.subspan(std::size_t{feature} * window_size_, size_);
    }
    bool is_nominal(std::uint32_t feature) const { return memory_.nominal[feature] != 0; }
    std::span<const std::uint16_t> labels() const { return memory_.labels; }
    std::span<const double> targets() const { return memory_.targets; }

    /// The features of the example in `slot`, `(n_features,)`.
    void copy_example(std::uint32_t slot, std::span<float> x) const;

    /// Drops the oldest example. Requires one.
    void pop_first();
    /// Adds an example in the slot that is returned. Requires a free one.
    std::uint32_t append(std::span<const float> x, std::uint16_t label, double target);

 private:
    void remove_sorted(std::uint32_t feature, std::uint32_t slot);
    void insert_sorted(std::uint32_t feature, std::uint32_t slot);

    Memory memory_;
    std::uint32_t window_size_ = 0;
    std::uint32_t n_features_ = 0;
    std::uint32_t oldest_ = 0;
    std::uint32_t size_ = 0;
};

}  // namespace shrubs
