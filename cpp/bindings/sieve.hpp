#pragma once

// Looks for the features that tell something among more than there are columns for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shrubs::bindings {

/// What came of an example, as far as a sieve looks at it.
struct SiftedOutcome {
    std::uint32_t label = 0;
    std::optional<double> target;  ///< in a regression
    bool is_surprise = false;      ///< another class was predicted, or a smaller target
};

/// A feature on trial: how often its values, in four ranges, came with some of the classes (or
/// large targets), and with a surprise.
struct Trial {
    static constexpr std::size_t n_ranges = 4;
    using Counts = std::array<std::uint8_t, n_ranges>;

    /// Its first values, NaN before they came; ascending once all did.
    std::array<float, n_ranges - 1> bounds{std::numeric_limits<float>::quiet_NaN(),
                                           std::numeric_limits<float>::quiet_NaN(),
                                           std::numeric_limits<float>::quiet_NaN()};
    Counts n{};
    Counts n_high{};
    Counts n_surprises{};
    std::uint16_t mask = 1;  ///< a class is high if it has an odd number of these bits
    std::uint8_t has_numbers = 0;
    std::uint8_t has_texts = 0;

    std::uint32_t total() const;
    /// Whether a count can grow no more.
    bool is_over() const;
    void see(float value, bool is_high, bool is_surprise);
    /// Chi squared of what depends on it more, labels or surprises.
    double score() const;
};

class Sieve {
 public:
    /// Every so many examples those on trial are judged.
    static constexpr std::uint32_t interval = 32;

    /// A feature without a column, known by its position or by a digest of its name.
    struct Candidate {
        std::uint32_t id = 0;
        Trial trial;
    };
    /// One that deserves a column.
    struct Call {
        std::uint32_t id;
        std::uint32_t has_texts;
        double score;
    };

    Sieve(std::uint32_t n_slots, std::uint32_t n_columns);

    std::uint32_t n_slots() const { return n_slots_; }
    std::uint32_t n_left() const { return interval - n_seen_; }  ///< until they are judged
    std::span<const Call> calls() const { return calls_; }
    double standing(std::size_t column) const {
        return column < columns_.size() ? columns_[column].standing : 0.0;
    }

    // An example: who wants to be on trial, if somebody new is; its values; its end.
    bool wants_newcomers() const { return n_seen_ == 0; }
    void take_in(std::vector<std::uint32_t> ids);
    std::span<const Candidate> candidates() const { return candidates_; }
    std::optional<std::size_t> find(std::uint32_t id) const;
    void see_candidate(std::size_t at, float value, bool is_text, const SiftedOutcome& outcome);
    void see_column(std::size_t column, float value, const SiftedOutcome& outcome);
    void end(const SiftedOutcome& outcome);

    /// A call is answered: its feature has this column now, or gets none.
    void answer(std::uint32_t id, std::optional<std::uint32_t> column);

    std::size_t memory_bytes() const { return bytes_for(n_slots_, n_columns_); }
    static std::size_t bytes_for(std::size_t n_slots, std::size_t n_columns);

    std::string to_bytes() const;
    /// Nothing for bytes that are no sieve of at most so many columns.
    static std::optional<Sieve> from_bytes(std::string_view bytes, std::size_t n_features);

 private:
    struct Column {
        Trial trial;
        double standing = 0.0;  ///< the best score, forgotten slowly
    };
    template <class Self, class Each>
    static bool for_each_part(Self& self, Each each);
    bool is_sound(std::size_t n_features) const;
    Trial begin();
    bool is_high(const Trial& trial, const SiftedOutcome& outcome) const;
    void judge();

    std::uint32_t n_slots_;
    std::uint32_t n_columns_;
    std::uint32_t n_seen_ = 0;                                  ///< since they were judged last
    std::uint32_t n_begun_ = 0;                                 ///< trials
    std::uint32_t cursor_ = 0;                                  ///< the one after it is next
    double centre_ = std::numeric_limits<double>::quiet_NaN();  ///< of the last targets
    std::vector<Candidate> candidates_;                         ///< in ascending order
    std::vector<Column> columns_;
    std::vector<Call> calls_;
};

}  // namespace shrubs::bindings
