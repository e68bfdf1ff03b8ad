#include "shrubs/window/window.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace shrubs {

namespace {

bool is_missing(float value) {
    return value != value;
}

// How many slots of a sorted column have a smaller value, missing ones being the largest; with
// `or_equal`, an equal one counts too. Halving takes a fixed number of steps without a branch, so
// that a processor searches several columns at once.
template <bool or_equal>
std::uint32_t n_before(const float* values, const std::uint16_t* sorted, std::uint32_t size,
                       float value) {
    const auto count = [&](auto comes_before) {
        const std::uint16_t* at = sorted;
        std::uint32_t rest = size;
        while (rest > 1) {
            const std::uint32_t half = rest / 2;
            // All bits or none, since compilers make a branch of a choice.
            at += half & (0U - static_cast<std::uint32_t>(comes_before(values[at[half - 1]])));
            rest -= half;
        }
        const bool last = rest == 1 && comes_before(values[*at]);
        return static_cast<std::uint32_t>(at - sorted) + (last ? 1 : 0);
    };
    if (is_missing(value)) {
        return or_equal ? size : count([](float other) { return !is_missing(other); });
    }
    return count([value](float other) { return or_equal ? other <= value : other < value; });
}

// Up to this number, counting all values is faster than searching: no step waits for the last one.
constexpr std::uint32_t max_counted = 256;

struct Counts {
    std::int32_t n_smaller;
    std::int32_t n_at_most;
};

// How many values are smaller than `a`, and how many at most `b`.
Counts count_values(const float* values, std::uint32_t size, float a, float b) {
    Counts counts{0, 0};
    for (std::uint32_t i = 0; i < size; ++i) {
        counts.n_smaller += values[i] < a ? 1 : 0;
        counts.n_at_most += values[i] <= b ? 1 : 0;
    }
    return counts;
}

// The oldest example leaves place `from`, and the newest, in the same slot, goes behind the `to`
// first ones. Only what lies between the two moves.
//
//     from < to   | ... | oldest | a | b | ... |  ->  | ... | a | b | newest | ... |
//     from >= to  | ... | a | b | oldest | ... |  ->  | ... | newest | a | b | ... |
void move(std::uint16_t* sorted, std::uint32_t from, std::uint32_t to) {
    const std::uint16_t slot = sorted[from];
    const bool up = from < to;
    const std::uint32_t n = up ? to - from - 1 : from - to;
    std::memmove(sorted + (up ? from : to + 1), sorted + (up ? from + 1 : to), n * sizeof slot);
    sorted[up ? to - 1 : to] = slot;
}

}  // namespace

Window::Memory Window::reserve(Arena& arena, const Sizes& sizes) {
    const std::uint64_t size = sizes.window_size;
    const std::uint64_t features = sizes.n_features;
    const bool classification = sizes.task == Task::classification;
    const std::size_t counted = sizes.has_rows ? sizes.n_features : 0;
    return {
        .values = arena.array<float>(Purpose::window, size * features),
        .labels = arena.array<std::uint16_t>(Purpose::window, classification ? size : 0),
        .targets = arena.array<double>(Purpose::window, classification ? 0 : size),
        .sorted = arena.array<std::uint16_t>(Purpose::cache, sizes.is_sorted ? size * features : 0),
        .nominal = arena.array<std::uint8_t>(Purpose::window, features),
        .n_distinct = arena.array<std::uint16_t>(Purpose::cache, counted),
        .pivots = arena.array<float>(Purpose::cache, counted),
        .n_lower = arena.array<std::uint16_t>(Purpose::cache, counted),
        .uppers = arena.array<float>(Purpose::cache, counted),
        .rows = arena.array<std::uint8_t>(Purpose::cache, size * row_stride(counted))};
}

Window::Window(const Memory& memory, std::uint32_t window_size, std::uint32_t n_features)
    : memory_(memory), window_size_(window_size), n_features_(n_features) {
    std::ranges::fill(memory_.n_distinct, std::uint16_t{0});
    std::ranges::fill(memory_.pivots, std::numeric_limits<float>::infinity());
    std::ranges::fill(memory_.n_lower, std::uint16_t{0});
    std::ranges::fill(memory_.uppers, std::numeric_limits<float>::quiet_NaN());
}

bool Window::has_missing(std::uint32_t feature) const {
    return size_ > 0 && is_missing(highest(feature));
}

void Window::copy_example(std::uint32_t slot, std::span<float> x) const {
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        x[feature] = memory_.values[place(slot, feature)];
    }
}

