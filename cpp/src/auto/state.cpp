#include "shrubs/auto/state.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/state/archive.hpp"
#include "shrubs/state/nodes.hpp"

namespace shrubs {

namespace {

constexpr Magic magic = {'S', 'H', 'R', 'U', 'B', 'A'};

template <class T>
void put_all(Writer& out, std::span<const T> values) {
    out.put_bytes(std::as_bytes(values));
}

// Reads as many values as there is room for; each must be `valid`.
template <class T, class Valid>
bool get_all(Reader& in, std::span<T> values, Valid valid) {
    for (T& value : values) {
        value = in.get<T>();
    }
    return in.ok() && std::ranges::all_of(values, valid);
}

bool is_positive(double value) {
    return value >= 0.0 && is_finite(value);
}
bool is_number(double value) {
    return is_finite(value);
}
// Of a feature: no value is beyond the largest float, no difference beyond twice that.
bool is_mean(double value) {
    constexpr double most = 2.0 * std::numeric_limits<float>::max();
    return value >= -most && value <= most;
}
bool is_variance(double value) {
    constexpr double most = 4.0 * std::numeric_limits<float>::max();
    return value >= 0.0 && value <= most * most;
}
bool is_number_or_missing(double value) {
    return value != value || is_finite(value);
}

}  // namespace

/// Reads and writes what an ensemble keeps.
class AutoState {
 public:
    static void put(Writer& out, const AutoEnsemble& ensemble) {
        out.put(ensemble.examples_seen_);
        out.put(ensemble.loss_);
        for (std::uint32_t g = 0; g < ensemble.plan_.n_groups; ++g) {
            out.put(ensemble.since_grown_[g]);
        }
        put_window(out, ensemble);
        for (std::uint32_t place = 0; place < ensemble.plan_.n_places; ++place) {
            put_shrub(out, ensemble, place);
        }
        for (std::size_t k = 0; k < auto_step_sizes.size(); ++k) {
            for (std::uint32_t expert = 0; expert < ensemble.plan_.n_experts; ++expert) {
                out.put(ensemble.mixtures_.weight(k, expert));
            }
        }
        put_all<double>(out, ensemble.mixtures_.losses());
        put_companions(out, ensemble);
    }

    static bool get(Reader& in, AutoEnsemble& ensemble) {
        ensemble.examples_seen_ = in.get<std::uint64_t>();
        ensemble.loss_ = in.get<double>();
        if (!in.ok() || !is_positive(ensemble.loss_) ||
            !get_all(in, std::span(ensemble.since_grown_).first(ensemble.plan_.n_groups),
                     [](std::uint32_t) { return true; }) ||
            !get_window(in, ensemble)) {
            return false;
        }
        for (std::uint32_t place = 0; place < ensemble.plan_.n_places; ++place) {
            if (!get_shrub(in, ensemble, place)) {
                return false;
            }
        }
        for (std::size_t k = 0; k < auto_step_sizes.size(); ++k) {
            for (std::uint32_t expert = 0; expert < ensemble.plan_.n_experts; ++expert) {
                const auto weight = in.get<double>();
                if (!is_positive(weight) || weight > 2.0) {
                    return false;
                }
                ensemble.mixtures_.set_weight(k, expert, weight);
            }
        }
        if (!get_all(in, ensemble.mixtures_.losses(), is_positive) ||
            !get_companions(in, ensemble)) {
            return false;
        }
        ensemble.mixtures_.update_shares();
        ensemble.update_present();
        ensemble.mixtures_.restore({ensemble.present_.data(), ensemble.n_present_});
        return in.at_end();
    }

 private:
    static void put_window(Writer& out, const AutoEnsemble& ensemble) {
        const Window& window = ensemble.window_;
        out.put(window.size());
        for (std::uint32_t age = 0; age < window.size(); ++age) {
            const std::uint32_t slot = window.slot(age);
            put_all<float>(out, {window.row(slot), window.n_features()});
            if (ensemble.config_.task == Task::classification) {
                out.put(window.labels()[slot]);
            } else {
                out.put(window.targets()[slot]);
            }
        }
    }

    static bool get_window(Reader& in, AutoEnsemble& ensemble) {
        const auto n_examples = in.get<std::uint32_t>();
        if (n_examples > ensemble.plan_.window_size || n_examples > ensemble.examples_seen_ ||
            (n_examples == 0 && ensemble.examples_seen_ > 0)) {
            return false;
        }
        for (std::uint32_t age = 0; age < n_examples; ++age) {
            if (!get_all(in, ensemble.row_, is_number_or_missing)) {
                return false;
            }
            for (float& value : ensemble.row_) {
                value += 0.0F;
            }
            Example example{ensemble.row_};
            if (ensemble.config_.task == Task::classification) {
                example.label = in.get<std::uint16_t>();
            } else {
                example.target = in.get<double>();
            }
            if (!in.ok() || !is_finite(example.target) ||
                (ensemble.config_.task == Task::classification &&
                 example.label >= ensemble.dimensions_.n_classes)) {
                return false;
            }
            ensemble.window_.append(example.x, example.label, example.target);
        }
        return in.ok();
    }

