// How tables are saved and restored, and go back to what they were.

#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bindings.hpp"
#include "tables.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

// For `go_back_to`, before anything is taken out.
void Tables::remember() {
    bound();
    if (!bounded_->before) {
        bounded_->before = std::make_shared<const Tables>(*this);
    }
}

nb::tuple Tables::crowd() const {
    nb::list closed;
    nb::list ever_new;
    for (std::size_t column = 0; column < n_features(); ++column) {
        if (is_closed(column)) {
            closed.append(column);
        }
        if (is_ever_new(column)) {
            ever_new.append(column);
        }
    }
    const auto as_list = [](std::span<const std::uint32_t> numbers) {
        nb::list result;
        for (const std::uint32_t number : numbers) {
            result.append(number);
        }
        return result;
    };
    const auto as_bytes = [](const std::string& text) {
        return nb::bytes(text.data(), text.size());
    };
    const GivenUp counts = given_up();
    return nb::make_tuple(closed, ever_new, bounded_ ? as_list(bounded_->waiting) : nb::list(),
                          kept().empty() ? 0 : width(), as_list(kept()),
                          nb::make_tuple(counts.forgotten_features, counts.forgotten_classes,
                                         counts.left_out, counts.passed_over),
                          newcomer(),
                          sieve() == nullptr ? nb::bytes("", 0) : as_bytes(sieve()->to_bytes()));
}

void Tables::restore(const nb::tuple& crowd) {
    if (crowd.size() != 8 || nb::cast<nb::tuple>(crowd[5]).size() != 4) {
        throw nb::value_error("these are no counts and positions");
    }
    for (const nb::handle entry : nb::cast<nb::list>(crowd[0])) {
        const auto column = nb::cast<std::size_t>(entry);
        if (column >= n_features() || !has_texts(column)) {
            throw nb::value_error("a feature without categories has too many");
        }
        n_categories_[column] |= closed_bit;
    }
    for (const nb::handle entry : nb::cast<nb::list>(crowd[1])) {
        const auto column = nb::cast<std::size_t>(entry);
        if (column >= n_features() || !is_closed(column)) {
            throw nb::value_error("a feature that has room for categories has too many");
        }
        n_categories_[column] |= ever_new_bit;
    }
    if (crowd.equal(Tables().crowd())) {
        return;
    }
    bound();
    for (const nb::handle digest : nb::cast<nb::list>(crowd[2])) {
        bounded_->waiting.push_back(nb::cast<std::uint32_t>(digest));
    }
    set_capacity(bounded_->waiting, capacity_for(bounded_->waiting.size(), waiting_step));
    std::vector<std::uint32_t> positions;
    for (const nb::handle position : nb::cast<nb::list>(crowd[4])) {
        positions.push_back(nb::cast<std::uint32_t>(position));
    }
    if (!positions.empty()) {
        keep(nb::cast<std::size_t>(crowd[3]), std::move(positions));
        if (kept().size() != n_features()) {
            throw nb::value_error("features and their positions differ in number");
        }
    }
    const auto counts = nb::cast<nb::tuple>(crowd[5]);
    bounded_->given_up = {.forgotten_features = nb::cast<std::uint64_t>(counts[0]),
                          .forgotten_classes = nb::cast<std::uint64_t>(counts[1]),
                          .left_out = nb::cast<std::uint64_t>(counts[2]),
                          .passed_over = nb::cast<std::uint64_t>(counts[3])};
    set_newcomer(nb::cast<std::optional<std::uint32_t>>(crowd[6]));
    if (newcomer() && *newcomer() >= n_classes()) {
        throw nb::value_error("there is no such class");
    }
    const std::uint64_t n_waiting = bounded_->waiting.size();
    const std::uint64_t n_names = std::min(given_up().passed_over, n_waiting);
    if (n_waiting - n_names > given_up().forgotten_classes) {
        throw nb::value_error("more wait than came");
    }
    const auto sieve = nb::cast<nb::bytes>(crowd[7]);
    if (sieve.size() > 0) {
        auto read = Sieve::from_bytes({sieve.c_str(), sieve.size()}, n_features());
        if (!read) {
            throw nb::value_error("these bytes are no sieve");
        }
        bounded_->sieve.make(std::move(*read));
    }
}

void Tables::settle() {
    if (bounded_) {
        bounded_->before.reset();
    }
}

Tables::Mark Tables::mark() {
    settle();
    return {.n_keys = keys_.size(),
            .n_features = n_features(),
            .named = named_,
            .waiting = bounded_ ? bounded_->waiting : std::vector<std::uint32_t>(),
            .newcomer = newcomer(),
            .given_up = given_up(),
            .has_sieve = sieve() != nullptr};
}

void Tables::go_back_to(const Mark& mark) {
    if (bounded_ && bounded_->before) {
        Tables before = *bounded_->before;
        *this = std::move(before);
    }
    while (keys_.size() > mark.n_keys) {
        const Vocabulary::Entry entry = keys_.entry(keys_.size() - 1);
        const std::uint32_t space = space_of(entry);
        count(space, entry.key.bytes.size(), false);
        if (space == labels_space) {
            labels_.pop_back();
        } else if (space >= categories_space) {
            --n_categories_[space - categories_space];
        }
        keys_.remove_last();
    }
    nominal_.resize(mark.n_features);
    n_categories_.resize(mark.n_features);
    named_ = mark.named;
    if (bounded_) {
        bounded_->waiting = mark.waiting;
        set_capacity(bounded_->waiting, capacity_for(mark.waiting.size(), waiting_step));
        set_newcomer(mark.newcomer);
        bounded_->given_up = mark.given_up;
        if (!mark.has_sieve) {
            bounded_->sieve.reset();
        }
        const std::size_t n_kept = std::min(kept().size(), mark.n_features);
        bounded_->width -= static_cast<std::uint32_t>(kept().size() - n_kept);
        bounded_->kept.resize(n_kept);
        set_capacity(bounded_->kept, capacity_for(n_kept, feature_step));
    }
    keys_.shrink();
    fit_features(mark.n_features);
    set_capacity(labels_, capacity_for(n_classes(), label_step));
}

}  // namespace shrubs::bindings