void Window::archive(Archive& archive, std::uint32_t n_classes, std::span<float> row) {
    std::uint32_t n_examples = size_;
    archive.value(n_examples);
    archive.require(n_examples <= window_size_);
    for (std::uint32_t age = 0; age < n_examples && archive.ok(); ++age) {
        std::uint16_t label = 0;
        double target = 0.0;
        if (!archive.reads()) {
            copy_example(slot(age), row);
            label = memory_.labels.empty() ? label : memory_.labels[slot(age)];
            target = memory_.targets.empty() ? target : memory_.targets[slot(age)];
        }
        archive.array(row, is_finite_or_missing);
        if (memory_.targets.empty()) {
            archive.value(label);
            archive.require(label < n_classes);
        } else {
            archive.value(target);
            archive.require(is_finite(target));
        }
        if (archive.reads() && archive.ok()) {
            for (float& value : row) {
                value += 0.0F;  // -0 becomes 0
            }
            add({row, label, target});
        }
    }
}

void Window::copy_from(const Window& other, std::span<float> row) {
    std::ranges::fill(row, std::numeric_limits<float>::quiet_NaN());
    for (std::uint32_t age = other.size_ - std::min(other.size_, window_size_); age < other.size_;
         ++age) {
        const std::uint32_t from = other.slot(age);
        other.copy_example(from, row.first(other.n_features_));
        add({row, other.memory_.labels.empty() ? std::uint16_t{0} : other.memory_.labels[from],
             other.memory_.targets.empty() ? 0.0 : other.memory_.targets[from]});
    }
}

void Window::copy_outcomes_from(const Window& other) {
    std::ranges::copy(other.memory_.labels, memory_.labels.begin());
    std::ranges::copy(other.memory_.targets, memory_.targets.begin());
    oldest_ = other.oldest_;
    size_ = other.size_;
    n_added_ = other.n_added_;
}

std::uint32_t Window::add(const Example& example) {
    const std::uint32_t at = slot(is_full() ? 0 : size_);
    if (is_full() && is_sorted()) {
        slide_sorted(at, example.x);
    }
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        memory_.values[place(at, feature)] = example.x[feature];
    }
    if (is_full()) {
        oldest_ = slot(1);
    } else {
        for (std::uint32_t feature = 0; feature < n_features_ && is_sorted(); ++feature) {
            insert_sorted(feature, at);
        }
        ++size_;
        std::ranges::fill(memory_.n_lower, std::uint16_t{0});
    }
    if (!memory_.labels.empty()) {
        memory_.labels[at] = example.label;
    }
    if (!memory_.targets.empty()) {
        memory_.targets[at] = example.target;
    }
    ++n_added_;
    if (has_rows()) {
        encode(at, example.x);
    }
    return at;
}

void Window::forget_feature(std::uint32_t feature) {
    for (std::uint32_t slot = 0; slot < size_; ++slot) {
        memory_.values[place(slot, feature)] = std::numeric_limits<float>::quiet_NaN();
    }
}

bool Window::has_values(std::uint32_t feature) const {
    const Values its = values(feature);
    for (std::uint32_t slot = 0; slot < size_; ++slot) {
        if (!is_missing(its[slot])) {
            return true;
        }
    }
    return false;
}

void Window::renumber_classes(ClassNumbers now) {
    const auto rotate = [&](auto array, std::size_t per_example) {
        const auto used = array.first(size_ * per_example);
        std::ranges::rotate(used, used.begin() + oldest_ * per_example);
    };
    rotate(memory_.values, n_features_);
    rotate(memory_.labels, 1);
    oldest_ = 0;
    std::uint32_t n_kept = 0;
    for (std::uint32_t slot = 0; slot < size_; ++slot) {
        if (const std::uint16_t label = now[memory_.labels[slot]]; label != gone_class) {
            memory_.labels[n_kept] = label;
            std::copy_n(row(slot), n_features_, memory_.values.data() + place(n_kept, 0));
            ++n_kept;
        }
    }
    size_ = n_kept;
}

// Writes the row of bytes of an example whose values are stored and sorted.
void Window::encode(std::uint32_t slot, std::span<const float> x) {
    std::uint8_t* row = memory_.rows.data() + slot * row_stride();
    std::fill(row + n_features_, row + row_stride(), std::uint8_t{0});
    const float* pivots = memory_.pivots.data();
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        row[feature] = x[feature] > pivots[feature] ? 1 : 0;
    }
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        recode(feature);
    }
}

// Writes the bytes of a feature of two values again if its lower value has changed.
void Window::recode(std::uint32_t feature) {
    if (memory_.n_distinct[feature] != 2) {
        return;
    }
    const float lowest = this->lowest(feature);
    if (memory_.pivots[feature] == lowest) {
        return;
    }
    memory_.pivots[feature] = lowest;
    const auto values = column(feature);
    for (const std::uint16_t slot : sorted(feature)) {
        memory_.rows[slot * row_stride() + feature] = values[slot] > lowest ? 1 : 0;
    }
}

