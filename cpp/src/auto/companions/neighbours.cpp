#include "shrubs/auto/companions/neighbours.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/auto/companions/buckets.hpp"
#include "shrubs/simd/bytes.hpp"
#include "shrubs/simd/dispatch.hpp"

namespace shrubs {

namespace {

// Slots that are measured at once.
constexpr std::size_t block_size = 512;

std::uint8_t as_byte(const FeatureScale& scale, std::size_t feature, float value) {
    if (says_nothing(value, scale.is_nominal(feature))) {
        return Neighbours::missing;
    }
    if (scale.is_nominal(feature)) {
        return static_cast<std::uint8_t>(bucket_of(feature, value, Neighbours::n_categories));
    }
    constexpr double largest = Neighbours::missing - 1.0;
    const double deviations = (value - scale.mean(feature)) * scale.inverse_deviation(feature);
    return static_cast<std::uint8_t>(
        std::clamp(deviations * Neighbours::unit + 0.5 * (largest + 1.0), 0.0, largest));
}

// The bytes of a feature by slot, and the one that is asked for. Either both are the same or they
// are far from each other.
struct Column {
    const std::uint8_t* values;
    std::uint8_t asked;
};

// Of neighbouring slots, how many of some features are far; at most as many as a byte counts. The
// last slots may begin before those before them end.
[[gnu::always_inline]] inline void count_far_portably(std::span<const Column> columns,
                                                      std::span<std::uint8_t> n_far) {
    using Bytes = SixteenBytes;
    constexpr std::size_t n_bytes = 2;
    constexpr std::size_t at_once = n_bytes * Bytes::size;
    if (n_far.size() < at_once) {
        for (std::size_t i = 0; i < n_far.size(); ++i) {
            n_far[i] = static_cast<std::uint8_t>(std::ranges::count_if(
                columns, [&](const Column& column) { return column.values[i] != column.asked; }));
        }
        return;
    }
    for (std::size_t begin = 0; begin < n_far.size(); begin += at_once) {
        const std::size_t first = std::min(begin, n_far.size() - at_once);
        Bytes far[n_bytes];
        for (Bytes& count : far) {
            count = Bytes::all(static_cast<std::uint8_t>(columns.size()));
        }
        for (const Column& column : columns) {
            const Bytes asked = Bytes::all(column.asked);
            for (std::size_t k = 0; k < n_bytes; ++k) {  // equal ones are -1
                far[k] = far[k] + (Bytes::load(column.values + first + k * Bytes::size) == asked);
            }
        }
        for (std::size_t k = 0; k < n_bytes; ++k) {
            far[k].store(n_far.data() + first + k * Bytes::size);
        }
    }
}

// In sixteen bits, of which twice as many stand side by side.
[[gnu::always_inline]] inline void add_squares_portably(std::uint8_t asked,
                                                        std::span<const std::uint8_t> values,
                                                        std::uint32_t* distances) {
    constexpr std::uint16_t far = Neighbours::far;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto difference = static_cast<std::int16_t>(values[i] - asked);
        const auto square = static_cast<std::uint16_t>(difference * difference);
        distances[i] += values[i] == Neighbours::missing ? far : square;
    }
}

#ifdef SHRUBS_AVX2
[[gnu::target("avx2")]] void add_squares_avx2(std::uint8_t asked,
                                              std::span<const std::uint8_t> values,
                                              std::uint32_t* distances) {
    add_squares_portably(asked, values, distances);
}
[[gnu::target("avx2"), gnu::flatten]] void count_far_avx2(std::span<const Column> columns,
                                                          std::span<std::uint8_t> n_far) {
    count_far_portably(columns, n_far);
}
#endif

void count_far(std::span<const Column> columns, std::span<std::uint8_t> n_far) {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        return count_far_avx2(columns, n_far);
    }
#endif
    count_far_portably(columns, n_far);
}

void add_squares(std::uint8_t asked, std::span<const std::uint8_t> values,
                 std::uint32_t* distances) {
#ifdef SHRUBS_AVX2
    if (has_avx2()) {
        return add_squares_avx2(asked, values, distances);
    }
#endif
    add_squares_portably(asked, values, distances);
}

