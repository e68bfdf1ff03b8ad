// Runs the core and the plain version over the same stream in one process, in turns, and prints one
// JSON line: microseconds of CPU time per example of both (prediction and one step of Algorithm 1),
// their ratio, and whether they agreed.
//
//     plain_bench max_shrubs=32 window_size=256 max_depth=8 ...      timing; see `Setting` for
//     names plain_bench mode=exact ...                                     comparison to the bit

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include "drifting_stream.hpp"
#include "plain_ensemble.hpp"
#include "shrubs/paper/ensemble.hpp"
#include "shrubs/paper/plan.hpp"

namespace {

using namespace shrubs;
using namespace shrubs::plain;

struct Setting {
    Config config{.max_depth = 8};
    Dimensions dimensions{.n_features = 8, .n_classes = 2, .max_features = 0};
    DriftingStream::Kind stream = DriftingStream::Kind::rotating;
    Gradient gradient = Gradient::floating;
    std::uint32_t warm_up = 1000;  ///< examples before the clock counts
    std::uint32_t n_examples = 1000;
    std::uint32_t n_repeats = 3;
};

struct Outcome {
    std::vector<double> core_seconds;   ///< by block
    std::vector<double> plain_seconds;  ///< by block
    std::uint64_t n_examples = 0;
    std::uint64_t n_right = 0;
    std::uint64_t n_same_label = 0;
    std::uint64_t n_entered = 0;      ///< newcomers that got a weight
    double largest_difference = 0.0;  ///< between two entries of f
    bool same_bits = true;
};

// The two take turns every so many examples, so that both meet the same weather.
constexpr std::uint32_t block_size = 50;

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

void read_choice(std::string_view text, std::string_view first, std::string_view second,
                 bool& is_second) {
    if (text != first && text != second) {
        fail("unknown value", text);
    }
    is_second = text == second;
}

void read_argument(std::string_view argument, Setting& setting) {
    const std::size_t equals = std::min(argument.find('='), argument.size() - 1);
    const std::string_view name = argument.substr(0, equals);
    const std::string_view value = argument.substr(equals + 1);
    bool second = false;
    if (name == "max_shrubs") return read_number(value, setting.config.max_shrubs);
    if (name == "window_size") return read_number(value, setting.config.window_size);
    if (name == "max_depth") return read_number(value, setting.config.max_depth);
    if (name == "min_samples_leaf") return read_number(value, setting.config.min_samples_leaf);
    if (name == "steps_per_example") return read_number(value, setting.config.steps_per_example);
    if (name == "step_size") return read_number(value, setting.config.step_size);
    if (name == "seed") return read_number(value, setting.config.seed);
    if (name == "n_features") return read_number(value, setting.dimensions.n_features);
    if (name == "n_classes") return read_number(value, setting.dimensions.n_classes);
    if (name == "max_features") return read_number(value, setting.dimensions.max_features);
    if (name == "warm_up") return read_number(value, setting.warm_up);
    if (name == "n_examples") return read_number(value, setting.n_examples);
    if (name == "n_repeats") return read_number(value, setting.n_repeats);
    if (name == "splitter") {
        read_choice(value, "best", "random", second);
        setting.config.splitter = second ? Splitter::random : Splitter::best;
    } else if (name == "stream") {
        read_choice(value, "rotating", "led", second);
        setting.stream = second ? DriftingStream::Kind::led : DriftingStream::Kind::rotating;
    } else if (name == "mode") {
        read_choice(value, "floating", "exact", second);
        setting.gradient = second ? Gradient::exact : Gradient::floating;
    } else {
        fail("unknown argument", argument);
    }
}

Setting read_arguments(int count, char** arguments) {
    Setting setting;
    for (int i = 1; i < count; ++i) {
        read_argument(arguments[i], setting);
    }
    if (setting.dimensions.max_features == 0) {
        setting.dimensions.max_features = setting.dimensions.n_features;
    }
    const bool led = setting.stream == DriftingStream::Kind::led;
    if (!is_valid(setting.config, setting.dimensions) || setting.dimensions.n_classes < 2 ||
        (led && (setting.dimensions.n_classes != 10 || setting.dimensions.n_features < 7))) {
        fail("cannot run", "this setting");
    }
    return setting;
}

std::size_t arg_max(const std::vector<double>& f) {
    return static_cast<std::size_t>(std::ranges::max_element(f) - f.begin());
}

// The core stores inner nodes in preorder and leaves from left to right.
struct CoreCursor {
    std::uint32_t inner = 0;
    std::uint32_t leaf = 0;
};

bool same_subtree(const Members& members, std::uint32_t member, const PlainShrub& plain,
                  std::uint32_t node_index, CoreCursor& cursor) {
    const PlainNode& node = plain.nodes[node_index];
    if (node.left == 0) {
        std::vector<std::int32_t> q(plain.n_classes);
        members.layout().get_distribution(members.leaves(member), cursor.leaf++, q);
        return std::equal(q.begin(), q.end(), plain.leaves.begin() + node.right * plain.n_classes,
                          [](std::int32_t entry, double h) { return entry == h * fixed_one; });
    }
    if (cursor.inner >= members.n_inner(member)) {
        return false;
    }
    const Node core = read_node(members.node_bytes(), members.nodes(member), cursor.inner++);
    return core.split.feature == node.feature && core.split.threshold == node.threshold &&
           same_subtree(members, member, plain, node.left, cursor) &&
           same_subtree(members, member, plain, node.right, cursor);
}

bool same_model(const Members& members, const PlainEnsemble& plain) {
    if (members.size() != plain.shrubs().size()) {
        return false;
    }
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        CoreCursor cursor;
        if (members.weights()[i] != plain.weights()[i] ||
            members.born(i) != plain.shrubs()[i].born ||
            !same_subtree(members, i, plain.shrubs()[i], 0, cursor) ||
            cursor.inner != members.n_inner(i)) {
            return false;
        }
    }
    return true;
}

