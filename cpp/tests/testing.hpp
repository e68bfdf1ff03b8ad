#pragma once

// A test harness in one header.
//
// doctest is not on the Python index, and `make test` has to work on a fresh machine with nothing
// but Python, make and a compiler. These three macros are all we need of it; only the tests may use
// macros.
//
//     TEST_CASE("projection keeps the order of the weights") {
//         CHECK(weights[0] > weights[1]);
//         CHECK_EQ(n_kept, 2U);
//     }

#include <string>
#include <type_traits>
#include <vector>

namespace testing {

struct Case {
    const char* statement;
    void (*run)();
};

inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}

/// Failed checks of all tests so far.
inline int n_failed_checks = 0;

struct Registration {
    Registration(const char* statement, void (*run)()) { cases().push_back({statement, run}); }
};

// In main.cpp: every file of tests would compile them again, and sanitizers make that long.
std::string number_as_text(double value);
std::string number_as_text(long long value);
std::string number_as_text(unsigned long long value);
void fail(const char* file, int line, const std::string& what);
void fail_equal(const char* file, int line, const char* what, const std::string& a,
                const std::string& b);

template <class T>
std::string as_text(const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
        return number_as_text(static_cast<double>(value));
    } else if constexpr (std::is_enum_v<T> || std::is_signed_v<T>) {
        return number_as_text(static_cast<long long>(value));
    } else if constexpr (std::is_unsigned_v<T>) {
        return number_as_text(static_cast<unsigned long long>(value));
    } else {
        std::string text;
        for (const auto& entry : value) {
            text += as_text(entry) + " ";
        }
        return text;
    }
}

inline void check(bool holds, const char* file, int line, const char* what) {
    if (!holds) {
        fail(file, line, what);
    }
}

template <class A, class B>
void check_equal(const A& a, const B& b, const char* file, int line, const char* what) {
    if (!(a == b)) {
        fail_equal(file, line, what, as_text(a), as_text(b));
    }
}

}  // namespace testing

#define TESTING_JOIN_(a, b) a##b
#define TESTING_JOIN(a, b) TESTING_JOIN_(a, b)
// A number, not the line: several files may be compiled as one.
#define TEST_CASE(statement) TESTING_CASE(statement, __COUNTER__)
#define TESTING_CASE(statement, number)                                     \
    static void TESTING_JOIN(test_, number)();                              \
    static const testing::Registration TESTING_JOIN(registration_, number)( \
        statement, &TESTING_JOIN(test_, number));                           \
    static void TESTING_JOIN(test_, number)()
#define CHECK(...) testing::check(static_cast<bool>(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)
#define CHECK_EQ(a, b) testing::check_equal((a), (b), __FILE__, __LINE__, #a " == " #b)
