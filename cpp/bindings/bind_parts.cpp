// The parts of a step that tests compare with their references one by one.

#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "shrubs/numerics/exponential.hpp"
#include "shrubs/numerics/random.hpp"
#include "shrubs/paper/prox.hpp"
#include "shrubs/simd/dispatch.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

void bind_parts(nb::module_& module) {
    module.def(
        "project_sparse_simplex",
        [](std::vector<double> weights, std::size_t max_shrubs) {
            if (max_shrubs < 1) {
                throw nb::value_error("max_shrubs must be at least 1, got 0");
            }
            if (weights.size() > limits::shrubs + std::size_t{1}) {
                throw nb::value_error("weights has more than 65535 entries");
            }
            std::vector<std::uint16_t> order(weights.size());
            if (!weights.empty()) {
                project_sparse_simplex(weights, max_shrubs, order);
            }
            return weights;
        },
        nb::arg("weights"), nb::arg("max_shrubs"),
        "Projects weights onto the sparse probability simplex.");
    module.def("exponential", &exponential, nb::arg("x"), "The portable exponential, x <= 700.");
    module.def("has_avx2", &has_avx2, "Whether the ways for AVX2 are taken.");
    module.def("allow_avx2", &allow_avx2, nb::arg("allowed"),
               "Switches the ways for AVX2 off and on again; the results are the same.");
    nb::class_<Random>(module, "Random", "The random numbers of one example.")
        .def(nb::init<std::uint64_t, std::uint64_t>(), nb::arg("seed"), nb::arg("example_index"))
        .def("next", &Random::next)
        .def("uniform", &Random::uniform)
        .def("below", &Random::below, nb::arg("n"));
}

}  // namespace shrubs::bindings
