// What a snapshot predicts from, as plain data: all that somebody needs who predicts without us.

#include <vector>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

template <class Numbers>
nb::list as_list(const Numbers& numbers) {
    nb::list result;
    for (const auto number : numbers) {
        result.append(number);
    }
    return result;
}

// One number per class, or one.
template <class Number>
nb::list each_class(std::size_t width, Number number) {
    nb::list result;
    for (std::size_t c = 0; c < width; ++c) {
        result.append(number(c));
    }
    return result;
}

void add_class_weights(nb::dict& parts, const ClassWeights& class_weights) {
    parts["class_weights"] = as_list(class_weights.weights());
    parts["n_examples"] = class_weights.n_examples();
}

// The classes that a leaf knows of, and how much of each: 32768 in all.
nb::tuple shares_of(const Members& members, std::uint32_t i, std::uint32_t leaf) {
    nb::list entries;
    const auto add = [&](std::uint32_t c, std::int32_t share) {
        if (share != 0) {
            entries.append(nb::make_tuple(c, share));
        }
    };
    members.layout().for_each_entry(members.leaves(i), leaf, add);
    return nb::make_tuple("leaf", entries);
}

// -- the learner without tuning ------------------------------------------------------------------

nb::tuple leaf_of(const AutoEnsemble& ensemble, std::uint32_t place, std::uint32_t leaf) {
    if (ensemble.task() == Task::regression) {
        return nb::make_tuple("leaf", ensemble.said_by(place, leaf));
    }
    nb::list entries;
    ensemble.shrubs().counting_leaves(place).for_each(
        leaf, [&](std::uint16_t c, std::uint32_t n) { entries.append(nb::make_tuple(c, n)); });
    return nb::make_tuple("leaf", entries);
}

// Of an expert, in each mixture.
nb::list weights_of(const AutoEnsemble& ensemble, std::uint32_t expert) {
    const Mixtures& mixtures = ensemble.mixtures();
    return each_class(mixtures.n_mixtures(),
                      [&](std::size_t k) { return mixtures.weight(k, expert); });
}

nb::dict shrub_parts(const AutoEnsemble& ensemble, std::uint32_t place) {
    const NewShrub shrub = ensemble.shrubs().shrub(place);
    nb::dict parts;
    parts["weight"] = ensemble.weight(place);
    parts["born"] = ensemble.shrubs().born(place);
    parts["weights"] = weights_of(ensemble, place);
    parts["leans"] = ensemble.leans(place);
    parts["nodes"] =
        nodes_as_list(shrub.node_bytes, shrub.nodes, shrub.n_inner,
                      [&](std::uint32_t leaf) { return leaf_of(ensemble, place, leaf); });
    return parts;
}

// Companions that recall say the same of every x.
template <class Companion>
nb::dict companion_parts(const Companion& companion, const AutoEnsemble& ensemble) {
    static_assert(Companion::recalls);
    std::vector<double> scratch(ensemble.plan().width());
    std::vector<float> prediction(scratch.size());
    companion.predict({{}, ensemble.scale(), ensemble.last_outcomes()}, scratch, prediction);
    nb::dict parts;
    parts["kind"] = "constant";
    parts["prediction"] = as_list(prediction);
    return parts;
}

nb::dict companion_parts(const NaiveBayes& bayes, const AutoEnsemble& ensemble) {
    const std::size_t width = ensemble.plan().width();
    const FeatureScale& scale = ensemble.scale();
    const double total = bayes.total();
    nb::list features;
    for (std::size_t i = 0; i < scale.size(); ++i) {
        if (scale.is_category(i)) {
            features.append(nb::none());
        } else if (scale.is_binary(i)) {
            features.append(each_class(width, [&](std::size_t c) {
                return nb::make_tuple(bayes.log_binary(i, c, false), bayes.log_binary(i, c, true));
            }));
        } else {
            features.append(each_class(width, [&](std::size_t c) {
                const NaiveBayes::Normal normal = bayes.normal(i, c, scale.variance(i));
                return nb::make_tuple(normal.constant, normal.mean, normal.variance);
            }));
        }
    }
    nb::list buckets;
    for (std::size_t bucket = 0; bucket < bayes.n_buckets(); ++bucket) {
        buckets.append(
            each_class(width, [&](std::size_t c) { return bayes.log_category(bucket, c); }));
    }
    nb::dict parts;
    parts["kind"] = "naive Bayes";
    parts["prior"] = each_class(width, [&](std::size_t c) { return bayes.log_prior(c, total); });
    parts["features"] = features;
    parts["buckets"] = buckets;
    return parts;
}

