// Runs every test, or those whose statement contains the first argument; with a second one, "even"
// or "odd", every other of them.

#include <exception>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>

#include "testing.hpp"

namespace testing {

std::string number_as_text(double value) {
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    text << value;
    return text.str();
}

std::string number_as_text(long long value) {
    return std::to_string(value);
}

std::string number_as_text(unsigned long long value) {
    return std::to_string(value);
}

void fail(const char* file, int line, const std::string& what) {
    ++n_failed_checks;
    std::cout << file << ":" << line << ": " << what << "\n";
}

void fail_equal(const char* file, int line, const char* what, const std::string& a,
                const std::string& b) {
    fail(file, line, std::string(what) + ": " + a + " is not " + b);
}

}  // namespace testing

namespace {

bool passes(const testing::Case& test) {
    const int failed_before = testing::n_failed_checks;
    try {
        test.run();
    } catch (const std::exception& error) {
        testing::fail(test.statement, 0, error.what());
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
