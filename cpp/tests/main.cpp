// Runs every test, or those whose statement contains the first argument; with a second one, "even"
// or "odd", every other of them.

#include <exception>
#include <iostream>
#include <string>

#include "testing.hpp"

namespace {

bool passes(const testing::Case& test) {
    const int failed_before = testing::n_failed_checks;
    try {
        test.run();
    } catch (const std::exception& error) {
        testing::check(false, test.statement, 0, error.what());
    }
    return testing::n_failed_checks == failed_before;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string wanted = argc > 1 ? argv[1] : "";
    const std::string half = argc > 2 ? argv[2] : "";
    int n_passed = 0;
    int n_failed = 0;
    bool even = false;
    for (const testing::Case& test : testing::cases()) {
        if (std::string(test.statement).find(wanted) == std::string::npos) {
            continue;
        }
        even = !even;
        if (!half.empty() && even != (half == "even")) {
            continue;
        }
        if (passes(test)) {
            ++n_passed;
        } else {
            ++n_failed;
            std::cout << "FAILED: " << test.statement << "\n";
        }
    }
    std::cout << n_passed << " passed, " << n_failed << " failed\n";
    return n_failed == 0 && n_passed > 0 ? 0 : 1;
}
