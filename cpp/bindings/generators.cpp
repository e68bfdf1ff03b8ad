// The generators of synthetic streams and how they are joined.

#include <nanobind/stl/vector.h>

#include <limits>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "bindings.hpp"
#include "shrubs/generators/join.hpp"
#include "shrubs/generators/logarithm.hpp"
#include "shrubs/generators/normal.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

constexpr std::uint64_t max_features = 65'535;
constexpr std::uint64_t max_centroids = 65'535;
constexpr std::uint64_t max_coordinates = 1U << 24U;  // 256 MB
constexpr std::uint64_t max_examples = std::uint64_t{1} << 52U;
constexpr std::uint64_t widest = std::uint64_t{1} << 48U;

using Features = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::uint64_t read_seed(nb::handle value, const char* name = "seed") {
    return read_integer(value, name, 0, std::numeric_limits<std::uint64_t>::max());
}

std::uint32_t read_count(nb::handle value, const char* name, std::uint64_t low,
                         std::uint64_t high) {
    return static_cast<std::uint32_t>(read_integer(value, name, low, high));
}

// A type of its own, so that Python sees one class and not the alternatives.
struct Generator {
    AnyGenerator any;
};

// Whose turn it is and who then gives the examples.
struct Reader {
    Turns turns;
    std::vector<AnyGenerator> generators;
};

Generator make_agrawal(nb::object seed, nb::object function, nb::object perturbation, bool balance,
                       bool one_hot) {
    return {Agrawal({.seed = read_seed(seed),
                     .function = read_count(function, "function", 1, 10),
                     .perturbation = read_fraction(perturbation, "perturbation"),
                     .balance = balance,
                     .one_hot = one_hot})};
}

Generator make_led(nb::object seed, nb::object n_drift_features, nb::object noise, bool one_hot) {
    return {Led({.seed = read_seed(seed),
                 .n_drift_features = read_count(n_drift_features, "n_drift_features", 0, 7),
                 .noise = read_fraction(noise, "noise"),
                 .one_hot = one_hot})};
}

Generator make_random_rbf(nb::object seed, nb::object model_seed, nb::object n_features,
                          nb::object n_classes, nb::object n_centroids,
                          nb::object n_drift_centroids, nb::object speed) {
    RandomRbfOptions options;
    options.seed = read_seed(seed);
    options.model_seed = read_seed(model_seed, "model_seed");
    options.n_features = read_count(n_features, "n_features", 1, max_features);
    options.n_classes = read_count(n_classes, "n_classes", 2, max_features);
    options.n_centroids = read_count(n_centroids, "n_centroids", 1,
                                     std::min(max_centroids, max_coordinates / options.n_features));
    options.n_drift_centroids =
        n_drift_centroids.is_none()
            ? options.n_centroids
            : read_count(n_drift_centroids, "n_drift_centroids", 0, options.n_centroids);
    options.speed = read_fraction(speed, "speed");
    return {RandomRbf(options)};
}

Generator make_sea(nb::object seed, nb::object function, nb::object noise, bool balance) {
    return {Sea({.seed = read_seed(seed),
                 .function = read_count(function, "function", 1, 4),
                 .noise = read_fraction(noise, "noise"),
                 .balance = balance})};
}

Generator make_hyperplane(nb::object seed, nb::object n_features, nb::object n_drift_features,
                          nb::object magnitude, nb::object noise, nb::object reversal) {
    HyperplaneOptions options;
    options.seed = read_seed(seed);
    options.n_features = read_count(n_features, "n_features", 1, max_features);
    options.n_drift_features =
        read_count(n_drift_features, "n_drift_features", 0, options.n_features);
    options.magnitude = read_fraction(magnitude, "magnitude");
    options.noise = read_fraction(noise, "noise");
    options.reversal = read_fraction(reversal, "reversal");
    return {Hyperplane(options)};
}

Generator make_sine(nb::object seed, nb::object function, bool irrelevant_features, bool balance) {
    return {Sine({.seed = read_seed(seed),
                  .function = read_count(function, "function", 1, 4),
                  .irrelevant_features = irrelevant_features,
                  .balance = balance})};
}

std::size_t add_join(Turns& turns, nb::object first, nb::object second, nb::object position,
                     nb::object width, nb::object seed, nb::object n_examples) {
    if (turns.n_nodes() == 0) {
        throw nb::value_error("a join needs streams, got none");
    }
    const std::uint64_t last = turns.n_nodes() - 1;
    const Join join{.position = read_integer(position, "position", 0, max_examples),
                    .width = read_integer(width, "width", 0, widest),
                    .seed = read_seed(seed)};
    return turns.add_join(read_integer(first, "first", 0, last),
                          read_integer(second, "second", 0, last), join,
                          read_integer(n_examples, "n_examples", 0, max_examples));
}

