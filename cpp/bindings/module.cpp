#include "bindings.hpp"
#include "forks.hpp"
#include "tables.hpp"

NB_MODULE(_core, module) {
    nanobind::set_leak_warnings(false);  // a traceback may outlive the interpreter
    module.doc() = "The learning core of shrubs.";
    shrubs::bindings::watch_forks();
    shrubs::bindings::bind_tables(module);
    shrubs::bindings::bind_snapshot(module);
    shrubs::bindings::bind_learners(module);
    shrubs::bindings::bind_owner(module);
    shrubs::bindings::bind_parts(module);
    shrubs::bindings::bind_checks(module);
    shrubs::bindings::bind_alike_rows(module);
    shrubs::bindings::bind_generators(module);
}