// The nearest so far, by distance.
class Nearest {
 public:
    std::uint32_t farthest() const { return distances_.back(); }
    // Requires that it is nearer than the farthest.
    void insert(std::uint32_t distance, std::uint16_t label) {
        std::size_t at = distances_.size() - 1;
        for (; at > 0 && distance < distances_[at - 1]; --at) {
            distances_[at] = distances_[at - 1];
            labels_[at] = labels_[at - 1];
        }
        distances_[at] = distance;
        labels_[at] = label;
        n_ = std::min(n_ + 1, labels_.size());
    }
    std::span<const std::uint16_t> labels() const { return std::span(labels_).first(n_); }

 private:
    static constexpr std::size_t most = Neighbours::votes.size();
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::array<std::uint32_t, most> distances_ = {none, none, none, none, none};
    std::array<std::uint16_t, most> labels_{};
    std::size_t n_ = 0;
};

}  // namespace

Neighbours::Memory Neighbours::reserve(Arena& arena, const CompanionSizes& sizes) {
    const std::uint64_t n = sizes.n_neighbours;
    const std::uint64_t k = n_compared(sizes.n_features);
    return {.values = arena.array<std::uint8_t>(Purpose::weights, k * n),
            .labels = arena.array<std::uint16_t>(Purpose::weights, n),
            .features = arena.array<std::uint16_t>(Purpose::weights, k),
            .tells = arena.array<std::uint8_t>(Purpose::weights, k),
            .asked = arena.array<std::uint8_t>(Purpose::scratch, k)};
}

void Neighbours::begin(const Memory& memory, const CompanionSizes& sizes) {
    memory_ = memory;
    n_features_ = sizes.n_features;
    n_classes_ = sizes.width;
    const std::size_t k = memory_.features.size();
    for (std::size_t i = 0; i < k; ++i) {
        memory_.features[i] = static_cast<std::uint16_t>(i * n_features_ / k);
    }
    std::ranges::fill(memory_.tells, std::uint8_t{1});
}

void Neighbours::predict(const Question& question, std::span<double> scratch,
                         std::span<float> prediction) const {
    for (std::size_t i = 0; i < memory_.asked.size(); ++i) {
        const std::uint16_t feature = memory_.features[i];
        memory_.asked[i] = as_byte(question.scale, feature, question.x[feature]);
    }
    Nearest nearest;
    std::array<std::uint32_t, block_size> block;  // of neighbouring slots
    for (std::uint32_t back = question.lag; back < size_;) {
        const std::size_t end = slot(back) + std::size_t{1};
        const std::size_t n = std::min<std::size_t>({block.size(), end, size_ - back});
        measure(question.scale, end - n, std::span(block).first(n));
        for (std::size_t i = 1; i <= n; ++i) {  // the newest first
            if (block[n - i] < nearest.farthest() && memory_.labels[end - i] != nobody) {
                nearest.insert(block[n - i], memory_.labels[end - i]);
            }
        }
        back += static_cast<std::uint32_t>(n);
    }
    std::ranges::fill(scratch, prior / n_classes_);
    double total = prior;
    for (std::size_t i = 0; i < nearest.labels().size(); ++i) {
        scratch[nearest.labels()[i]] += votes[i];
        total += votes[i];
    }
    std::ranges::transform(scratch, prediction.begin(),
                           [&](double vote) { return static_cast<float>(vote / total); });
}

// Of the examples in slots from this one on. Values that only differ are counted in bytes.
void Neighbours::measure(const FeatureScale& scale, std::size_t first,
                         std::span<std::uint32_t> distances) const {
    std::array<Column, max_compared> columns;
    std::size_t n_columns = 0;
    std::ranges::fill(distances, 0U);
    for (std::size_t i = 0; i < memory_.asked.size(); ++i) {
        if (!tells(i)) {
            continue;
        }
        const std::uint8_t asked = memory_.asked[i];
        const auto column = values(i).subspan(first, distances.size());
        if (!scale.is_nominal(memory_.features[i]) && asked != missing) {
            add_squares(asked, column, distances.data());
        } else {
            columns[n_columns++] = {column.data(), asked};
        }
    }
    if (n_columns > 0) {
        std::array<std::uint8_t, block_size> n_far;
        count_far(std::span(columns).first(n_columns), std::span(n_far).first(distances.size()));
        for (std::size_t i = 0; i < distances.size(); ++i) {
            distances[i] += far * n_far[i];
        }
    }
}

