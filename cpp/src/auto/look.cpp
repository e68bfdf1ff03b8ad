#include "shrubs/auto/look.hpp"

#include <algorithm>

namespace shrubs {

namespace {

// Neighbouring leaves, and the inner nodes above them.
struct Subtree {
    std::uint32_t first_node = 0;
    std::uint32_t first_leaf = 0;
    std::uint32_t n_inner = 0;
};

// What the leaves of a subtree have seen.
struct Seen {
    double n = 0.0;
    double sum = 0.0;  ///< of targets; of squared class counts
    std::uint16_t label = 0;
    double outcome = 0.0;

    // What is left of the impurity's gain: larger where the outcomes are more alike.
    double purity(Task task) const { return (task == Task::regression ? sum * sum : sum) / n; }
};

class Walk {
 public:
    Walk(const LookMaker& maker, std::uint32_t place, double weight)
        : maker_(maker), place_(place), weight_(weight) {}

    void visit(const Subtree& root) {
        all_ = seen_by(root);
        if (all_.n > 0.0 && root.n_inner > 0) {
            if (task() == Task::classification) {
                std::ranges::copy(maker_.counts, maker_.all_counts.begin());
            }
            descend(root, all_, {});
        }
    }

 private:
    Task task() const { return maker_.shrubs.plan().task; }

    void descend(const Subtree& at, const Seen& seen, Rule rule) {
        if (at.n_inner == 0 || rule.n_conditions == Rule::max_conditions) {
            rule.weight = static_cast<float>(weight_ * seen.n / all_.n * added(seen));
            rule.label = seen.label;
            rule.outcome = seen.outcome;
            maker_.look.add(rule);
            return;
        }
        const NewShrub shrub = maker_.shrubs.shrub(place_);
        const Node node = read_node(shrub.node_bytes, shrub.nodes, at.first_node);
        const Subtree left{at.first_node + 1, at.first_leaf, node.n_left};
        const Subtree right{at.first_node + 1 + node.n_left, at.first_leaf + 1 + node.n_left,
                            at.n_inner - 1 - node.n_left};
        const Seen left_seen = seen_by(left);
        const Seen right_seen = seen_by(right);
        if (left_seen.n > 0.0 && right_seen.n > 0.0) {
            const double gain =
                left_seen.purity(task()) + right_seen.purity(task()) - seen.purity(task());
            maker_.gains[node.split.feature] += weight_ * std::max(gain, 0.0) / all_.n;
        }
        for (const bool to_left : {true, false}) {
            const Seen& side = to_left ? left_seen : right_seen;
            if (side.n > 0.0) {
                descend(to_left ? left : right, side, with(rule, node.split, to_left));
            }
        }
    }

    // How much more there is of the most frequent class than in all leaves, or how far the mean
    // target is away from theirs.
    double added(const Seen& seen) const {
        if (task() == Task::regression) {
            const double away = seen.sum / seen.n - all_.sum / all_.n;
            return away < 0.0 ? -away : away;
        }
        return std::max(seen.outcome - maker_.all_counts[seen.label] / all_.n, 0.0);
    }

    Rule with(Rule rule, const Split& split, bool to_left) const {
        const std::uint32_t n_features = maker_.shrubs.plan().dimensions.n_features;
        Condition& condition = rule.conditions[rule.n_conditions++];
        condition = {split, to_left};
        if (split.feature >= n_features) {
            condition.split.feature = first_recalled + split.feature - n_features;
        }
        return rule;
    }

    Seen seen_by(const Subtree& at) const {
        return task() == Task::regression ? targets_of(at) : labels_of(at);
    }

    Seen targets_of(const Subtree& at) const {
        const AveragingLeaves leaves = maker_.shrubs.averaging_leaves(place_);
        Seen seen;
        for (std::uint32_t leaf = at.first_leaf; leaf <= at.first_leaf + at.n_inner; ++leaf) {
            seen.n += leaves.count(leaf);
            seen.sum += leaves.count(leaf) * (leaves.mean(leaf) * maker_.down);
        }
        seen.outcome = seen.n > 0.0 ? kept_finite(seen.sum / seen.n / maker_.down) : 0.0;
        return seen;
    }

    Seen labels_of(const Subtree& at) const {
        std::ranges::fill(maker_.counts, 0U);
        maker_.shrubs.counting_leaves(place_).add_to(maker_.counts, at.first_leaf,
                                                     at.first_leaf + at.n_inner);
        Seen seen;
        for (const double count : maker_.counts) {
            seen.n += count;
            seen.sum += count * count;
        }
        const auto most = std::ranges::max_element(maker_.counts);
        seen.label = static_cast<std::uint16_t>(most - maker_.counts.begin());
        seen.outcome = seen.n > 0.0 ? *most / seen.n : 0.0;
        return seen;
    }

