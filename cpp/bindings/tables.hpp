#pragma once

// What a learner knows about its features and classes: names, categories, labels.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "keys.hpp"
#include "vocabulary.hpp"

namespace shrubs::bindings {

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
    std::span<const std::uint8_t> nominal() const { return nominal_; }
    /// Whether the categories of a nominal feature have names; otherwise they are codes.
    bool has_texts(std::size_t column) const { return n_categories_[column] != no_texts; }

    std::optional<std::uint32_t> column(nanobind::handle name) const;
    /// Raises TypeError for what can be no category.
    std::optional<std::uint32_t> category(std::size_t column, nanobind::handle value) const;
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
    void add_category(std::size_t column, nanobind::handle value);
    /// Returns its class; a label that is known stays where it is.
    std::uint32_t add_label(nanobind::handle label);

    /// What there was at some moment, for `go_back_to`.
    struct Mark {
        std::size_t n_keys;
        std::size_t n_features;
        std::optional<bool> named;
    };
    Mark mark() const { return {keys_.size(), n_features(), named_}; }
    void go_back_to(const Mark& mark);

    /// Follows from the contents alone.
    std::size_t memory_bytes() const;

 private:
    static constexpr std::uint32_t no_texts = UINT32_MAX;
    enum Space : std::uint32_t { names_space, labels_space, categories_space };
    std::optional<std::uint32_t> find(std::uint32_t space, const PlainKey& key) const;
    void add(std::uint32_t space, const PlainKey& key, std::uint32_t index);
    nanobind::object value(std::size_t entry) const;
    void fit_features(std::size_t n);

    std::optional<bool> named_;
    std::vector<std::uint8_t> nominal_;
    std::vector<std::uint32_t> n_categories_;
    std::vector<std::uint32_t> labels_;  ///< the entry of each class
    Vocabulary keys_;
};

void bind_tables(nanobind::module_& module);

}  // namespace shrubs::bindings
