#pragma once

// What a learner knows about its features and classes: names, categories, labels.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "keys.hpp"
#include "sieve.hpp"
#include "vocabulary.hpp"

namespace shrubs::bindings {

/// The bytes that names of features and texts of categories may take, and a single text: longer
/// ones are known by their digests. Of few keys each takes less.
struct Room {
    std::uint32_t names = 0;
    std::uint32_t categories = 0;
    std::uint32_t longest_key = UINT32_MAX;
    std::uint32_t n_waiting = 0;  ///< so many names and labels are remembered
    bool is_for_few = false;      ///< names and labels together are at most `Vocabulary::few_keys`
};

/// What there was no room for.
struct GivenUp {
    std::uint64_t forgotten_features = 0;
    std::uint64_t forgotten_classes = 0;
    std::uint64_t left_out = 0;     ///< new features, when somebody looked last
    std::uint64_t passed_over = 0;  ///< features that came once

    bool is_serious() const { return forgotten_features + forgotten_classes + left_out > 0; }
};

/// A pointer whose copies point to copies.
template <class T>
class CopiedPointer {
 public:
    CopiedPointer() = default;
    CopiedPointer(const CopiedPointer& other) { *this = other; }
    CopiedPointer(CopiedPointer&&) = default;
    CopiedPointer& operator=(const CopiedPointer& other) {
        own_ = other ? std::make_unique<T>(*other) : nullptr;
        return *this;
    }
    CopiedPointer& operator=(CopiedPointer&&) = default;
    ~CopiedPointer() = default;
    explicit operator bool() const { return own_ != nullptr; }
    T& operator*() const { return *own_; }
    T* operator->() const { return own_.get(); }
    T* get() const { return own_.get(); }
    template <class... Arguments>
    void make(Arguments&&... arguments) {
        own_ = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    }
    void reset() { own_.reset(); }

 private:
    std::unique_ptr<T> own_;
};

class Tables {
 public:
    Tables() = default;
    /// Of a learner that has begun: `names` None where features have none, `categories` a list or
    /// None per column. Raises ValueError or TypeError for what does not fit together.
    Tables(const nanobind::object& names, const nanobind::bytes& nominal,
           const nanobind::list& categories, const nanobind::list& labels);

    std::size_t n_features() const { return nominal_.size(); }
    std::size_t n_classes() const { return labels_.size(); }
    /// Whether features come by name; undecided before the first example.
    std::optional<bool> named() const { return named_; }
    void set_named(bool named) { named_ = named; }
    /// Whether there are names as the parts of dates have them.
    bool has_dates() const { return has_dates_; }
    std::span<const std::uint8_t> nominal() const { return nominal_; }
    /// Whether the categories of a nominal feature have names; otherwise they are codes.
    bool has_texts(std::size_t column) const { return n_categories_[column] != no_texts; }

    void set_room(const Room& room);

    std::optional<std::uint32_t> column(nanobind::handle name) const;
    /// Where its text is not kept, a category has a code that follows from the text alone, or
    /// `no_code` in a feature that looks like a number of the example. Raises TypeError for what
    /// can be no category.
    static constexpr std::uint32_t no_code = UINT32_MAX;
    std::optional<std::uint32_t> category(std::size_t column, nanobind::handle value) const;
    static std::uint32_t unnamed_code(const PlainKey& key);
    std::optional<std::uint32_t> class_of(nanobind::handle label) const;

    /// The name of a column, or its position.
    nanobind::object name_of(std::size_t column) const;
    nanobind::object label(std::size_t index) const;
    nanobind::object names() const;
    nanobind::list labels() const;
    /// Per column the list of its categories, or None.
    nanobind::list categories() const;

    /// One feature more; its name is None where features have no names.
    void add_feature(nanobind::handle name, bool nominal, bool texts);
    /// `n_seen` examples came before.
    void add_category(std::size_t column, nanobind::handle value, std::uint64_t n_seen);
    /// Returns its class; a label that is known stays where it is.
    std::uint32_t add_label(nanobind::handle label);

    // Where room is bounded:

    /// Whether there is room for a name, if that of a column goes first.
    bool has_room_for(nanobind::handle name, std::optional<std::uint32_t> instead_of) const;
    bool is_full_of_names() const;
    /// Which of many new names fit, tried in this order, as if they came one by one; at most `max`.
    std::vector<std::uint32_t> choose(const nanobind::list& names,
                                      const std::vector<std::uint32_t>& order,
                                      std::size_t max) const;
    /// The column becomes that of another feature of the same kind, with its name or position, if
    /// such count; it has no categories yet.
    void replace_feature(std::uint32_t column, nanobind::handle name, bool texts,
                         std::optional<std::uint32_t> position = std::nullopt);
    /// From now on features without a column are looked at too.
    void begin_sieve(std::uint32_t n_slots, std::uint32_t n_columns);
    Sieve* sieve() const { return bounded_ ? bounded_->sieve.get() : nullptr; }
    void answer_call(std::uint32_t id, std::optional<std::uint32_t> column);
    bool has_calls() const { return sieve() != nullptr && !sieve()->calls().empty(); }
    /// The same for prediction alone.
    Tables without_sieve() const;
    /// The label that it was waits from now on.
    void replace_label(std::uint32_t index, nanobind::handle label);
    /// Lets classes go, whose labels wait from now on; others take their numbers. Returns the
    /// number of each, -1 if it went.
    std::vector<std::int64_t> remove_labels(const std::vector<std::uint32_t>& indices);
    /// A class came with one example so far, until another one comes. Classes that were announced,
    /// or had to go and came again, never did.
    bool came_once(std::size_t index) const { return (labels_[index] & once_bit) != 0; }
    void set_once(std::size_t index) { labels_[index] |= once_bit; }
    void note(std::size_t index) { labels_[index] &= ~once_bit; }
    /// Whether a label waits for a class; it does no longer.
    bool has_given_way(nanobind::handle label);
    /// The class that was new last.
    std::optional<std::uint32_t> newcomer() const {
        return bounded_ && bounded_->newcomer != no_class ? std::optional(bounded_->newcomer)
                                                          : std::nullopt;
    }
    void set_newcomer(std::optional<std::uint32_t> index);
    /// Whether a name waits for a column, having come before; if not, it waits from now on.
    bool has_waited(nanobind::handle name);
    /// Whether the categories of a feature that are new have no texts.
    bool is_closed(std::size_t column) const {
        return has_texts(column) && (n_categories_[column] & closed_bit) != 0;
    }
    /// Whether it is, and nearly every category until then was new, so that the next will be.
    bool is_ever_new(std::size_t column) const {
        return has_texts(column) && (n_categories_[column] & ever_new_bit) != 0;
    }

