#include "sieve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace shrubs::bindings {

namespace {

// A score below the first ends a trial, one from the second on deserves a column. The trial of a
// column begins again after so many values.
constexpr double dull = 5.0;
constexpr double telling = 20.0;
constexpr std::uint32_t renewed = 256;
constexpr std::uint8_t most_counted = 255;
constexpr double forgetting = 0.995;
constexpr double centre_forgetting = 1.0 / 64;
constexpr std::size_t max_calls = 8;
constexpr std::size_t allocator_bytes = 32;

bool is_nan(float value) {
    return value != value;
}

double chi_squared(const Trial& trial, const Trial::Counts& counts) {
    std::uint32_t sum = 0;
    for (const std::uint8_t count : counts) {
        sum += count;
    }
    const std::uint32_t total = trial.total();
    if (sum == 0 || sum == total) {
        return 0.0;
    }
    const double share = static_cast<double>(sum) / total;
    const double variance = share * (1.0 - share);
    double result = 0.0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (trial.n[i] > 0) {
            const double difference = counts[i] - trial.n[i] * share;
            result += difference * difference / (trial.n[i] * variance);
        }
    }
    return result;
}

}  // namespace

std::uint32_t Trial::total() const {
    std::uint32_t sum = 0;
    for (const std::uint8_t count : n) {
        sum += count;
    }
    return sum;
}

// A value that equals bounds is between them, so that few different values are told apart.
void Trial::see(float value, bool is_high, bool is_surprise) {
    if (is_nan(value)) {
        return;
    }
    if (const auto next = std::ranges::find_if(bounds, is_nan); next != bounds.end()) {
        *next = value;
        if (!is_nan(bounds.back())) {
            std::ranges::sort(bounds);
        }
        return;
    }
    std::size_t twice = 1;
    for (const float bound : bounds) {
        twice += (bound < value ? 1U : 0U) + (bound <= value ? 1U : 0U);
    }
    const std::size_t range = twice / 2;
    if (n[range] < most_counted) {
        ++n[range];
        n_high[range] = static_cast<std::uint8_t>(n_high[range] + (is_high ? 1 : 0));
        n_surprises[range] = static_cast<std::uint8_t>(n_surprises[range] + (is_surprise ? 1 : 0));
    }
}

bool Trial::is_over() const {
    return std::ranges::find(n, most_counted) != n.end();
}

double Trial::score() const {
    return std::max(chi_squared(*this, n_high), chi_squared(*this, n_surprises));
}

Sieve::Sieve(std::uint32_t n_slots, std::uint32_t n_columns)
    : n_slots_(n_slots), n_columns_(n_columns) {
    candidates_.reserve(n_slots);
    columns_.reserve(n_columns);
    calls_.reserve(max_calls);
}

std::size_t Sieve::bytes_for(std::size_t n_slots, std::size_t n_columns) {
    return sizeof(Sieve) + n_slots * sizeof(Candidate) + n_columns * sizeof(Column) +
           max_calls * sizeof(Call) + 4 * allocator_bytes;
}

// With two classes always one of them is high.
Trial Sieve::begin() {
    Trial trial;
    trial.mask = static_cast<std::uint16_t>((n_begun_++ * 0x9E3779B1U) >> 16U | 1U);
    return trial;
}

bool Sieve::is_high(const Trial& trial, const SiftedOutcome& outcome) const {
    return outcome.target ? *outcome.target > centre_
                          : std::popcount(outcome.label & trial.mask) % 2 == 1;
}

std::optional<std::size_t> Sieve::find(std::uint32_t id) const {
    const auto at = std::ranges::lower_bound(candidates_, id, {}, &Candidate::id);
    return at != candidates_.end() && at->id == id
               ? std::optional<std::size_t>(at - candidates_.begin())
               : std::nullopt;
}

// Round and round, in the order of their numbers.
void Sieve::take_in(std::vector<std::uint32_t> ids) {
    std::ranges::sort(ids);
    const auto doubles = std::ranges::unique(ids);
    ids.erase(doubles.begin(), doubles.end());
    std::erase_if(ids, [&](std::uint32_t id) { return find(id).has_value(); });
    const auto next = std::ranges::upper_bound(ids, cursor_);
    std::ranges::rotate(ids, next);
    ids.resize(std::min<std::size_t>(ids.size(), n_slots_ - candidates_.size()));
    candidates_.reserve(n_slots_);  // a copy has less
    for (const std::uint32_t id : ids) {
        candidates_.push_back({.id = id, .trial = begin()});
        cursor_ = id;
    }
    std::ranges::sort(candidates_, {}, &Candidate::id);
}

void Sieve::see_candidate(std::size_t at, float value, bool is_text, const SiftedOutcome& outcome) {
    Trial& trial = candidates_[at].trial;
    if (!is_nan(value)) {
        (is_text ? trial.has_texts : trial.has_numbers) = 1;
        trial.see(value, is_high(trial, outcome), outcome.is_surprise);
    }
}

void Sieve::see_column(std::size_t column, float value, const SiftedOutcome& outcome) {
    columns_.reserve(n_columns_);
    while (columns_.size() <= column && columns_.size() < n_columns_) {
        columns_.push_back({.trial = begin()});
    }
    if (column < columns_.size()) {
        Trial& trial = columns_[column].trial;
        trial.see(value, is_high(trial, outcome), outcome.is_surprise);
    }
}

