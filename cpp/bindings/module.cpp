#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The learning core of shrubs.";
    shrubs::bindings::bind_snapshot(module);
    shrubs::bindings::bind_ensemble(module);
    shrubs::bindings::bind_parts(module);
    shrubs::bindings::bind_checks(module);
    shrubs::bindings::bind_generators(module);
}
