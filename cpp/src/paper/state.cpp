#include "shrubs/paper/state.hpp"

#include <algorithm>
#include <limits>

#include "shrubs/state/archive.hpp"
#include "shrubs/state/nodes.hpp"

namespace shrubs {

namespace {

constexpr Magic magic = {'S', 'H', 'R', 'U', 'B', 'S'};

void put_leaf(Writer& out, const Members& members, std::uint32_t i, std::uint32_t leaf) {
    const LeafLayout& layout = members.layout();
    if (layout.kind() == LeafKind::value) {
        out.put(layout.value(members.leaves(i), leaf));
        return;
    }
    std::uint16_t n_entries = 0;
    layout.for_each_entry(members.leaves(i), leaf, [&](std::uint32_t, std::int32_t q) {
        n_entries = static_cast<std::uint16_t>(n_entries + (q != 0 ? 1 : 0));
    });
    out.put(n_entries);
    layout.for_each_entry(members.leaves(i), leaf, [&](std::uint32_t c, std::int32_t q) {
        if (q != 0) {
            out.put(static_cast<std::uint16_t>(c));
            out.put(static_cast<std::uint16_t>(q));
        }
    });
}

void put_header(Writer& out, const PaperEnsemble& ensemble, std::span<const std::byte> tables) {
    const Config& config = ensemble.config();
    const Dimensions& dimensions = ensemble.dimensions();
    out.put(config.method);
    out.put(config.task);
    out.put(config.loss);
    out.put(config.splitter);
    out.put(static_cast<std::uint8_t>((config.target_scaling ? 1U : 0U) |
                                      (static_cast<unsigned>(config.cache) << 1U)));
    out.put(config.max_shrubs);
    out.put(config.window_size);
    out.put(config.max_depth);
    out.put(config.min_samples_leaf);
    out.put(config.steps_per_example);
    out.put(config.step_size);
    out.put(config.seed);
    out.put(dimensions.n_features);
    out.put(dimensions.n_classes);
    out.put(dimensions.max_features);
    out.put(config.grow_every);
    out.put_bytes(std::as_bytes(ensemble.nominal()));
    out.put(static_cast<std::uint64_t>(tables.size()));
    out.put_bytes(tables);
}

void put_window(Writer& out, const PaperEnsemble& ensemble) {
    const Window& window = ensemble.window();
    out.put(window.size());
    for (std::uint32_t age = 0; age < window.size(); ++age) {
        const std::uint32_t slot = window.slot(age);
        for (std::uint32_t feature = 0; feature < window.n_features(); ++feature) {
            out.put(window.values(feature)[slot]);
        }
        if (ensemble.config().task == Task::classification) {
            out.put(window.labels()[slot]);
        } else {
            out.put(window.targets()[slot]);
        }
    }
}

void put_shrubs(Writer& out, const Members& members) {
    out.put(members.size());
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        out.put(members.weights()[i]);
        out.put(members.born(i));
        out.put(static_cast<std::uint16_t>(members.n_inner(i)));
        for (std::uint32_t node = 0; node < members.n_inner(i); ++node) {
            put_node(out, read_node(members.node_bytes(), members.nodes(i), node));
        }
        for (std::uint32_t leaf = 0; leaf <= members.n_inner(i); ++leaf) {
            put_leaf(out, members, i, leaf);
        }
    }
}

void put_state(Writer& out, const PaperEnsemble& ensemble, std::span<const std::byte> tables,
               std::uint64_t length) {
    put_frame(out, magic, state_version, length);
    put_header(out, ensemble, tables);
    out.put(ensemble.examples_seen());
    out.put(ensemble.stuck_for());
    out.put(static_cast<std::uint8_t>(ensemble.is_frozen()));
    put_window(out, ensemble);
    put_shrubs(out, ensemble.members());
}

bool get_window(Reader& in, const StateHeader& header, PaperEnsemble& ensemble) {
    const auto n_examples = in.get<std::uint32_t>();
    if (n_examples > header.config.window_size) {
        return false;
    }
    const std::span<float> row = ensemble.row();
    for (std::uint32_t age = 0; age < n_examples && in.ok(); ++age) {
        std::ranges::fill(row, std::numeric_limits<float>::quiet_NaN());
        for (std::uint32_t feature = 0; feature < header.dimensions.n_features; ++feature) {
            const auto value = in.get<float>();
            if (value == value && !is_finite(value)) {
                return false;
            }
            row[feature] = value + 0.0F;
        }
        Example example{row};
        if (header.config.task == Task::classification) {
            example.label = in.get<std::uint16_t>();
            if (example.label >= header.dimensions.n_classes) {
                return false;
            }
        } else {
            example.target = in.get<double>();
            if (!is_finite(example.target)) {
                return false;
            }
        }
        if (in.ok()) {
            ensemble.restore_example(example);
        }
    }
    return in.ok();
}

bool get_distribution(Reader& in, const StateHeader& header, std::span<std::int32_t> q,
                      std::uint32_t& entries_left) {
    std::ranges::fill(q, 0);
    const auto n_entries = in.get<std::uint16_t>();
    if (n_entries > entries_left) {
        return false;
    }
    entries_left -= n_entries;
    std::int64_t sum = 0;
    for (std::uint16_t entry = 0; entry < n_entries; ++entry) {
        const auto c = in.get<std::uint16_t>();
        const auto share = in.get<std::uint16_t>();
        if (c >= header.dimensions.n_classes || q[c] != 0) {
            return false;
        }
        q[c] = share;
        sum += share;
    }
    return in.ok() && sum == fixed_one;
}

bool get_leaves(Reader& in, const StateHeader& header, const LeafLayout& layout,
                const NewShrub& shrub, std::span<std::int32_t> q) {
    // The leaves of a shrub were grown on at most `window_size` examples.
    std::uint32_t entries_left = header.config.window_size;
    for (std::uint32_t leaf = 0; leaf <= shrub.n_inner; ++leaf) {
        if (header.config.task == Task::classification) {
            if (!get_distribution(in, header, q, entries_left)) {
                return false;
            }
            layout.set_distribution(shrub.leaves, leaf, q);
        } else {
            const auto value = in.get<double>();
            if (!in.ok() || !is_finite(value)) {
                return false;
            }
            layout.set_value(shrub.leaves, leaf, value);
        }
    }
    return true;
}

bool get_shrubs(Reader& in, const StateHeader& header, PaperEnsemble& ensemble) {
    const auto n_shrubs = in.get<std::uint32_t>();
    const Plan plan = make_plan(ensemble.config(), ensemble.dimensions());
    if (n_shrubs > header.config.max_shrubs) {
        return false;
    }
    double sum = 0.0;
    for (std::uint32_t i = 0; i < n_shrubs; ++i) {
        const auto weight = in.get<double>();
        const auto born = in.get<std::uint64_t>();
        NewShrub shrub = ensemble.next_shrub();
        shrub.n_inner = in.get<std::uint16_t>();
        if (!(weight > 0.0) || !is_finite(weight) || shrub.n_inner >= plan.max_leaves ||
            !get_nodes(in, header.nominal, shrub) ||
            !is_tree(shrub, header.config.max_depth, ensemble.restore_scratch().pending) ||
            !get_leaves(in, header, plan.layout, shrub, ensemble.restore_scratch().distribution)) {
            return false;
        }
        sum += weight;
        ensemble.restore_shrub(shrub, weight, born);
    }
    return in.ok() && (n_shrubs == 0 || (sum > 0.999999 && sum < 1.000001));
}

}  // namespace

