#include "shrubs/auto/planner.hpp"

#include <algorithm>
#include <utility>

#include "shrubs/auto/ensemble.hpp"

namespace shrubs {

namespace {

constexpr std::uint64_t alignment = 8;
constexpr std::uint64_t node_size = static_cast<std::uint64_t>(NodeBytes::wide);
// Companions may take a fourth of the memory, categories a sixteenth.
constexpr std::uint64_t companion_share = 4;
constexpr std::uint64_t bucket_share = 16;
constexpr std::uint32_t max_buckets = 4096;
// Of what the fixed parts leave, the window takes two fifths and the shrubs the rest.
constexpr std::uint64_t window_share_above = 2;
constexpr std::uint64_t window_share_below = 5;

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

std::uint64_t shrub_bytes(Task task, std::uint64_t n_classes, std::uint64_t max_leaves) {
    return aligned((max_leaves - 1) * node_size + max_leaves * auto_leaf_bytes(task, n_classes));
}

class Planner {
 public:
    Planner(const AutoConfig& config, const Dimensions& dimensions, std::uint32_t n_nominal)
        : config_(config), n_nominal_(n_nominal) {
        plan_.task = config.task;
        plan_.dimensions = dimensions;
    }

    AutoPlan make() {
        choose_companions();
        while (!choose_sizes()) {
            if (!drop_companion()) {
                return {};
            }
        }
        plan_.total_bytes = bytes_with(plan_.window_size);
        return plan_;
    }

 private:
    // Of a label; of a target and its scaled copy.
    std::uint64_t label_bytes() const {
        return config_.task == Task::classification ? sizeof(std::uint16_t) : 2 * sizeof(double);
    }

    void choose_companions() {
        std::size_t at = 0;
        std::apply(
            [&](const auto&... companion) {
                ((plan_.companions[at++] = companion.serves(config_.task)), ...);
            },
            make_companions());
        if (n_nominal_ > 0) {
            plan_.n_buckets = 1;
            const std::uint64_t per_bucket = bytes_per_bucket();
            while (plan_.n_buckets < max_buckets &&
                   std::uint64_t{2} * plan_.n_buckets * per_bucket <=
                       config_.arena_bytes / bucket_share) {
                plan_.n_buckets *= 2;
            }
        }
        while (companion_bytes(plan_) > config_.arena_bytes / companion_share) {
            drop_companion();
        }
    }

    // False if none is left.
    bool drop_companion() {
        for (const std::size_t next : gives_way) {
            if (std::exchange(plan_.companions[next], false)) {
                return true;
            }
        }
        return false;
    }

    std::uint64_t bytes_per_bucket() const {
        AutoPlan none = plan_;
        AutoPlan two = plan_;  // an even number, so that both are padded alike
        none.n_buckets = 0;
        two.n_buckets = 2;
        return (companion_bytes(two) - companion_bytes(none)) / 2;
    }

    // The window and the leaves beside the companions; false if there is no room for the least.
    bool choose_sizes() {
        plan_.n_experts = max_experts;
        plan_.n_places = max_experts;
        const std::uint64_t fixed = bytes_with(0);
        const std::uint64_t per_example =
            plan_.dimensions.n_features * sizeof(float) + label_bytes() + sizeof(std::uint16_t);
        const std::uint64_t rest = config_.arena_bytes > fixed ? config_.arena_bytes - fixed : 0;
        const std::uint64_t window = rest * window_share_above / window_share_below / per_example;
        if (window < shortest_window) {
            return false;
        }
        choose_window(static_cast<std::uint32_t>(std::min<std::uint64_t>(window, longest_window)));
        return choose_leaves() || shorten_window();
    }

    // With many classes only a shorter window leaves room for its shrubs.
    bool shorten_window() {
        std::uint32_t fits = shortest_window - 1;
        std::uint32_t fails = plan_.window_size;
        while (fails - fits > 1) {
            const std::uint32_t length = fits + (fails - fits) / 2;
            choose_groups(length);
            (choose_leaves() ? fits : fails) = length;
        }
        if (fits < shortest_window) {
            return false;
        }
        choose_groups(fits);
        return choose_leaves();
    }

