// Times one draw from the paper's search space on a full window, and prints one JSON line:
// microseconds of CPU time per example of the core and of the plain version, bytes, and a digest of
// what the core predicts, which no change of its speed may change.
//
//     draw_bench examples=FILE max_shrubs=64 window_size=8192 max_depth=4 splitter=best ...
//
// FILE holds four-byte numbers: examples, features, classes; for each feature 1 if it is nominal;
// for each example its features as floats and its label.
//
// A window is filled at less cost: shrubs are considered so seldom that twice as many are grown as
// there are members, then a learner that considers all of them takes over. The plain version takes
// over what the core has after the clock has stopped; it takes categories for numbers, which is the
// same work.

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "plain_ensemble.hpp"
#include "shrubs/paper/ensemble.hpp"

namespace {

using namespace shrubs;
using namespace shrubs::plain;

struct Draw {
    Config config;
    std::uint32_t max_features = 0;  ///< 0: all
    std::uint32_t n_examples = 200;  ///< timed; as many come before to settle
    std::uint32_t n_plain = 1;
    std::string examples;
};

struct Examples {
    std::uint32_t n = 0;
    Dimensions dimensions;
    std::vector<std::uint8_t> nominal;
    std::vector<float> values;
    std::vector<std::uint16_t> labels;

    Example operator[](std::size_t i) const {
        const std::size_t row = i % n;
        return {std::span(values).subspan(row * nominal.size(), nominal.size()), labels[row]};
    }
};

[[noreturn]] void fail(std::string_view what, std::string_view argument) {
    std::fprintf(stderr, "%.*s '%.*s'\n", static_cast<int>(what.size()), what.data(),
                 static_cast<int>(argument.size()), argument.data());
    std::exit(2);
}

template <class Number>
void read_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        fail("expected a number, got", text);
    }
}

void read_argument(std::string_view argument, Draw& draw) {
    const std::size_t equals = std::min(argument.find('='), argument.size() - 1);
    const std::string_view name = argument.substr(0, equals);
    const std::string_view value = argument.substr(equals + 1);
    if (name == "examples") {
        draw.examples = value;
    } else if (name == "splitter" && (value == "best" || value == "random")) {
        draw.config.splitter = value == "best" ? Splitter::best : Splitter::random;
    } else if (name == "step_size") {
        read_number(value, draw.config.step_size);
    } else {
        std::uint32_t* number = name == "max_shrubs"          ? &draw.config.max_shrubs
                                : name == "window_size"       ? &draw.config.window_size
                                : name == "max_depth"         ? &draw.config.max_depth
                                : name == "steps_per_example" ? &draw.config.steps_per_example
                                : name == "max_features"      ? &draw.max_features
                                : name == "n_examples"        ? &draw.n_examples
                                : name == "n_plain"           ? &draw.n_plain
                                                              : nullptr;
        if (number == nullptr) {
            fail("unknown argument", argument);
        }
        read_number(value, *number);
    }
}

Examples read_examples(const Draw& draw) {
    std::ifstream file(draw.examples, std::ios::binary);
    const auto next = [&] {
        std::uint32_t number = 0;
        file.read(reinterpret_cast<char*>(&number), sizeof number);
        return number;
    };
    Examples examples{.n = next(), .dimensions = {}, .nominal = {}, .values = {}, .labels = {}};
    examples.dimensions.n_features = next();
    examples.dimensions.n_classes = next();
    const std::uint32_t n_features = examples.dimensions.n_features;
    examples.dimensions.max_features = draw.max_features == 0 ? n_features : draw.max_features;
    for (std::uint32_t i = 0; i < n_features; ++i) {
        examples.nominal.push_back(static_cast<std::uint8_t>(next()));
    }
    for (std::uint32_t i = 0; i < examples.n; ++i) {
        for (std::uint32_t feature = 0; feature < n_features; ++feature) {
            examples.values.push_back(std::bit_cast<float>(next()));
        }
        examples.labels.push_back(static_cast<std::uint16_t>(next()));
    }
    if (!file || examples.n == 0 || !is_valid(draw.config, examples.dimensions)) {
        fail("cannot run this draw on", draw.examples);
    }
    return examples;
}

// A learner and its memory.
struct Learner {
    std::vector<std::uint64_t> arena;
    PaperEnsemble core;

    Learner(const Config& config, const Examples& examples)
        : arena(PaperEnsemble::report(config, examples.dimensions).total() / sizeof arena[0] + 1),
          core(config, examples.dimensions, examples.nominal,
               std::as_writable_bytes(std::span(arena))) {}
};