std::size_t state_bytes(const PaperEnsemble& ensemble, std::span<const std::byte> tables) {
    Writer counter({});
    put_state(counter, ensemble, tables, 0);
    return counter.size() + frame_end;
}

void save_state(const PaperEnsemble& ensemble, std::span<const std::byte> tables,
                std::span<std::byte> state) {
    Writer out(state);
    put_state(out, ensemble, tables, state.size());
    out.put(checksum(state.first(state.size() - frame_end)));
}

StateHeader read_header(std::span<const std::byte> state) {
    StateHeader header;
    const auto fail = [&](StateError error) {
        header.error = error;
        return header;
    };
    std::uint16_t version = 0;
    const StateError error = read_frame(state, magic, state_version, version);
    if (error != StateError::none) {
        return fail(error);
    }
    Reader in(state.first(state.size() - frame_end), frame_begin);
    header.config.method = in.get<Method>();
    header.config.task = in.get<Task>();
    header.config.loss = in.get<Loss>();
    header.config.splitter = in.get<Splitter>();
    const auto flags = in.get<std::uint8_t>();
    header.config.target_scaling = (flags & 1U) != 0;
    header.config.cache = static_cast<Cache>(flags >> 1U);
    header.config.max_shrubs = in.get<std::uint32_t>();
    header.config.window_size = in.get<std::uint32_t>();
    header.config.max_depth = in.get<std::uint32_t>();
    header.config.min_samples_leaf = in.get<std::uint32_t>();
    header.config.steps_per_example = in.get<std::uint32_t>();
    header.config.step_size = in.get<double>();
    header.config.seed = in.get<std::uint64_t>();
    header.dimensions.n_features = in.get<std::uint32_t>();
    header.dimensions.n_classes = in.get<std::uint32_t>();
    header.dimensions.max_features = in.get<std::uint32_t>();
    header.config.grow_every = version == 1 ? 1 : in.get<std::uint32_t>();
    if (!in.ok() || !is_valid(header.config, header.dimensions)) {
        return fail(StateError::invalid);
    }
    header.nominal = in.get_bytes(header.dimensions.n_features);
    const auto tables_size = in.get<std::uint64_t>();
    header.tables = in.get_bytes(tables_size);
    header.contents = in.at();
    const bool kinds_valid =
        std::ranges::all_of(header.nominal, [](std::byte kind) { return kind <= std::byte{1}; });
    return in.ok() && kinds_valid ? header : fail(StateError::invalid);
}

StateError load_state(std::span<const std::byte> state, const StateHeader& header,
                      PaperEnsemble& ensemble) {
    Reader in(state.first(state.size() - frame_end), header.contents);
    const auto examples_seen = in.get<std::uint64_t>();
    const auto stuck_for = in.get<std::uint32_t>();
    const auto frozen = in.get<std::uint8_t>();
    if (!in.ok() || frozen > 1 || stuck_for > header.config.window_size ||
        !get_window(in, header, ensemble) || !get_shrubs(in, header, ensemble) || !in.at_end()) {
        return StateError::invalid;
    }
    ensemble.finish_restoring(examples_seen, stuck_for, frozen == 1);
    return StateError::none;
}

}  // namespace shrubs
