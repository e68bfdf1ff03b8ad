#include "shrubs/auto/planner.hpp"

#include <algorithm>
#include <utility>

#include "shrubs/growth/grow.hpp"
#include "shrubs/growth/random_split.hpp"

namespace shrubs {

namespace {

constexpr std::uint64_t alignment = 8;
constexpr std::uint64_t node_size = static_cast<std::uint64_t>(NodeBytes::wide);
// Companions may take a fourth of the memory, categories a sixteenth.
constexpr std::uint64_t companion_share = 4;
constexpr std::uint64_t bucket_share = 16;
constexpr std::uint64_t most_buckets = 4096;
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
        : config_(config), dimensions_(dimensions), n_nominal_(n_nominal) {
        plan_.width = config.task == Task::classification ? dimensions.n_classes : 1;
    }

    AutoPlan make() {
        choose_companions();
        while (!choose_sizes()) {
            if (!drop_companion()) {
                return {};
            }
        }
        plan_.total_bytes = lay_out(plan_.window_size);
        return plan_;
    }

 private:
    // Of a label; of a target and its scaled copy.
    std::uint64_t label_bytes() const {
        return config_.task == Task::classification ? sizeof(std::uint16_t) : 2 * sizeof(double);
    }

    std::uint64_t split_width() const {
        const Config config{.task = config_.task, .splitter = Splitter::random};
        const std::uint32_t n_features = dimensions_.n_features;
        return random_split_width(config, {n_features, dimensions_.n_classes, n_features});
    }

    void choose_companions() {
        plan_.n_bayes = config_.task == Task::classification
                            ? static_cast<std::uint32_t>(bayes_forgetting.size())
                            : 0;
        plan_.has_linear = true;
        plan_.n_buckets = 0;
        if (n_nominal_ > 0) {
            const std::uint64_t per_bucket =
                std::uint64_t{plan_.width} * (plan_.n_bayes + 2) * sizeof(float);
            plan_.n_buckets = 1;
            while (plan_.n_buckets < most_buckets &&
                   std::uint64_t{2} * plan_.n_buckets * per_bucket <=
                       config_.arena_bytes / bucket_share) {
                plan_.n_buckets *= 2;
            }
        }
        while (companion_bytes() > config_.arena_bytes / companion_share) {
            drop_companion();
        }
    }

    // The quick naive Bayes goes first, the slow one last. False if none is left.
    bool drop_companion() {
        if (plan_.n_bayes == 2 || (plan_.n_bayes == 1 && !plan_.has_linear)) {
            --plan_.n_bayes;
            return true;
        }
        return std::exchange(plan_.has_linear, false);
    }

    std::uint64_t companion_bytes() const {
        const std::uint64_t features = dimensions_.n_features;
        const std::uint64_t classes = plan_.width;
        return plan_.n_bayes * classes * (2 * features + plan_.n_buckets) * sizeof(float) +
               (plan_.has_linear ? 2 * classes * (features + 1 + plan_.n_buckets) : 0) *
                   sizeof(float);
    }

    // The window and the leaves beside the companions; false if there is no room for the least.
    bool choose_sizes() {
        plan_.n_experts = most_experts;
        plan_.n_places = most_experts;
        const std::uint64_t fixed = lay_out(0);
        const std::uint64_t per_example =
            dimensions_.n_features * sizeof(float) + label_bytes() + sizeof(std::uint16_t);
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
            const bool has_room = lay_out(length) + all_shrub_bytes(length) <= config_.arena_bytes;
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
        plan_.n_experts = plan_.n_places + plan_.n_bayes + (plan_.has_linear ? 1 : 0);
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
        shrub_bytes_ = 0;
        const std::uint64_t others = lay_out(plan_.window_size);
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
            group.stride = shrub_bytes(config_.task, plan_.width, group.max_leaves);
            offset += group.n_places * group.stride;
        }
        shrub_bytes_ = offset;
        return true;
    }

    std::uint64_t all_shrub_bytes(std::uint32_t leaves) const {
        std::uint64_t bytes = 0;
        for (const ShrubGroup& group : plan_.all_groups()) {
            bytes += group.n_places *
                     shrub_bytes(config_.task, plan_.width, std::min(group.length, leaves));
        }
        return bytes;
    }

    template <class T>
    Region array(std::uint64_t count) {
        const Region region{next_, count * sizeof(T)};
        next_ += aligned(region.bytes);
        return region;
    }

    std::uint64_t lay_out(std::uint64_t window) {
        const bool classification = config_.task == Task::classification;
        const std::uint64_t features = dimensions_.n_features;
        const std::uint64_t classes = classification ? dimensions_.n_classes : 0;
        const std::uint64_t width = plan_.width;
        const std::uint64_t places = plan_.n_places;
        const std::uint64_t experts = plan_.n_experts;
        const std::uint64_t mixtures = auto_step_sizes.size();
        const std::uint64_t bayes = plan_.n_bayes;
        const std::uint64_t linear_rows = plan_.has_linear ? features + 1 + plan_.n_buckets : 0;
        next_ = 0;
        plan_.values = array<float>(window * features);
        plan_.labels = array<std::uint16_t>(classification ? window : 0);
        plan_.targets = array<double>(classification ? 0 : window);
        plan_.nominal = array<std::uint8_t>(features);
        plan_.shrubs = array<std::byte>(shrub_bytes_);
        plan_.n_inner = array<std::uint16_t>(places);
        plan_.born = array<std::uint64_t>(places);
        plan_.losses = array<double>(places);
        plan_.weights = array<double>(mixtures * experts);
        plan_.mixture_losses = array<double>(mixtures);
        plan_.means = array<double>(features);
        plan_.variances = array<double>(features);
        plan_.seen = array<std::uint16_t>(features);
        plan_.binary = array<std::uint8_t>(features);
        plan_.bayes_n = array<double>(bayes * classes);
        plan_.bayes_means = array<float>(bayes * features * classes);
        plan_.bayes_variances = array<float>(bayes * features * classes);
        plan_.bayes_buckets = array<float>(bayes * plan_.n_buckets * classes);
        plan_.linear_weights = array<float>(linear_rows * width);
        plan_.linear_squares = array<float>(linear_rows * width);
        plan_.row = array<float>(features);
        plan_.leaves = array<std::uint16_t>(places);
        plan_.predictions = array<float>(experts * width);
        plan_.mixtures = array<double>(mixtures * width);
        plan_.descended = array<double>(experts);
        plan_.kept = array<double>(experts);
        plan_.order = array<std::uint16_t>(window);
        plan_.features = array<std::uint16_t>(features);
        plan_.pending = array<PendingNode>(largest_auto_depth);
        plan_.totals = array<std::uint32_t>(classes);
        plan_.lefts = array<std::uint32_t>(classes);
        plan_.left_counts = array<float>(classes * split_width());
        plan_.centred = array<double>(classification ? 0 : window);
        plan_.standardised = array<float>(features);
        plan_.output = array<double>(width);
        plan_.target = array<double>(width);
        return next_;
    }

    AutoConfig config_;
    Dimensions dimensions_;
    std::uint32_t n_nominal_;
    AutoPlan plan_;
    std::uint64_t shrub_bytes_ = 0;
    std::uint64_t next_ = 0;
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

MemoryReport report(const AutoPlan& plan) {
    MemoryReport report;
    report.window = plan.shrubs.offset;
    report.shrubs = plan.weights.offset - plan.shrubs.offset;
    report.weights = plan.row.offset - plan.weights.offset;
    report.scratch = plan.total_bytes - plan.row.offset;
    return report;
}

}  // namespace shrubs