// Equal values are ordered by arrival: the oldest example is the first of its equals, the newest
// the last.
void Window::insert_sorted(std::uint32_t feature, std::uint32_t slot) {
    const float* values = column(feature).data();
    std::uint16_t* sorted = sorted_from(feature);
    const std::uint32_t at = n_before<true>(values, sorted, size_, values[slot]);
    if (has_rows() && !is_missing(values[slot]) &&
        (at == 0 || values[sorted[at - 1]] != values[slot])) {
        ++memory_.n_distinct[feature];
    }
    std::copy_backward(sorted + at, sorted + size_, sorted + size_ + 1);
    sorted[at] = static_cast<std::uint16_t>(slot);
}

// Some columns are searched before the first of them is changed: searches do not wait for each
// other, changes do.
void Window::slide_sorted(std::uint32_t slot, std::span<const float> x) {
    constexpr std::uint32_t group = 8;
    std::uint32_t features[group];
    Move moves[group];
    std::uint32_t n = 0;
    for (std::uint32_t feature = 0; feature < n_features_; ++feature) {
        if (has_rows() && is_one_of_two(feature, x[feature])) {
            replace_one_of_two(feature, slot, x[feature]);
        } else {
            if (is_behind(feature)) {
                catch_up(feature);
            }
            moves[n] = find_move(feature, slot, x[feature]);
            features[n++] = feature;
        }
        if (n == group || feature + 1 == n_features_) {
            for (std::uint32_t i = 0; i < n; ++i) {
                if (has_rows()) {
                    memory_.n_lower[features[i]] = 0;
                    count_distinct(features[i], moves[i], x[features[i]]);
                }
                move(sorted_from(features[i]), moves[i].from, moves[i].to);
            }
            n = 0;
        }
    }
}

Window::Move Window::find_move(std::uint32_t feature, std::uint32_t slot, float value) const {
    const float* values = column(feature).data();
    const std::uint16_t* sorted = sorted_from(feature);
    if (size_ <= max_counted && !is_missing(value) && !is_missing(values[slot])) {
        const Counts counts = count_values(values, size_, values[slot], value);
        return {static_cast<std::uint32_t>(counts.n_smaller),
                static_cast<std::uint32_t>(counts.n_at_most)};
    }
    return {n_before<false>(values, sorted, size_, values[slot]),
            n_before<true>(values, sorted, size_, value)};
}

// Puts the slots of a feature of two values in order: the lower ones, then the others.
void Window::catch_up(std::uint32_t feature) const {
    const float* values = column(feature).data();
    std::uint16_t* sorted = sorted_from(feature);
    for (const bool is_upper : {false, true}) {
        for (std::uint32_t age = 0; age < size_; ++age) {
            const std::uint32_t at = slot(age);
            if ((values[at] != memory_.pivots[feature]) == is_upper) {
                *sorted++ = static_cast<std::uint16_t>(at);
            }
        }
    }
    memory_.uppers[feature] = std::numeric_limits<float>::quiet_NaN();
}

// Whether a feature has two values, none missing, and this is one of them.
bool Window::is_one_of_two(std::uint32_t feature, float value) {
    if (n_distinct(feature) != 2) {
        return false;
    }
    const float lower = memory_.pivots[feature];
    const float upper = highest(feature);
    std::uint16_t& n_lower = memory_.n_lower[feature];
    if (n_lower == 0 && !is_missing(upper)) {
        n_lower = static_cast<std::uint16_t>(
            n_before<true>(column(feature).data(), sorted_from(feature), size_, lower));
    }
    return n_lower > 0 && (value == lower || value == upper);
}

void Window::replace_one_of_two(std::uint32_t feature, std::uint32_t slot, float value) {
    memory_.uppers[feature] = highest(feature);
    const bool was_lower = byte_row(slot)[feature] == 0;
    const bool is_lower = value == memory_.pivots[feature];
    const std::uint32_t n_lower =
        memory_.n_lower[feature] + (is_lower ? 1U : 0U) - (was_lower ? 1U : 0U);
    memory_.n_lower[feature] = static_cast<std::uint16_t>(n_lower);
    memory_.n_distinct[feature] = n_lower == 0 || n_lower == size_ ? 1 : 2;
}

void Window::count_distinct(std::uint32_t feature, const Move& move, float value) {
    const auto [from, to] = move;
    const float* values = column(feature).data();
    const std::uint16_t* sorted = sorted_from(feature);
    const float oldest = values[sorted[from]];
    const bool was_alone = from + 1 == size_ || values[sorted[from + 1]] != oldest;
    const int gone = was_alone && !is_missing(oldest) ? 1 : 0;
    const std::uint32_t n_others = to > 0 && to - 1 == from ? from : to;
    const bool is_alone = n_others == 0 || values[sorted[n_others - 1]] != value;
    const int come = is_alone && !is_missing(value) ? 1 : 0;
    std::uint16_t& n_distinct = memory_.n_distinct[feature];
    n_distinct = static_cast<std::uint16_t>(n_distinct - gone + come);
}

}  // namespace shrubs