// The number of each example's stream; returns how many examples there were.
std::size_t name_streams(Turns& turns, Vector<std::int64_t> out) {
    const nb::gil_scoped_release release;
    std::size_t done = 0;
    while (done < out.shape(0)) {
        const Turn turn = turns.next(out.shape(0) - done);
        if (turn.n_examples == 0) {
            break;
        }
        std::fill_n(out.data() + done, turn.n_examples, static_cast<std::int64_t>(turn.stream));
        done += turn.n_examples;
    }
    return done;
}

std::uint64_t count_examples(Turns turns) {
    const nb::gil_scoped_release release;
    std::uint64_t n_examples = 0;
    while (const std::size_t run = turns.next(max_examples).n_examples) {
        n_examples += run;
    }
    return n_examples;
}

Reader make_reader(const Turns& turns, const std::vector<Generator>& generators) {
    if (generators.empty() || generators.size() != turns.n_streams()) {
        throw nb::value_error("a reader needs one generator for each stream");
    }
    Reader reader{turns, {}};
    for (const Generator& generator : generators) {
        if (n_features(generator.any) != n_features(generators[0].any)) {
            throw nb::value_error("joined generators must have the same number of features");
        }
        reader.generators.push_back(generator.any);
    }
    return reader;
}

std::size_t fill_block(Reader& reader, Features X, Vector<std::int64_t> y) {
    const std::size_t width = n_features(reader.generators[0]);
    if (X.shape(0) != y.shape(0) || X.shape(1) != width) {
        throw nb::value_error("X must have one row for each entry of y and all features");
    }
    const nb::gil_scoped_release release;
    return fill(reader.turns, reader.generators, {X.data(), X.size()}, {y.data(), y.size()});
}

void bind_kinds(nb::module_& module) {
    nb::class_<Generator>(module, "Generator", "Draws the examples of a synthetic stream.")
        .def_prop_ro("n_features",
                     [](const Generator& generator) { return n_features(generator.any); })
        .def_prop_ro("memory_bytes",
                     [](const Generator& generator) { return memory_bytes(generator.any); });
    module.def("agrawal", &make_agrawal, nb::kw_only(), nb::arg("seed"), nb::arg("function"),
               nb::arg("perturbation"), nb::arg("balance"), nb::arg("one_hot"));
    module.def("led", &make_led, nb::kw_only(), nb::arg("seed"), nb::arg("n_drift_features"),
               nb::arg("noise"), nb::arg("one_hot"));
    module.def("random_rbf", &make_random_rbf, nb::kw_only(), nb::arg("seed"),
               nb::arg("model_seed"), nb::arg("n_features"), nb::arg("n_classes"),
               nb::arg("n_centroids"), nb::arg("n_drift_centroids").none(), nb::arg("speed"));
    module.def("sea", &make_sea, nb::kw_only(), nb::arg("seed"), nb::arg("function"),
               nb::arg("noise"), nb::arg("balance"));
    module.def("hyperplane", &make_hyperplane, nb::kw_only(), nb::arg("seed"),
               nb::arg("n_features"), nb::arg("n_drift_features"), nb::arg("magnitude"),
               nb::arg("noise"), nb::arg("reversal"));
    module.def("sine", &make_sine, nb::kw_only(), nb::arg("seed"), nb::arg("function"),
               nb::arg("irrelevant_features"), nb::arg("balance"));
}

}  // namespace

void bind_generators(nb::module_& module) {
    bind_kinds(module);
    nb::class_<Turns>(module, "Turns", "Decides which stream gives the next examples.")
        .def(nb::init<>())
        .def(
            "add_stream",
            [](Turns& turns, nb::object n_examples) {
                return turns.add_stream(read_integer(n_examples, "n_examples", 0, max_examples));
            },
            nb::arg("n_examples"))
        .def("add_join", &add_join, nb::arg("first"), nb::arg("second"), nb::kw_only(),
             nb::arg("position"), nb::arg("width"), nb::arg("seed"), nb::arg("n_examples"))
        .def("name_streams", &name_streams, nb::arg("out"))
        .def("count_examples", &count_examples)
        .def_prop_ro("memory_bytes", &Turns::memory_bytes);
    nb::class_<Reader>(module, "Reader", "Reads a synthetic stream once, block by block.")
        .def(nb::new_(&make_reader), nb::arg("turns"), nb::arg("generators"))
        .def("fill", &fill_block, nb::arg("X"), nb::arg("y"),
             "Fills X and y and returns how many examples there were.");
    module.def("logarithm", &logarithm, nb::arg("x"), "The portable logarithm, x > 0.");
    nb::class_<Normal>(module, "Normal", "Draws standard normal numbers.")
        .def(nb::init<>())
        .def("draw", &Normal::draw, nb::arg("random"));
}

}  // namespace shrubs::bindings