void Sieve::end(const SiftedOutcome& outcome) {
    if (outcome.target) {
        const double target = *outcome.target;
        centre_ = std::isnan(centre_)
                      ? target
                      : centre_ - centre_ * centre_forgetting + target * centre_forgetting;
    }
    if (++n_seen_ == interval) {
        n_seen_ = 0;
        judge();
    }
}

void Sieve::judge() {
    for (Column& column : columns_) {
        column.standing = std::max(column.standing * forgetting, column.trial.score());
        if (column.trial.total() >= renewed || column.trial.is_over()) {
            column.trial = begin();
        }
    }
    std::vector<Call> calls;
    std::erase_if(candidates_, [&](const Candidate& candidate) {
        const Trial& trial = candidate.trial;
        const bool is_mixed = trial.has_numbers != 0 && trial.has_texts != 0;
        const double score = is_mixed ? 0.0 : trial.score();
        if (score >= telling) {
            calls.push_back({candidate.id, trial.has_texts, score});
        }
        return score < dull || trial.is_over();
    });
    std::ranges::stable_sort(calls, std::ranges::greater(), &Call::score);
    calls.resize(std::min(calls.size(), max_calls));
    calls_.assign(calls.begin(), calls.end());
}

void Sieve::answer(std::uint32_t id, std::optional<std::uint32_t> column) {
    const auto call = std::ranges::find(calls_, id, &Call::id);
    if (call == calls_.end()) {
        return;
    }
    if (column && *column < columns_.size()) {
        columns_[*column] = {.trial = begin(), .standing = call->score};
    }
    calls_.erase(call);
    std::erase_if(candidates_, [&](const Candidate& each) { return each.id == id; });
}

// -- saving --------------------------------------------------------------------------------------

// Everything in one order; false if a part is not what it should be.
template <class Self, class Each>
bool Sieve::for_each_part(Self& self, Each each) {
    const auto all = [&](auto& list, std::size_t most, auto part) {
        auto size = static_cast<std::uint32_t>(list.size());
        if (!each(size) || size > most) {
            return false;
        }
        if constexpr (!std::is_const_v<Self>) {
            list.resize(size);
        }
        return std::ranges::all_of(list, part);
    };
    const auto trial = [&](auto& it) {
        return each(it.bounds) && each(it.n) && each(it.n_high) && each(it.n_surprises) &&
               each(it.mask) && each(it.has_numbers) && each(it.has_texts);
    };
    return each(self.n_seen_) && each(self.n_begun_) && each(self.cursor_) && each(self.centre_) &&
           all(self.candidates_, self.n_slots_,
               [&](auto& it) { return each(it.id) && trial(it.trial); }) &&
           all(self.columns_, self.n_columns_,
               [&](auto& it) { return trial(it.trial) && each(it.standing); }) &&
           all(self.calls_, max_calls,
               [&](auto& it) { return each(it.id) && each(it.has_texts) && each(it.score); });
}

std::string Sieve::to_bytes() const {
    std::string bytes;
    const auto write = [&](const auto& value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        return true;
    };
    write(n_slots_);
    write(n_columns_);
    for_each_part(*this, write);
    return bytes;
}

std::optional<Sieve> Sieve::from_bytes(std::string_view bytes, std::size_t n_features) {
    const auto read = [&](auto& value) {
        if (bytes.size() < sizeof value) {
            return false;
        }
        std::memcpy(&value, bytes.data(), sizeof value);
        bytes.remove_prefix(sizeof value);
        return true;
    };
    constexpr std::uint32_t largest = 1U << 16U;
    std::uint32_t n_slots = 0;
    std::uint32_t n_columns = 0;
    if (!read(n_slots) || !read(n_columns) || n_slots > largest || n_columns > largest) {
        return std::nullopt;
    }
    Sieve sieve(n_slots, n_columns);
    if (!for_each_part(sieve, read) || !bytes.empty() || !sieve.is_sound(n_features)) {
        return std::nullopt;
    }
    return sieve;
}

bool Sieve::is_sound(std::size_t n_features) const {
    const auto is_number = [](double value) { return value >= 0.0 && std::isfinite(value); };
    const auto is_trial = [](const Trial& it) {
        bool is_fine = it.mask % 2 == 1 && it.has_texts <= 1 && it.has_numbers <= 1 &&
                       std::ranges::none_of(it.bounds, [](float b) { return std::isinf(b); }) &&
                       (it.total() == 0 || std::ranges::is_sorted(it.bounds));
        for (std::size_t i = 0; i < Trial::n_ranges; ++i) {
            is_fine = is_fine && it.n_high[i] <= it.n[i] && it.n_surprises[i] <= it.n[i];
        }
        return is_fine;
    };
    return n_seen_ < interval && !std::isinf(centre_) && columns_.size() <= n_features &&
           std::ranges::all_of(
               columns_,
               [&](const Column& it) { return is_trial(it.trial) && is_number(it.standing); }) &&
           std::ranges::all_of(
               candidates_, [&](const Candidate& it) { return is_trial(it.trial); }) &&
           std::ranges::adjacent_find(candidates_, std::ranges::greater_equal(), &Candidate::id) ==
               candidates_.end() &&
           std::ranges::all_of(
               calls_, [&](const Call& it) { return is_number(it.score) && it.has_texts <= 1; });
}

}  // namespace shrubs::bindings