    /// Of rows without names of which not all values are kept: how many they have, and which are
    /// kept; one per feature.
    void keep(std::size_t width, std::vector<std::uint32_t> positions);
    std::size_t width() const { return kept().empty() ? n_features() : bounded_->width; }
    std::span<const std::uint32_t> kept() const {
        return bounded_ ? std::span<const std::uint32_t>(bounded_->kept)
                        : std::span<const std::uint32_t>();
    }
    std::size_t position(std::size_t column) const {
        return kept().empty() ? column : bounded_->kept[column];
    }

    GivenUp given_up() const { return bounded_ ? bounded_->given_up : GivenUp(); }
    void set_left_out(std::uint64_t n);
    bool has_given_up() const;
    /// No column can become free before so many examples were seen.
    std::uint64_t full_until() const { return bounded_ ? bounded_->full_until : 0; }
    void set_full_until(std::uint64_t examples_seen);

    /// All that is not in the other lists, for `restore`.
    nanobind::tuple crowd() const;
    /// Raises ValueError for what does not fit together.
    void restore(const nanobind::tuple& crowd);

    /// What there was at some moment, for `go_back_to`.
    struct Mark {
        std::size_t n_keys;
        std::size_t n_features;
        std::optional<bool> named;
        std::vector<std::uint32_t> waiting;
        std::optional<std::uint32_t> newcomer;
        GivenUp given_up;
        bool has_sieve;
    };
    Mark mark();
    void go_back_to(const Mark& mark);
    /// What was marked last is not needed any more.
    void settle();

    /// Follows from the contents alone.
    std::size_t memory_bytes() const;

 private:
    static constexpr std::uint32_t no_texts = UINT32_MAX;
    static constexpr std::uint32_t no_class = UINT32_MAX;
    static constexpr std::uint32_t closed_bit = std::uint32_t{1} << 31U;
    static constexpr std::uint32_t ever_new_bit = std::uint32_t{1} << 30U;
    static constexpr std::uint32_t once_bit = std::uint32_t{1} << 31U;
    /// Codes from here on stand for categories without texts, as in companions/buckets.hpp.
    static constexpr std::uint32_t first_unnamed = 8388608;
    /// Arrays grow by so many entries.
    static constexpr std::size_t feature_step = 8;
    static constexpr std::size_t label_step = 2;
    static constexpr std::size_t waiting_step = 8;

    /// What only those need who have not room for everything.
    struct Bounded {
        Room room;
        std::uint32_t names_cost = 0;
        std::uint32_t categories_cost = 0;
        std::vector<std::uint32_t> waiting;  ///< digests of names and labels, the newest first
        std::vector<std::uint32_t> kept;     ///< positions
        std::uint32_t newcomer = no_class;
        std::uint32_t width = 0;  ///< of a row without names, if not all is kept
        GivenUp given_up;
        std::uint64_t full_until = 0;
        CopiedPointer<Sieve> sieve;            ///< nothing where no features look for a column
        std::shared_ptr<const Tables> before;  ///< as it was when something was taken out
    };
    enum Space : std::uint32_t { names_space, labels_space, categories_space };
    static std::uint32_t space_of(const Vocabulary::Entry& entry) {
        return entry.list / n_key_kinds;
    }
    std::optional<std::uint32_t> find(std::uint32_t space, const PlainKey& key) const;
    void add(std::uint32_t space, const PlainKey& key, std::uint32_t index);
    std::uint64_t cost_of(std::size_t n_bytes) const;
    void count(std::uint32_t space, std::size_t n_bytes, bool more);
    void count_again();
    nanobind::object value(std::size_t entry) const;
    PlainKey read_name(nanobind::handle name) const;
    PlainKey read_label(nanobind::handle label) const;
    bool is_long(const PlainKey& key) const;
    std::uint32_t n_categories(std::size_t column) const {
        return n_categories_[column] & ~(closed_bit | ever_new_bit);
    }
    bool has_no_room_for(std::size_t column, const PlainKey& category) const;
    void bound();
    void let_wait(std::uint32_t digest);
    bool let_in(std::uint32_t digest);
    void remember();
    void remove_keys(std::uint32_t space, std::uint32_t index);
    void index_labels();
    void fit_features(std::size_t n);

    std::optional<bool> named_;
    bool has_dates_ = false;
    std::vector<std::uint8_t> nominal_;
    std::vector<std::uint32_t> n_categories_;  ///< and bits of those that are full
    std::vector<std::uint32_t> labels_;        ///< the entry of each class, and if it came once
    Vocabulary keys_;
    CopiedPointer<Bounded> bounded_;  ///< nothing where there is room for everything
};

void bind_tables(nanobind::module_& module);

}  // namespace shrubs::bindings