    // At least `fits` examples, and more as long as shrubs with a leaf for every example fit beside
    // them.
    void choose_window(std::uint32_t fits) {
        std::uint32_t fails = longest_window + 1;
        while (fails - fits > 1) {
            const std::uint32_t length = fits + (fails - fits) / 2;
            choose_groups(length);
            const bool has_room =
                bytes_with(length) + all_shrub_bytes(length) <= config_.arena_bytes;
            (has_room ? fits : fails) = length;
        }
        choose_groups(fits);
    }

    void choose_groups(std::uint32_t window_size) {
        plan_.window_size = window_size;
        plan_.n_groups = 0;
        plan_.n_places = 0;
        for (std::uint32_t length = shortest_window; length <= plan_.window_size; length *= 2) {
            add_group(length, shrubs_per_length, false);
        }
        if (plan_.groups[plan_.n_groups - 1].length < plan_.window_size) {
            add_group(plan_.window_size, shrubs_per_length, false);
        }
        for (const std::uint32_t length : reactive_lengths) {
            add_group(std::min(length, plan_.window_size), 1, true);
        }
        plan_.n_experts =
            plan_.n_places + static_cast<std::uint32_t>(std::ranges::count(plan_.companions, true));
    }

    void add_group(std::uint32_t length, std::uint32_t n_places, bool reactive) {
        plan_.groups[plan_.n_groups++] = {.length = length,
                                          .n_places = n_places,
                                          .first_place = plan_.n_places,
                                          .max_leaves = length,
                                          .reactive = reactive};
        plan_.n_places += n_places;
    }

    // The largest shrubs that fit: all may have so many leaves, or as many as their window is long.
    bool choose_leaves() {
        plan_.shrub_bytes = 0;
        const std::uint64_t others = bytes_with(plan_.window_size);
        const std::uint64_t room = config_.arena_bytes > others ? config_.arena_bytes - others : 0;
        std::uint32_t fits = 0;
        std::uint32_t fails = plan_.window_size + 1;
        while (fails - fits > 1) {
            const std::uint32_t leaves = fits + (fails - fits) / 2;
            (all_shrub_bytes(leaves) <= room ? fits : fails) = leaves;
        }
        if (fits < 2) {
            return false;
        }
        std::uint64_t offset = 0;
        for (ShrubGroup& group : std::span(plan_.groups).first(plan_.n_groups)) {
            group.max_leaves = std::min(group.length, fits);
            group.offset = offset;
            group.stride = shrub_bytes(config_.task, plan_.width(), group.max_leaves);
            offset += group.n_places * group.stride;
        }
        plan_.shrub_bytes = offset;
        return true;
    }

    std::uint64_t all_shrub_bytes(std::uint32_t leaves) const {
        std::uint64_t bytes = 0;
        for (const ShrubGroup& group : plan_.all_groups()) {
            bytes += group.n_places *
                     shrub_bytes(config_.task, plan_.width(), std::min(group.length, leaves));
        }
        return bytes;
    }

    // All bytes with a window of this size.
    std::uint64_t bytes_with(std::uint32_t window_size) const {
        AutoPlan plan = plan_;
        plan.window_size = window_size;
        return AutoEnsemble::report(plan).total();
    }

    AutoConfig config_;
    std::uint32_t n_nominal_;
    AutoPlan plan_;
};

}  // namespace

AutoPlan make_auto_plan(const AutoConfig& config, const Dimensions& dimensions,
                        std::uint32_t n_nominal) {
    return Planner(config, dimensions, n_nominal).make();
}

std::uint64_t smallest_auto_arena(Task task, const Dimensions& dimensions,
                                  std::uint32_t n_nominal) {
    std::uint64_t fails = 0;
    std::uint64_t fits = std::uint64_t{1} << 40U;
    while (fits - fails > 1) {
        const std::uint64_t bytes = fails + (fits - fails) / 2;
        const AutoConfig config{.task = task, .arena_bytes = bytes};
        (make_auto_plan(config, dimensions, n_nominal).window_size > 0 ? fits : fails) = bytes;
    }
    return fits;
}

std::uint64_t companion_bytes(const AutoPlan& plan) {
    Arena counter;
    const Companions companions = make_companions();
    for_each_chosen(companions, plan.companions, [&](const auto& companion, std::uint32_t) {
        companion.reserve(counter, plan.companion_sizes());
    });
    return counter.report().total();
}

}  // namespace shrubs