    static std::size_t leaf_bytes(const AutoEnsemble& ensemble) {
        return static_cast<std::size_t>(
            auto_leaf_bytes(ensemble.config_.task, ensemble.plan_.width));
    }

    static void put_shrub(Writer& out, const AutoEnsemble& ensemble, std::uint32_t place) {
        out.put(ensemble.n_inner_[place]);
        if (!ensemble.is_grown(place)) {
            return;
        }
        const std::uint32_t n_inner = ensemble.n_inner_[place];
        out.put(ensemble.born_[place]);
        out.put(ensemble.losses_[place]);
        for (std::uint32_t i = 0; i < n_inner; ++i) {
            put_node(out, read_node(NodeBytes::wide, ensemble.nodes(place), i));
        }
        put_all<std::byte>(out, {ensemble.leaves(place), (n_inner + 1) * leaf_bytes(ensemble)});
    }

    static bool get_shrub(Reader& in, AutoEnsemble& ensemble, std::uint32_t place) {
        const auto n_inner = in.get<std::uint16_t>();
        ensemble.n_inner_[place] = n_inner;
        if (!in.ok() || !ensemble.is_grown(place)) {
            return in.ok();
        }
        ensemble.born_[place] = in.get<std::uint64_t>();
        ensemble.losses_[place] = in.get<double>();
        const NewShrub shrub{ensemble.nodes(place), nullptr, NodeBytes::wide, n_inner};
        if (n_inner >= ensemble.group_of(place).max_leaves ||
            ensemble.born_[place] >= ensemble.examples_seen_ ||
            !is_positive(ensemble.losses_[place]) ||
            !get_nodes(in, std::as_bytes(std::span(ensemble.nominal_)), shrub) ||
            !is_tree(shrub, largest_auto_depth, ensemble.grow_scratch_.pending)) {
            return false;
        }
        const auto bytes = in.get_bytes((n_inner + std::uint64_t{1}) * leaf_bytes(ensemble));
        if (!in.ok()) {
            return false;
        }
        std::ranges::copy(bytes, ensemble.leaves(place));
        for (std::uint32_t leaf = 0; leaf <= n_inner; ++leaf) {
            if (!is_leaf(ensemble, place, leaf)) {
                return false;
            }
        }
        return true;
    }

    // A leaf is grown with at most a whole window, and keeps at most `most_in_leaf` examples later.
    static bool is_leaf(const AutoEnsemble& ensemble, std::uint32_t place, std::uint32_t leaf) {
        if (ensemble.config_.task == Task::regression) {
            const AveragingLeaves leaves(ensemble.leaves(place));
            return is_finite(leaves.mean(leaf)) && leaves.count(leaf) >= 1 &&
                   leaves.count(leaf) <= most_in_leaf;
        }
        const CountingLeaves leaves(ensemble.leaves(place), ensemble.plan_.width);
        std::uint32_t n = 0;
        for (std::size_t c = 0; c < ensemble.plan_.width; ++c) {
            n += leaves.count(leaf, c);
        }
        return n <= std::max(most_in_leaf, ensemble.group_of(place).length);
    }

    static void put_companions(Writer& out, const AutoEnsemble& ensemble) {
        const FeatureScale::Memory& scale = ensemble.scale_.memory();
        put_all<double>(out, scale.means);
        put_all<double>(out, scale.variances);
        put_all<std::uint16_t>(out, scale.seen);
        put_all<std::uint8_t>(out, scale.binary);
        for (std::uint32_t i = 0; i < ensemble.plan_.n_bayes; ++i) {
            const NaiveBayes::Memory& bayes = ensemble.bayes_[i].memory();
            out.put(ensemble.bayes_[i].next_weight());
            put_all<double>(out, bayes.n);
            put_all<float>(out, bayes.means);
            put_all<float>(out, bayes.variances);
            put_all<float>(out, bayes.buckets);
        }
        put_all<float>(out, ensemble.linear_.memory().weights);
        put_all<float>(out, ensemble.linear_.memory().squares);
        if (ensemble.config_.task == Task::regression) {
            const RunningTarget::State& target = ensemble.running_target_.state();
            out.put(target.exponent);
            out.put(target.seen);
            out.put(target.mean);
            out.put(target.variance);
        }
    }

    // Whether no target in the window is larger than the largest so far.
    static bool covers_window(const AutoEnsemble& ensemble) {
        const double down = ensemble.running_target_.down();
        for (std::uint32_t age = 0; age < ensemble.window_.size(); ++age) {
            const double y = ensemble.window_.targets()[ensemble.window_.slot(age)] * down;
            if (!(y > -4.0 && y < 4.0)) {
                return false;
            }
        }
        return true;
    }