    const LookMaker& maker_;
    std::uint32_t place_;
    double weight_;
    Seen all_;
};

bool asks_for(const Rule& rule, auto holds) {
    return std::ranges::any_of(std::span(rule.conditions).first(rule.n_conditions), holds);
}

// Where a feature stands among all, the recalled ones last.
std::size_t column_of(std::uint32_t feature, std::size_t n_all) {
    return feature < first_recalled ? feature
                                    : n_all - recalled_features + (feature - first_recalled);
}

void archive_condition(Archive& archive, Condition& condition,
                       std::span<const std::uint8_t> nominal) {
    Split& split = condition.split;
    std::array<std::uint8_t, 3> flags = {split.nominal, split.missing_left, condition.to_left};
    archive.value(split.threshold);
    archive.value(split.feature);
    archive.value(flags);
    if (archive.reads()) {
        const std::size_t column = column_of(split.feature, nominal.size());
        archive.require(is_finite_or_missing(split.threshold) && column < nominal.size() &&
                        flags[0] == nominal[column] && flags[1] <= 1 && flags[2] <= 1);
        split.nominal = flags[0] != 0;
        split.missing_left = flags[1] != 0;
        condition.to_left = flags[2] != 0;
    }
}

void archive_rule(Archive& archive, Rule& rule, std::span<const std::uint8_t> nominal,
                  std::uint32_t n_classes) {
    archive.value(rule.weight);
    archive.value(rule.n_conditions);
    archive.value(rule.label);
    archive.value(rule.outcome);
    archive.require(is_finite_and_not_negative(rule.weight) &&
                    rule.n_conditions <= Rule::max_conditions &&
                    (rule.label < n_classes || rule.label == 0) && is_finite(rule.outcome));
    for (std::size_t i = 0; i < rule.n_conditions && archive.ok(); ++i) {
        archive_condition(archive, rule.conditions[i], nominal);
    }
}

}  // namespace

void LookMaker::visit(std::uint32_t place, double weight) const {
    Walk(*this, place, weight).visit({.n_inner = shrubs.n_inner(place)});
}

void LookMaker::finish() const {
    double sum = 0.0;
    for (const double gain : gains) {
        sum += gain;
    }
    const std::size_t n_features = gains.size() - recalled_features;
    for (Importance& importance : look.importances) {
        const auto most = std::ranges::max_element(gains);
        if (!(*most > 0.0)) {
            return;
        }
        const auto feature = static_cast<std::size_t>(most - gains.begin());
        importance.feature = static_cast<std::uint16_t>(
            feature < n_features ? feature : first_recalled + feature - n_features);
        importance.share = static_cast<float>(*most / sum);
        *most = 0.0;
    }
}

void Look::add(const Rule& rule) {
    std::size_t at = n_rules;
    while (at > 0 && rule.weight > rules[at - 1].weight) {
        --at;
    }
    if (at < n_rules) {
        std::copy_backward(rules.begin() + at, rules.end() - 1, rules.end());
        rules[at] = rule;
    }
}

void Look::forget_feature(std::uint32_t feature) {
    for (Importance& importance : importances) {
        if (importance.feature == feature) {
            importance = {};
        }
    }
    for (Rule& rule : rules) {
        if (asks_for(rule, [&](const Condition& c) { return c.split.feature == feature; })) {
            rule = {};
        }
    }
}

void Look::renumber_classes(ClassNumbers now) {
    const auto names_class = [](const Condition& condition) {
        const float threshold = condition.split.threshold;
        return condition.split.feature >= first_recalled && threshold == threshold;
    };
    for (Rule& rule : rules) {
        if (now[rule.label] == gone_class || asks_for(rule, [&](const Condition& condition) {
                return names_class(condition) && !is_class(condition.split.threshold, now);
            })) {
            rule = {};
            continue;
        }
        rule.label = now[rule.label];
        for (Condition& condition : std::span(rule.conditions).first(rule.n_conditions)) {
            if (names_class(condition)) {
                condition.split.threshold = renumbered(condition.split.threshold, now);
            }
        }
    }
}

void Look::archive(Archive& archive, std::span<const std::uint8_t> nominal,
                   std::uint32_t n_classes) {
    archive.value(begun);
    if (begun == 0) {
        return;
    }
    for (Importance& importance : importances) {
        archive.value(importance.feature);
        archive.value(importance.share);
        archive.require(is_finite_and_not_negative(importance.share) &&
                        column_of(importance.feature, nominal.size()) < nominal.size());
    }
    for (Rule& rule : rules) {
        archive_rule(archive, rule, nominal, n_classes);
    }
}

}  // namespace shrubs
