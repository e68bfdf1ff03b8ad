#include "forks.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

std::atomic<std::uint64_t> n_threads = 0;
std::atomic<std::uint64_t> n_left_behind = 0;  // all threads up to this one ...
std::atomic<std::uint64_t> survivor = 0;       // ... except the one that forked
std::atomic<int> n_forks = 0;                  // that wait or happen now
std::atomic<int> n_working = 0;
thread_local int n_working_here = 0;

void wait_a_little() {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// A thread that forks while it works itself, in a value's own code, does not wait for itself.
void before_fork() {
    n_forks.fetch_add(1);
    const nb::gil_scoped_release release;
    while (n_working.load() != n_working_here) {
        wait_a_little();
    }
}

void after_fork_in_parent() {
    n_forks.fetch_sub(1);
}

void after_fork_in_child() {
    n_forks.store(0);
    survivor.store(this_thread());
    n_left_behind.store(n_threads.load());
}

}  // namespace

std::uint64_t this_thread() {
    thread_local const std::uint64_t number = n_threads.fetch_add(1) + 1;
    return number;
}

bool is_left_behind(std::uint64_t thread) {
    return thread <= n_left_behind.load() && thread != survivor.load();
}

void begin_work() {
    ++n_working_here;
    n_working.fetch_add(1);
    if (n_forks.load() != 0) {
        const nb::gil_scoped_release release;
        pause_for_forks();
    }
}

void end_work() {
    --n_working_here;
    n_working.fetch_sub(1);
}

void pause_for_forks() {
    // A call within another learner's call does not pause: that one is not between two examples.
    while (n_working_here == 1 && n_forks.load(std::memory_order_relaxed) != 0) {
        n_working.fetch_sub(1);
        while (n_forks.load() != 0) {
            wait_a_little();
        }
        n_working.fetch_add(1);
    }
}

void watch_forks() {
    const nb::object os = nb::module_::import_("os");
    if (nb::hasattr(os, "register_at_fork")) {
        os.attr("register_at_fork")(
            nb::arg("before") = nb::cpp_function(&before_fork),
            nb::arg("after_in_parent") = nb::cpp_function(&after_fork_in_parent),
            nb::arg("after_in_child") = nb::cpp_function(&after_fork_in_child));
    }
}

}  // namespace shrubs::bindings