void fill_window(const Draw& draw, const Examples& examples, PaperEnsemble& core) {
    Config seldom = draw.config;
    seldom.grow_every = std::max(draw.config.window_size / (2 * draw.config.max_shrubs), 1U);
    seldom.steps_per_example = 1;
    Learner first(seldom, examples);
    for (std::uint32_t i = 0; i < seldom.window_size + 2 * seldom.max_shrubs; ++i) {
        first.core.learn(examples[i]);
    }
    core.copy_from(first.core);
}

struct Digest {
    std::uint64_t bits = 0xCBF29CE484222325;

    void add(std::span<const double> numbers) {
        for (const double number : numbers) {
            bits = (bits ^ std::bit_cast<std::uint64_t>(number)) * 0x100000001B3;
        }
    }
};

// The subtree of the next node in preorder; returns its place.
std::uint32_t copy_subtree(const Members& members, std::uint32_t member, std::uint32_t n_inner,
                           std::uint32_t& next, PlainShrub& shrub) {
    const auto place = static_cast<std::uint32_t>(shrub.nodes.size());
    shrub.nodes.emplace_back();
    if (n_inner == 0) {
        std::vector<std::int32_t> q(shrub.n_classes);
        const auto leaf = static_cast<std::uint32_t>(shrub.leaves.size() / shrub.n_classes);
        members.layout().get_distribution(members.leaves(member), leaf, q);
        for (const std::int32_t entry : q) {
            shrub.leaves.push_back(entry * from_fixed);
        }
        shrub.nodes[place].right = leaf;
        return place;
    }
    const Node node = read_node(members.node_bytes(), members.nodes(member), next++);
    const std::uint32_t left = copy_subtree(members, member, node.n_left, next, shrub);
    const std::uint32_t right =
        copy_subtree(members, member, n_inner - 1 - node.n_left, next, shrub);
    shrub.nodes[place] = {node.split.feature, node.split.threshold, left, right};
    return place;
}

PlainEnsemble take_over(const PaperEnsemble& core) {
    const std::size_t n_features = core.dimensions().n_features;
    PlainEnsemble::State state{.examples_seen = core.examples_seen()};
    for (std::uint32_t age = 0; age < core.window().size(); ++age) {
        const std::uint32_t slot = core.window().slot(age);
        LabelledExample example{std::vector<float>(n_features), core.window().labels()[slot]};
        core.window().copy_example(slot, example.x);
        state.window.push_back(std::move(example));
    }
    const Members& members = core.members();
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        PlainShrub shrub;
        shrub.born = members.born(i);
        shrub.n_classes = core.dimensions().n_classes;
        std::uint32_t next = 0;
        copy_subtree(members, i, members.n_inner(i), next, shrub);
        state.shrubs.push_back(std::move(shrub));
        state.weights.push_back(members.weights()[i]);
    }
    return {core.config(), core.dimensions(), Gradient::floating, std::move(state)};
}

double microseconds_since(std::clock_t start, std::uint32_t n) {
    return 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / std::max(n, 1U);
}

}  // namespace

int main(int count, char** arguments) {
    Draw draw;
    for (int i = 1; i < count; ++i) {
        read_argument(arguments[i], draw);
    }
    const Examples examples = read_examples(draw);
    Learner learner(draw.config, examples);
    PaperEnsemble& core = learner.core;
    fill_window(draw, examples, core);
    std::vector<double> f(examples.dimensions.n_classes);
    Digest digest;
    const auto learn = [&](std::uint32_t n) {
        const std::clock_t start = std::clock();
        for (std::uint32_t i = 0; i < n; ++i) {
            const Example example = examples[core.examples_seen()];
            core.predict_next(example.x, f);
            core.learn_next(example);
            digest.add(f);
        }
        return microseconds_since(start, n);
    };
    learn(draw.n_examples);
    const double core_us = learn(draw.n_examples);
    digest.add(core.members().weights().first(core.members().size()));
    PlainEnsemble plain = take_over(core);
    const std::clock_t start = std::clock();
    for (std::uint32_t i = 0; i < draw.n_plain; ++i) {
        const Example example = examples[core.examples_seen() + i];
        f = plain.predict(example.x);
        plain.learn(example.x, example.label);
    }
    std::printf(
        "{\"core_us\": %.3f, \"plain_us\": %.1f, \"bytes\": %llu, \"digest\": \"%016llx\"}\n",
        core_us, microseconds_since(start, draw.n_plain),
        static_cast<unsigned long long>(learner.arena.size() * sizeof(std::uint64_t)),
        static_cast<unsigned long long>(digest.bits));
    return 0;
}
