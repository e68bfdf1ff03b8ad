#include "shrubs/window.hpp"

#include <algorithm>

namespace shrubs {

namespace {

bool is_missing(float value) {
    return value != value;
}

}  // namespace

void Window::copy_example(std::uint32_t slot, std::span<float> x) const {
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        x[feature] = column(feature)[slot];
    }
}

void Window::pop_first() {
    if (is_sorted()) {
        for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
            remove_sorted(feature, oldest_);
        }
    }
    oldest_ = slot(1);
    --size_;
}

std::uint32_t Window::append(std::span<const float> x, std::uint16_t label, double target) {
    const std::uint32_t at = slot(size_);
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        memory_.values[std::size_t{feature} * window_size_ + at] = x[feature];
    }
    if (!memory_.labels.empty()) {
        memory_.labels[at] = label;
    }
    if (!memory_.targets.empty()) {
        memory_.targets[at] = target;
    }
    if (is_sorted()) {
        for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
            insert_sorted(feature, at);
        }
    }
    ++size_;
    return at;
}

// Equal values are ordered by arrival, so the oldest example is the first of its equals.
void Window::remove_sorted(std::uint32_t feature, std::uint32_t slot) {
    const auto values = column(feature);
    std::uint16_t* first = memory_.sorted.data() + std::size_t{feature} * window_size_;
    std::uint16_t* last = first + size_;
    const float value = values[slot];
    std::uint16_t* at = std::partition_point(first, last, [&](std::uint16_t other) {
        return is_missing(value) ? !is_missing(values[other]) : values[other] < value;
    });
    std::copy(at + 1, last, at);
}

// The newest example is the last of its equals.
void Window::insert_sorted(std::uint32_t feature, std::uint32_t slot) {
    const auto values = column(feature);
    std::uint16_t* first = memory_.sorted.data() + std::size_t{feature} * window_size_;
    std::uint16_t* last = first + size_;
    const float value = values[slot];
    std::uint16_t* at = std::partition_point(first, last, [&](std::uint16_t other) {
        return is_missing(value) || values[other] <= value;
    });
    std::copy_backward(at, last, last + 1);
    *at = static_cast<std::uint16_t>(slot);
}

}  // namespace shrubs
