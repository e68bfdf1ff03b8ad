#include "shrubs/window.hpp"

#include <algorithm>
#include <limits>

namespace shrubs {

namespace {

bool is_missing(float value) {
    return value != value;
}

}  // namespace

Window::Window(const Memory& memory, std::uint32_t window_size, std::uint32_t n_features)
    : memory_(memory), window_size_(window_size), n_features_(n_features) {
    std::ranges::fill(memory_.n_distinct, std::uint16_t{0});
    std::ranges::fill(memory_.pivots, std::numeric_limits<float>::infinity());
}

bool Window::has_missing(std::uint32_t feature) const {
    return size_ > 0 && is_missing(column(feature)[sorted(feature).back()]);
}

void Window::copy_example(std::uint32_t slot, std::span<float> x) const {
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        x[feature] = memory_.values[place(slot, feature)];
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
    for (std::uint32_t feature = 0; feature < memory_.n_distinct.size(); ++feature) {
        recode(feature);
    }
}

std::uint32_t Window::append(std::span<const float> x, std::uint16_t label, double target) {
    const std::uint32_t at = slot(size_);
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        memory_.values[place(at, feature)] = x[feature];
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
    ++n_added_;
    if (has_rows()) {
        std::uint8_t* row = memory_.rows.data() + at * row_stride();
        std::fill(row + n_features_, row + row_stride(), std::uint8_t{0});
        for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
            row[feature] = x[feature] > memory_.pivots[feature] ? 1 : 0;
        }
    }
    for (std::uint32_t feature = 0; feature < memory_.n_distinct.size(); ++feature) {
        recode(feature);
    }
    return at;
}

// Writes the bytes of a feature of two values anew if its lower value has changed.
void Window::recode(std::uint32_t feature) {
    if (memory_.n_distinct[feature] != 2) {
        return;
    }
    const auto values = column(feature);
    const float lowest = values[sorted(feature).front()];
    if (memory_.pivots[feature] == lowest) {
        return;
    }
    memory_.pivots[feature] = lowest;
    for (const std::uint16_t slot : sorted(feature)) {
        memory_.rows[slot * row_stride() + feature] = values[slot] > lowest ? 1 : 0;
    }
}

// Equal values are ordered by arrival, so the oldest example is the first of its equals.
void Window::remove_sorted(std::uint32_t feature, std::uint32_t slot) {
    const auto values = column(feature);
    std::uint16_t* first = memory_.sorted.data() + std::size_t{feature} * window_size_;
    std::uint16_t* last = first + size_;
    const float value = values[slot];
    const auto comes_before = [&](std::uint16_t other) {
        return is_missing(value) ? !is_missing(values[other]) : values[other] < value;
    };
    // Where values repeat, the oldest one is often the very first.
    std::uint16_t* at = *first == slot ? first : std::partition_point(first, last, comes_before);
    if (has_rows() && !is_missing(value) && (at + 1 == last || values[at[1]] != value)) {
        --memory_.n_distinct[feature];
    }
    std::copy(at + 1, last, at);
}

// The newest example is the last of its equals.
void Window::insert_sorted(std::uint32_t feature, std::uint32_t slot) {
    const auto values = column(feature);
    std::uint16_t* first = memory_.sorted.data() + std::size_t{feature} * window_size_;
    std::uint16_t* last = first + size_;
    const float value = values[slot];
    const auto goes_before = [&](std::uint16_t other) {
        return is_missing(value) || values[other] <= value;
    };
    // Where values repeat, the newest one often belongs at the very end.
    const bool at_end = first == last || goes_before(last[-1]);
    std::uint16_t* at = at_end ? last : std::partition_point(first, last, goes_before);
    if (has_rows() && !is_missing(value) && (at == first || values[at[-1]] != value)) {
        ++memory_.n_distinct[feature];
    }
    std::copy_backward(at, last, last + 1);
    *at = static_cast<std::uint16_t>(slot);
}

}  // namespace shrubs