double seconds_since(std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

struct Block {
    std::vector<std::vector<float>> x;
    std::vector<std::uint16_t> labels;
};

Block next_block(DriftingStream& stream, std::uint32_t n_features) {
    Block block{{block_size, std::vector<float>(n_features)},
                std::vector<std::uint16_t>(block_size)};
    for (std::size_t i = 0; i < block_size; ++i) {
        block.labels[i] = stream.next(block.x[i]);
    }
    return block;
}

using Predictions = std::vector<std::vector<double>>;

void compare(const Block& block, const Predictions& core, const Predictions& plain,
             Outcome& outcome) {
    for (std::size_t i = 0; i < block_size; ++i) {
        outcome.n_right += arg_max(core[i]) == block.labels[i] ? 1 : 0;
        outcome.n_same_label += arg_max(core[i]) == arg_max(plain[i]) ? 1 : 0;
        outcome.same_bits = outcome.same_bits && core[i] == plain[i];
        for (std::size_t c = 0; c < core[i].size(); ++c) {
            outcome.largest_difference =
                std::max(outcome.largest_difference, std::abs(core[i][c] - plain[i][c]));
        }
    }
    outcome.n_examples += block_size;
}

Outcome run_once(const Setting& setting) {
    const std::vector<std::uint8_t> nominal(setting.dimensions.n_features, 0);
    std::vector<std::uint64_t> arena(
        PaperEnsemble::report(setting.config, setting.dimensions).total() / sizeof(std::uint64_t) +
        1);
    PaperEnsemble core(setting.config, setting.dimensions, nominal,
                       std::as_writable_bytes(std::span(arena)));
    PlainEnsemble plain(setting.config, setting.dimensions, setting.gradient);
    DriftingStream stream(setting.stream, setting.dimensions.n_features,
                          setting.dimensions.n_classes);
    Predictions core_f(block_size, std::vector<double>(setting.dimensions.n_classes));
    Predictions plain_f = core_f;
    Outcome outcome;
    while (outcome.n_examples < setting.warm_up + setting.n_examples) {
        const Block block = next_block(stream, setting.dimensions.n_features);
        const std::clock_t core_start = std::clock();
        for (std::size_t i = 0; i < block_size; ++i) {
            core.predict_next(block.x[i], core_f[i]);
            core.learn_next({block.x[i], block.labels[i]});
        }
        outcome.core_seconds.push_back(seconds_since(core_start));
        const std::clock_t plain_start = std::clock();
        for (std::size_t i = 0; i < block_size; ++i) {
            plain_f[i] = plain.predict(block.x[i]);
            plain.learn(block.x[i], block.labels[i]);
            const bool entered = plain.shrubs().back().born == outcome.n_examples + i;
            outcome.n_entered += entered ? 1 : 0;
        }
        outcome.plain_seconds.push_back(seconds_since(plain_start));
        compare(block, core_f, plain_f, outcome);
        outcome.same_bits = outcome.same_bits && same_model(core.members(), plain);
    }
    return outcome;
}

void keep_best(std::vector<double>& best, const std::vector<double>& seconds) {
    for (std::size_t i = 0; i < best.size(); ++i) {
        best[i] = std::min(best[i], seconds[i]);
    }
}

double microseconds_per_example(const std::vector<double>& block_seconds, std::size_t warm_up) {
    double sum = 0.0;
    for (std::size_t i = warm_up; i < block_seconds.size(); ++i) {
        sum += block_seconds[i];
    }
    return 1e6 * sum / static_cast<double>((block_seconds.size() - warm_up) * block_size);
}

void print(const Setting& setting, const Outcome& outcome) {
    const std::size_t warm_up = (setting.warm_up + block_size - 1) / block_size;
    const double core = microseconds_per_example(outcome.core_seconds, warm_up);
    const double plain = microseconds_per_example(outcome.plain_seconds, warm_up);
    const auto n = static_cast<double>(outcome.n_examples);
    const bool exact = setting.gradient == Gradient::exact;
    const bool labels_equal = outcome.n_same_label == outcome.n_examples;
    std::printf(
        "{\"mode\": \"%s\", \"core_us\": %.3f, \"plain_us\": %.3f, \"ratio\": %.2f, "
        "\"predictions_equal\": %s, \"models_equal\": %s, \"largest_difference\": %.3g, "
        "\"accuracy\": %.4f, \"entered\": %.4f, \"n_examples\": %llu}\n",
        exact ? "exact" : "floating", core, plain, plain / core, labels_equal ? "true" : "false",
        outcome.same_bits ? "true" : "false", outcome.largest_difference,
        static_cast<double>(outcome.n_right) / n, static_cast<double>(outcome.n_entered) / n,
        static_cast<unsigned long long>(outcome.n_examples));
}

}  // namespace

int main(int count, char** arguments) {
    const Setting setting = read_arguments(count, arguments);
    Outcome best = run_once(setting);
    for (std::uint32_t i = 1; i < setting.n_repeats; ++i) {
        const Outcome outcome = run_once(setting);
        keep_best(best.core_seconds, outcome.core_seconds);
        keep_best(best.plain_seconds, outcome.plain_seconds);
    }
    print(setting, best);
    return setting.gradient == Gradient::exact && !best.same_bits ? 1 : 0;
}
