#include "shrubs/auto/sampled_split.hpp"

#include <array>
#include <utility>

#include "shrubs/split.hpp"

namespace shrubs {

namespace {

using Values = Window::Values;

bool is_missing(float value) {
    return value != value;
}

// What a node has of one feature.
struct Extent {
    float low = 0.0F;
    float high = 0.0F;
    std::uint32_t n_present = 0;

    bool is_constant(std::size_t n) const {
        return n_present == 0 || (n_present == n && low == high);
    }
};

Extent measure(const Values& values, std::span<const std::uint16_t> members) {
    Extent extent;
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    for (const std::uint16_t slot : members) {
        const float value = values[slot];
        extent.n_present += is_missing(value) ? 0U : 1U;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    extent.low = low;
    extent.high = high;
    return extent;
}

template <class Tally>
class Search {
 public:
    Search(const Window& window, std::span<const std::uint16_t> members,
           const SampledSearch& options, Tally& tally, Random& random)
        : window_(window), members_(members), options_(options), tally_(tally), random_(random) {}

    std::optional<Split> run(std::span<std::uint16_t> features) {
        std::uint32_t n_tried = 0;
        for (std::size_t i = 0; i < features.size(); ++i) {
            if (n_tried >= options_.n_features && found_) {
                break;
            }
            const std::size_t drawn =
                i + random_.below(static_cast<std::uint32_t>(features.size() - i));
            std::swap(features[i], features[drawn]);
            n_tried += try_feature(features[i]) ? 1U : 0U;
        }
        if (!found_) {
            return std::nullopt;
        }
        if (options_.n_cuts > 1 && !best_.nominal && !is_missing(best_.threshold)) {
            centre_threshold();
        }
        return best_;
    }

 private:
    bool try_feature(std::uint32_t feature) {
        const Values values = window_.values(feature);
        const Extent extent = measure(values, members_);
        if (extent.is_constant(members_.size())) {
            return false;
        }
        split_ = {.feature = feature, .nominal = window_.is_nominal(feature)};
        n_missing_ = static_cast<std::uint32_t>(members_.size()) - extent.n_present;
        const bool sorts =
            !split_.nominal && options_.n_cuts > 1 && members_.size() <= careful_cuts;
        sorts ? try_all(values) : try_some(values, extent);
        if (n_missing_ > 0) {
            try_missing();
        }
        return true;
    }

    // All cuts between different values.
    void try_all(const Values& values) {
        struct Item {
            float value;
            std::uint16_t slot;
        };
        std::array<Item, careful_cuts> sorted;
        std::size_t n = 0;
        tally_.clear_cells();
        for (const std::uint16_t slot : members_) {
            const float value = values[slot];
            if (is_missing(value)) {
                tally_.add(missing_cell, slot);
                continue;
            }
            std::size_t at = n++;
            for (; at > 0 && sorted[at - 1].value > value; --at) {
                sorted[at] = sorted[at - 1];
            }
            sorted[at] = {value, slot};
        }
        tally_.begin_left();
        for (std::size_t i = 0; i + 1 < n; ++i) {
            tally_.add_left(sorted[i].slot);
            if (sorted[i].value < sorted[i + 1].value) {
                consider(sorted[i].value);
            }
        }
    }

    // Cuts at drawn values, ascending; for nominal features drawn categories.
    void try_some(const Values& values, const Extent& extent) {
        const std::uint32_t n = draw_cuts(values, extent);
        if (n == 1 && n_missing_ == 0) {
            try_one(values, cuts_[0]);
            return;
        }
        tally_.clear_cells();
        for (const std::uint16_t slot : members_) {
            const float value = values[slot];
            tally_.add(is_missing(value) ? missing_cell : find_cell(value, n), slot);
        }
        tally_.begin_left();
        for (std::uint32_t i = 0; i < n; ++i) {
            if (split_.nominal) {
                tally_.begin_left();
            }
            tally_.add_cell_left(i);
            consider(cuts_[i]);
        }
    }

    void try_one(const Values& values, float cut) {
        tally_.begin_left();
        if (split_.nominal) {
            tally_.add_left_where(members_,
                                  [&](std::uint16_t slot) { return values[slot] == cut; });
        } else {
            tally_.add_left_where(members_,
                                  [&](std::uint16_t slot) { return values[slot] <= cut; });
        }
        consider(cut);
    }

    std::uint32_t draw_cuts(const Values& values, const Extent& extent) {
        if (!split_.nominal && options_.n_cuts == 1) {
            if (extent.low < extent.high) {
                cuts_[0] = draw_threshold(extent.low, extent.high, random_);
                return 1;
            }
            return 0;
        }
        std::uint32_t n = 0;
        for (std::uint32_t i = 0; i < options_.n_cuts; ++i) {
            const auto size = static_cast<std::uint32_t>(members_.size());
            const float value = values[members_[random_.below(size)]];
            if (!is_missing(value) && (split_.nominal || value < extent.high)) {
                n += insert(value, n) ? 1U : 0U;
            }
        }
        if (n == 0 && extent.low < extent.high) {
            cuts_[n++] = extent.low;
        }
        return n;
    }

    // Keeps the cuts ascending and different.
    bool insert(float value, std::uint32_t n) {
        std::uint32_t at = n;
        while (at > 0 && cuts_[at - 1] > value) {
            --at;
        }
        if (at > 0 && cuts_[at - 1] == value) {
            return false;
        }
        for (std::uint32_t i = n; i > at; --i) {
            cuts_[i] = cuts_[i - 1];
        }
        cuts_[at] = value;
        return true;
    }

    // The first cut that is at least the value; for nominal features the one equal to it.
    std::uint32_t find_cell(float value, std::uint32_t n) const {
        std::uint32_t cell = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            cell += cuts_[i] < value ? 1U : 0U;
        }
        return split_.nominal && (cell == n || cuts_[cell] != value) ? careful_cuts : cell;
    }

    // Missing values to the left, present ones to the right.
    void try_missing() {
        tally_.begin_left();
        tally_.add_cell_left(missing_cell);
        n_missing_ = 0;
        consider(std::numeric_limits<float>::quiet_NaN());
    }

    void consider(float threshold) {
        const CutScore cut = tally_.score(n_missing_);
        if (cut.score > score_) {
            score_ = cut.score;
            best_ = split_;
            best_.threshold = threshold;
            best_.missing_left = is_missing(threshold) || cut.missing_left;
            found_ = true;
        }
    }

    // Midway to the next larger value of the node.
    void centre_threshold() {
        const Values values = window_.values(best_.feature);
        float next = std::numeric_limits<float>::infinity();
        for (const std::uint16_t slot : members_) {
            const float value = values[slot];
            next = value > best_.threshold && value < next ? value : next;
        }
        best_.threshold = threshold_between(best_.threshold, next);
    }

    const Window& window_;
    std::span<const std::uint16_t> members_;
    SampledSearch options_;
    Tally& tally_;
    Random& random_;
    std::array<float, careful_cuts> cuts_;
    Split split_;
    std::uint32_t n_missing_ = 0;
    Split best_;
    double score_ = -std::numeric_limits<double>::infinity();
    bool found_ = false;
};

}  // namespace

template <class Tally>
std::optional<Split> find_sampled_split(const Window& window,
                                        std::span<const std::uint16_t> members,
                                        const SampledSearch& search,
                                        std::span<std::uint16_t> features, Tally& tally,
                                        Random& random) {
    return Search<Tally>(window, members, search, tally, random).run(features);
}

template std::optional<Split> find_sampled_split<ClassTally>(const Window&,
                                                             std::span<const std::uint16_t>,
                                                             const SampledSearch&,
                                                             std::span<std::uint16_t>, ClassTally&,
                                                             Random&);
template std::optional<Split> find_sampled_split<TargetTally>(const Window&,
                                                              std::span<const std::uint16_t>,
                                                              const SampledSearch&,
                                                              std::span<std::uint16_t>,
                                                              TargetTally&, Random&);

}  // namespace shrubs