// The example at hand.
void Neighbours::add(std::uint16_t label) {
    for (std::size_t i = 0; i < memory_.asked.size(); ++i) {
        values(i)[next_] = memory_.asked[i];
    }
    memory_.labels[next_] = label;
    next_ = next_ + 1 < capacity() ? next_ + 1 : 0;
    size_ = std::min(size_ + 1, capacity());
}

std::size_t Neighbours::column_of(std::size_t feature) const {
    return static_cast<std::size_t>(std::ranges::find(memory_.features, feature) -
                                    memory_.features.begin());
}

void Neighbours::compare_by(std::span<const std::uint16_t> features, const Window& window,
                            const FeatureScale& scale) {
    const auto is_meant = [&](std::uint16_t feature) {
        return std::ranges::find(features, feature) != features.end();
    };
    for (const std::uint16_t feature : features) {
        if (column_of(feature) == memory_.features.size()) {
            const auto spare = std::ranges::find_if_not(memory_.features, is_meant);
            give_column(static_cast<std::size_t>(spare - memory_.features.begin()), feature, window,
                        scale);
        }
    }
    std::ranges::transform(memory_.features, memory_.tells.begin(), [&](std::uint16_t feature) {
        return features.empty() || is_meant(feature) ? std::uint8_t{1} : std::uint8_t{0};
    });
}

void Neighbours::give_column(std::size_t column, std::uint16_t feature, const Window& window,
                             const FeatureScale& scale) {
    memory_.features[column] = feature;
    std::ranges::fill(values(column), missing);
    const Window::Values known = window.values(feature);
    for (std::uint32_t back = 0; back < std::min(size_, window.size()); ++back) {
        values(column)[slot(back)] =
            as_byte(scale, feature, known[window.slot(window.size() - 1 - back)]);
    }
}

void Neighbours::forget_feature(std::size_t feature) {
    const std::size_t column = column_of(feature);
    if (column < memory_.features.size()) {
        std::ranges::fill(values(column), missing);
    }
}

void Neighbours::renumber_classes(ClassNumbers now) {
    for (std::uint16_t& label : memory_.labels) {
        label = label == nobody ? nobody : now[label];
    }
}

// The oldest first.
void Neighbours::archive(Archive& archive) {
    if (memory_.features.size() < n_features_) {
        archive.array(memory_.features, [&](std::uint16_t feature) {
            return feature < n_features_ && std::ranges::count(memory_.features, feature) == 1;
        });
        archive.array(memory_.tells, [](std::uint8_t tells) { return tells <= 1; });
    }
    std::uint32_t n = size_;
    archive.value(n);
    archive.require(n <= capacity());
    for (std::uint32_t age = 0; age < n && archive.ok(); ++age) {
        const std::uint32_t at = archive.reads() ? age : slot(n - 1 - age);
        for (std::size_t i = 0; i < memory_.asked.size(); ++i) {
            archive.value(values(i)[at]);
        }
        std::uint16_t& its_label = memory_.labels[at];
        archive.value(its_label);
        archive.require(its_label < n_classes_ || its_label == nobody);
    }
    if (archive.reads() && archive.ok()) {
        size_ = n;
        next_ = n < capacity() ? n : 0;
    }
}

void Neighbours::copy_from(const Neighbours& other) {
    if (other.memory_.features.size() == memory_.features.size()) {
        std::ranges::copy(other.memory_.features, memory_.features.begin());
        std::ranges::copy(other.memory_.tells, memory_.tells.begin());
    }
    if (other.memory_.values.size() == memory_.values.size() && other.capacity() == capacity()) {
        std::ranges::copy(other.memory_.values, memory_.values.begin());
        std::ranges::copy(other.memory_.labels, memory_.labels.begin());
        size_ = other.size_;
        next_ = other.next_;
        return;
    }
    for (std::uint32_t back = std::min(other.size_, capacity()); back > 0; --back) {
        for (std::size_t i = 0; i < memory_.asked.size(); ++i) {
            const std::size_t column = other.column_of(memory_.features[i]);
            const bool is_known = column < other.memory_.features.size();
            memory_.asked[i] = is_known ? other.value(back - 1, column) : missing;
        }
        add(other.label(back - 1));
    }
}

}  // namespace shrubs