    static bool get_companions(Reader& in, AutoEnsemble& ensemble) {
        const FeatureScale::Memory& scale = ensemble.scale_.memory();
        const std::uint64_t most_seen =
            std::min<std::uint64_t>(ensemble.examples_seen_, FeatureScale::longest);
        if (!get_all(in, scale.means, is_mean) || !get_all(in, scale.variances, is_variance) ||
            !get_all(in, scale.seen, [&](std::uint16_t seen) { return seen <= most_seen; }) ||
            !get_all(in, scale.binary, [](std::uint8_t flag) { return flag <= 1; })) {
            return false;
        }
        for (std::uint32_t i = 0; i < ensemble.plan_.n_bayes; ++i) {
            const NaiveBayes::Memory& bayes = ensemble.bayes_[i].memory();
            const auto next_weight = in.get<double>();
            if (!(next_weight >= 1.0 && next_weight <= 2.0) || !get_all(in, bayes.n, is_positive) ||
                !get_all(in, bayes.means, is_number_or_missing) ||
                !get_all(in, bayes.variances, is_positive) ||
                !get_all(in, bayes.buckets, is_positive)) {
                return false;
            }
            ensemble.bayes_[i].set_next_weight(next_weight);
        }
        if (!get_all(in, ensemble.linear_.memory().weights, is_number) ||
            !get_all(in, ensemble.linear_.memory().squares, is_positive)) {
            return false;
        }
        if (ensemble.config_.task == Task::regression) {
            RunningTarget::State target;
            target.exponent = in.get<std::int32_t>();
            target.seen = in.get<std::uint32_t>();
            target.mean = in.get<double>();
            target.variance = in.get<double>();
            ensemble.running_target_.set_state(target);
            if (!in.ok() || !RunningTarget::is_valid(target) ||
                target.seen !=
                    std::min<std::uint64_t>(ensemble.examples_seen_, RunningTarget::longest) ||
                !covers_window(ensemble)) {
                return false;
            }
        }
        return in.ok();
    }
};

namespace {

void put_state(Writer& out, const AutoEnsemble& ensemble, std::span<const std::byte> tables,
               std::uint64_t length) {
    put_frame(out, magic, auto_state_version, length);
    out.put(ensemble.config().task);
    out.put(ensemble.config().arena_bytes);
    out.put(ensemble.config().seed);
    out.put(ensemble.dimensions().n_features);
    out.put(ensemble.dimensions().n_classes);
    out.put_bytes(std::as_bytes(ensemble.nominal()));
    out.put(static_cast<std::uint64_t>(tables.size()));
    out.put_bytes(tables);
    AutoState::put(out, ensemble);
}

}  // namespace

bool is_auto_state(std::span<const std::byte> state) {
    return state.size() >= magic.size() &&
           std::memcmp(state.data(), magic.data(), magic.size()) == 0;
}

std::size_t auto_state_bytes(const AutoEnsemble& ensemble, std::span<const std::byte> tables) {
    Writer counter({});
    put_state(counter, ensemble, tables, 0);
    return counter.size() + frame_end;
}

void save_auto_state(const AutoEnsemble& ensemble, std::span<const std::byte> tables,
                     std::span<std::byte> state) {
    Writer out(state);
    put_state(out, ensemble, tables, state.size());
    out.put(checksum(state.first(state.size() - frame_end)));
}

AutoStateHeader read_auto_header(std::span<const std::byte> state) {
    AutoStateHeader header;
    std::uint16_t version = 0;
    header.error = read_frame(state, magic, auto_state_version, version);
    if (header.error != StateError::none) {
        return header;
    }
    Reader in(state.first(state.size() - frame_end), frame_begin);
    header.config.task = in.get<Task>();
    header.config.arena_bytes = in.get<std::uint64_t>();
    header.config.seed = in.get<std::uint64_t>();
    header.dimensions.n_features = in.get<std::uint32_t>();
    header.dimensions.n_classes = in.get<std::uint32_t>();
    header.nominal = in.get_bytes(header.dimensions.n_features);
    const auto tables_size = in.get<std::uint64_t>();
    header.tables = in.get_bytes(tables_size);
    header.contents = in.at();
    const bool kinds_valid =
        std::ranges::all_of(header.nominal, [](std::byte kind) { return kind <= std::byte{1}; });
    const auto n_nominal =
        static_cast<std::uint32_t>(std::ranges::count(header.nominal, std::byte{1}));
    if (!in.ok() || !kinds_valid || !is_valid(header.config, header.dimensions) ||
        make_auto_plan(header.config, header.dimensions, n_nominal).window_size == 0) {
        header.error = StateError::invalid;
    }
    return header;
}

StateError load_auto_state(std::span<const std::byte> state, const AutoStateHeader& header,
                           AutoEnsemble& ensemble) {
    Reader in(state.first(state.size() - frame_end), header.contents);
    return AutoState::get(in, ensemble) ? StateError::none : StateError::invalid;
}

}  // namespace shrubs
