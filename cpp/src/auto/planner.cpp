#include "shrubs/auto/planner.hpp"

#include <algorithm>
#include <utility>

#include "shrubs/auto/ensemble.hpp"

namespace shrubs {

namespace {

constexpr std::uint64_t alignment = 8;
// Companions may take a fourth of the memory, categories an eighth, contexts of labels less.
constexpr std::uint64_t companion_share = 4;
constexpr std::uint64_t bucket_share = 8;
constexpr std::uint32_t max_buckets = 4096;
constexpr std::uint64_t context_share = 128;
constexpr std::uint32_t max_contexts = 256;
// Neighbours may take a twelfth, and no more values than are soon looked at.
constexpr std::uint64_t neighbour_share = 12;
constexpr std::uint64_t neighbour_values = 4096;
constexpr std::uint64_t max_neighbours = 512;
constexpr std::uint64_t min_neighbours = 32;
// Where the window would be shorter, it needs their room.
constexpr std::uint32_t shortest_beside_neighbours = 64;
// Of what the fixed parts leave, the window takes a third and the shrubs the rest.
constexpr std::uint64_t window_share = 3;
constexpr std::uint64_t small_window_share = 2;
// Of a small plan, as long as there is room for a shrub.
constexpr std::uint32_t good_small_window = 12;
constexpr std::uint32_t good_small_leaves = 6;
// Shrubs of fewer leaves than this, and than this share of the longest window, are too small: there
// had better be fewer window lengths.
constexpr std::uint32_t few_class_leaves = 256;
constexpr std::uint32_t few_target_leaves = 1024;
constexpr std::uint32_t few_leaves_share = 4;

// The largest power of two for which so many times `each` bytes are at most `most`.
std::uint32_t power_of_two(std::uint64_t each, std::uint64_t most, std::uint32_t largest) {
    std::uint32_t n = 1;
    while (n < largest && std::uint64_t{2} * n * each <= most) {
        n *= 2;
    }
    return n;
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
        plan_.n_drifts = Drifts::n_remembered(config_.arena_bytes);
        while (!choose_lengths()) {
            if (std::exchange(plan_.n_drifts, 0) == 0 && !drop_companion()) {
                if (make_smaller()) {
                    break;
                }
                return {};
            }
        }
        if (plan_.window_size < shortest_beside_neighbours &&
            std::exchange(plan_.companions[neighbours_companion], false)) {
            choose_lengths();
        }
        plan_.total_bytes = bytes_with(plan_.window_size);
        return plan_;
    }

 private:
    // Few shrubs that are grown at once, and as many companions as there is room for beside them.
    bool make_smaller() {
        plan_.is_small = true;
        for (const bool is_least : {false, true}) {
            shortest_ = is_least ? shortest_small_window : good_small_window;
            fewest_leaves_ = is_least ? 2 : good_small_leaves;
            for (n_shrubs_ = most_small_shrubs; n_shrubs_ > 0; --n_shrubs_) {
                choose_companions();
                do {
                    if (choose_sizes()) {
                        return true;
                    }
                } while (drop_companion());
            }
        }
        return false;
    }

    // Of a label; of a target and what two shrubs that grow are told of it.
    std::uint64_t label_bytes() const {
        return config_.task == Task::classification ? sizeof(std::uint16_t) : 2 * sizeof(double);
    }

    void choose_companions() {
        std::size_t at = 0;
        std::apply(
            [&](const auto&... companion) {
                ((plan_.companions[at++] =
                      companion.serves(config_.task) && (recalls() || !companion.recalls)),
                 ...);
            },
            make_companions());
        choose_neighbours();
        if (n_nominal_ > 0) {
            plan_.n_buckets =
                power_of_two(bytes_per_bucket(), config_.arena_bytes / bucket_share, max_buckets);
        }
        if (recalls() && config_.task == Task::classification) {
            plan_.n_contexts = power_of_two(CountingLeaves::bytes(plan_.width()),
                                            config_.arena_bytes / context_share, max_contexts);
        }
        while (companion_bytes(plan_) > config_.arena_bytes / companion_share && drop_companion()) {
        }
    }