nb::dict companion_parts(const LinearModel& linear, const AutoEnsemble& ensemble) {
    const FeatureScale& scale = ensemble.scale();
    nb::list features;
    for (std::size_t i = 0; i < scale.size(); ++i) {
        if (scale.is_category(i)) {
            features.append(nb::none());
        } else {
            features.append(
                nb::make_tuple(scale.mean(i), scale.inverse_deviation(i), as_list(linear.row(i))));
        }
    }
    nb::list buckets;
    for (std::size_t bucket = 0; bucket < linear.n_buckets(); ++bucket) {
        buckets.append(as_list(linear.row(scale.size() + 1 + bucket)));
    }
    nb::dict parts;
    parts["kind"] = "linear model";
    parts["constant"] = as_list(linear.row(scale.size()));
    parts["features"] = features;
    parts["buckets"] = buckets;
    return parts;
}

nb::dict companion_parts(const Neighbours& neighbours, const AutoEnsemble& ensemble) {
    const FeatureScale& scale = ensemble.scale();
    const std::size_t n_columns = neighbours.features().size();
    nb::list features;
    for (std::size_t i = 0; i < n_columns; ++i) {
        const std::uint16_t feature = neighbours.features()[i];
        if (neighbours.tells(i) && scale.is_nominal(feature)) {
            features.append(nb::make_tuple(feature));
        } else if (neighbours.tells(i)) {
            features.append(
                nb::make_tuple(feature, scale.mean(feature), scale.inverse_deviation(feature)));
        }
    }
    nb::list examples;
    for (std::uint32_t back = 0; back < neighbours.size(); ++back) {
        if (neighbours.label(back) != Neighbours::nobody) {
            nb::list values;
            for (std::size_t i = 0; i < n_columns; ++i) {
                if (neighbours.tells(i)) {
                    values.append(neighbours.value(back, i));
                }
            }
            examples.append(nb::make_tuple(neighbours.label(back), values));
        }
    }
    nb::dict parts;
    parts["kind"] = "nearest neighbours";
    parts["features"] = features;
    parts["examples"] = examples;
    return parts;
}

nb::list companions_of(const AutoEnsemble& ensemble) {
    nb::list result;
    for_each_chosen(ensemble.companions(), ensemble.plan().companions,
                    [&](const auto& companion, std::uint32_t i) {
                        nb::dict parts = companion_parts(companion, ensemble);
                        const std::uint32_t expert = ensemble.plan().n_places + i;
                        parts["name"] = companion.name();
                        parts["weight"] = ensemble.weight(expert);
                        parts["weights"] = weights_of(ensemble, expert);
                        result.append(parts);
                    });
    return result;
}

nb::dict target_parts(const RunningTarget& target) {
    nb::dict parts;
    parts["down"] = target.down();
    parts["mean"] = target.mean();
    parts["deviation"] = target.deviation();
    parts["low"] = target.low();
    parts["high"] = target.high();
    return parts;
}

}  // namespace

nb::dict parts_of(const Snapshot& snapshot) {
    const Members& members = snapshot.members();
    nb::list shrubs;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        const auto leaf = [&](std::uint32_t index) {
            return snapshot.task() == Task::regression
                       ? nb::make_tuple("leaf", members.layout().value(members.leaves(i), index))
                       : shares_of(members, i, index);
        };
        nb::dict shrub;
        shrub["weight"] = members.weights()[i];
        shrub["born"] = members.born(i);
        shrub["nodes"] =
            nodes_as_list(members.node_bytes(), members.nodes(i), members.n_inner(i), leaf);
        shrubs.append(shrub);
    }
    nb::dict parts;
    parts["shrubs"] = shrubs;
    add_class_weights(parts, snapshot.class_weights());
    return parts;
}

nb::dict parts_of(AutoSnapshot& snapshot) {
    const Locked locked(snapshot.lock);
    const AutoEnsemble& ensemble = snapshot.ensemble();
    nb::dict parts;
    nb::list shrubs;
    for (std::uint32_t place = 0; place < ensemble.plan().n_places; ++place) {
        if (ensemble.shrubs().is_grown(place)) {
            shrubs.append(shrub_parts(ensemble, place));
        }
    }
    parts["shrubs"] = shrubs;
    add_class_weights(parts, snapshot.learner().class_weights);
    if (ensemble.examples_seen() == 0 || ensemble.plan().width() == 0) {
        return parts;  // it knows nothing
    }
    parts["shares"] = each_class(ensemble.mixtures().n_mixtures(),
                                 [&](std::size_t k) { return ensemble.mixtures().share(k); });
    parts["companions"] = companions_of(ensemble);
    parts["recalled"] = as_list(ensemble.recalled());
    if (ensemble.task() == Task::regression) {
        parts["target"] = target_parts(ensemble.running_target());
    }
    return parts;
}

}  // namespace shrubs::bindings