    void choose_neighbours() {
        const std::uint64_t n_features = std::max<std::uint32_t>(plan_.dimensions.n_features, 1);
        const std::uint64_t room =
            config_.arena_bytes / neighbour_share / Neighbours::bytes_per_example(n_features);
        const std::uint64_t n =
            std::min({neighbour_values / Neighbours::n_compared(n_features), room, max_neighbours});
        plan_.n_neighbours = static_cast<std::uint32_t>(n);
        plan_.companions[neighbours_companion] =
            plan_.companions[neighbours_companion] && n >= min_neighbours && !plan_.is_small;
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

    // A node has room for so many features and no more.
    bool recalls() const {
        return config_.recalls != 0 &&
               plan_.dimensions.n_features + recalled_features <= limits::features;
    }

    // All window lengths, or every second one where shrubs would be too small.
    bool choose_lengths() {
        length_factor_ = 2;
        const bool fits = choose_sizes();
        std::uint32_t n_leaves = 0;
        for (const ShrubGroup& group : plan_.all_groups()) {
            n_leaves = std::max<std::uint32_t>(n_leaves, group.max_leaves);
        }
        const std::uint32_t few_leaves =
            config_.task == Task::classification ? few_class_leaves : few_target_leaves;
        if (fits && (n_leaves >= few_leaves || n_leaves * few_leaves_share >= plan_.window_size)) {
            return true;
        }
        length_factor_ = 4;
        return choose_sizes();
    }

    // The window and the leaves beside the companions; false if there is no room for the least.
    bool choose_sizes() {
        std::uint32_t fits = shortest_ - 1;
        std::uint32_t fails = longest_window + 1;
        while (fails - fits > 1) {
            const std::uint32_t length = fits + (fails - fits) / 2;
            choose_groups(length);
            plan_.shrub_bytes = 0;
            const std::uint64_t fixed = bytes_with(0);
            const std::uint64_t rest =
                config_.arena_bytes > fixed ? config_.arena_bytes - fixed : 0;
            const std::uint64_t share = plan_.is_small ? small_window_share : window_share;
            (length * example_bytes() <= rest / share ? fits : fails) = length;
        }
        if (fits < shortest_ && !plan_.is_small) {
            return false;
        }
        choose_window(std::max(fits, shortest_));
        return choose_leaves() || shorten_window();
    }

    std::uint64_t example_bytes() const {
        return plan_.dimensions.n_features * sizeof(float) + label_bytes() + sizeof(std::uint16_t);
    }

    // With many classes only a shorter window leaves room for its shrubs.
    bool shorten_window() {
        std::uint32_t fits = shortest_ - 1;
        std::uint32_t fails = plan_.window_size;
        while (fails - fits > 1) {
            const std::uint32_t length = fits + (fails - fits) / 2;
            choose_groups(length);
            (choose_leaves() ? fits : fails) = length;
        }
        if (fits < shortest_) {
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
                bytes_with(length) + all_shrub_bytes(most_leaves(length)) <= config_.arena_bytes;
            (has_room ? fits : fails) = length;
        }
        choose_groups(fits);
    }

    void choose_groups(std::uint32_t window_size) {
        plan_.window_size = window_size;
        plan_.n_groups = 0;
        plan_.n_places = 0;
        plan_.n_beds = 0;
        plan_.n_in_beds = 0;
        if (plan_.is_small) {
            choose_small_groups();
            return;
        }
        if (recalls()) {
            std::uint8_t bed = 0;
            for_each_length([&](std::uint32_t length) {
                if (length >= shortest_recalling) {
                    add_group(length, recalling_per_length, bed).recalls = true;
                }
                ++bed;
            });
        }
        const std::uint32_t n_recalling = plan_.n_places;
        for_each_length([&](std::uint32_t length) { add_bed(length); });
        for (const std::uint32_t length : reactive_lengths) {
            add_group(std::min(length, window_size), 1, plan_.n_beds).reactive = true;
        }
        plan_.n_beds += 1;
        plan_.n_in_beds += std::min(reactive_lengths.back(), window_size);
        choose_ranges(n_recalling);
    }

    // All in one bed.
    void choose_small_groups() {
        add_group(plan_.window_size, n_shrubs_, 0);
        add_group(std::min(small_reactive_length, plan_.window_size), 1, 0).reactive = true;
        plan_.n_beds = 1;
        plan_.n_in_beds = plan_.window_size;
        choose_ranges(0);
    }

    void add_bed(std::uint32_t length) {
        const bool is_short = length <= longest_short_window;
        add_group(length, is_short ? shrubs_per_short_length : shrubs_per_length, plan_.n_beds);
        plan_.n_beds += 1;
        plan_.n_in_beds += length;
    }

    template <class Visit>
    void for_each_length(Visit visit) const {
        std::uint32_t length = shortest_window;
        for (; 3 * length <= 2 * plan_.window_size; length *= length_factor_) {
            visit(length);
        }
        visit(plan_.window_size);
    }

    ShrubGroup& add_group(std::uint32_t length, std::uint32_t n_places, std::uint32_t bed) {
        ShrubGroup& group = plan_.groups[plan_.n_groups++];
        group = {.length = static_cast<std::uint16_t>(length),
                 .first_place = static_cast<std::uint16_t>(plan_.n_places),
                 .max_leaves = static_cast<std::uint16_t>(length),
                 .n_places = static_cast<std::uint8_t>(n_places),
                 .bed = static_cast<std::uint8_t>(bed)};
        plan_.n_places += n_places;
        return group;
    }

    void choose_ranges(std::uint32_t n_recalling) {
        std::uint32_t n_plain = 0;
        std::uint32_t n_companions = 0;
        const Companions companions = make_companions();
        for_each_chosen(companions, plan_.companions, [&](const auto& companion, std::uint32_t) {
            n_plain += companion.recalls ? 0 : 1;
            ++n_companions;
        });
        plan_.n_experts = plan_.n_places + n_companions;
        const std::uint32_t end = plan_.n_places + n_plain;
        plan_.ranges = {{{{0, plan_.n_experts},
                          {n_recalling, end - n_recalling},
                          {end, plan_.n_experts - end}}},
                        recalls() && !plan_.is_small ? std::size_t{3} : std::size_t{1}};
    }

    // The largest shrubs that fit: all may have so many leaves, or as many as their window is long.
    bool choose_leaves() {
        plan_.shrub_bytes = 0;
        const std::uint64_t others = bytes_with(plan_.window_size);
        const std::uint64_t room = config_.arena_bytes > others ? config_.arena_bytes - others : 0;
        std::uint32_t fits = 0;
        std::uint32_t fails = most_leaves(plan_.window_size) + 1;
        while (fails - fits > 1) {
            const std::uint32_t leaves = fits + (fails - fits) / 2;
            (all_shrub_bytes(leaves) <= room ? fits : fails) = leaves;
        }
        if (fits < fewest_leaves_) {
            return false;
        }
        std::uint64_t offset = 0;
        for (ShrubGroup& group : std::span(plan_.groups).first(plan_.n_groups)) {
            group.max_leaves =
                static_cast<std::uint16_t>(std::min<std::uint32_t>(group.length, fits));
            group.node_bytes = node_bytes(group.max_leaves);
            group.offset = static_cast<std::uint32_t>(offset);
            group.stride = static_cast<std::uint32_t>(shrub_bytes(group.max_leaves));
            offset += group.n_places * std::uint64_t{group.stride};
        }
        plan_.shrub_bytes = offset;
        return true;
    }

    std::uint32_t most_leaves(std::uint32_t length) const {
        return plan_.is_small ? std::min(length, most_small_leaves) : length;
    }
    NodeBytes node_bytes(std::uint32_t max_leaves) const {
        return node_bytes_for(max_leaves, plan_.dimensions.n_features + recalled_features);
    }
    std::uint64_t shrub_bytes(std::uint32_t max_leaves) const {
        return (max_leaves - std::uint64_t{1}) *
                   static_cast<std::uint64_t>(node_bytes(max_leaves)) +
               max_leaves * auto_leaf_bytes(config_.task, plan_.width());
    }
    // All shrubs together, as an arena gives memory.
    std::uint64_t all_shrub_bytes(std::uint32_t leaves) const {
        std::uint64_t bytes = 0;
        for (const ShrubGroup& group : plan_.all_groups()) {
            bytes += group.n_places * shrub_bytes(std::min<std::uint32_t>(group.length, leaves));
        }
        return (bytes + alignment - 1) / alignment * alignment;
    }

    // All bytes with a window of this size.
    std::uint64_t bytes_with(std::uint32_t window_size) const {
        AutoPlan plan = plan_;
        plan.window_size = window_size;
        return AutoEnsemble::report(plan).total();
    }

    AutoConfig config_;
    std::uint32_t n_nominal_;
    std::uint32_t length_factor_ = 2;
    std::uint32_t shortest_ = shortest_window;
    std::uint32_t fewest_leaves_ = 2;
    std::uint32_t n_shrubs_ = 0;  ///< of a small plan
    AutoPlan plan_;
};

}  // namespace

AutoPlan make_auto_plan(const AutoConfig& config, const Dimensions& dimensions,
                        std::uint32_t n_nominal) {
    return Planner(config, dimensions, n_nominal).make();
}

std::uint64_t smallest_auto_arena(AutoConfig config, const Dimensions& dimensions,
                                  std::uint32_t n_nominal) {
    std::uint64_t fails = 0;
    std::uint64_t fits = std::uint64_t{1} << 40U;
    while (fits - fails > 1) {
        config.arena_bytes = fails + (fits - fails) / 2;
        const AutoPlan plan = make_auto_plan(config, dimensions, n_nominal);
        (plan.window_size > 0 ? fits : fails) = config.arena_bytes;
    }
    return fits;
}

std::uint64_t companion_bytes(const AutoPlan& plan) {
    Arena counter;
    const Companions companions = make_companions();
    for_each_chosen(companions, plan.companions, [&](const auto& companion, std::uint32_t) {
        reserve_companion(counter, companion, plan.companion_sizes());
    });
    return counter.report().total();
}

}  // namespace shrubs
