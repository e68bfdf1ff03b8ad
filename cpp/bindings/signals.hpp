#pragma once

// Ctrl-C within a long call.

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdint>

namespace shrubs::bindings {

/// Hears signals in a loop that runs without the GIL.
class Signals {
 public:
    /// Called once a round. Every 20 milliseconds, or as often as it is called, raises what a
    /// signal's handler raised, such as KeyboardInterrupt.
    void hear() {
        if (++n_since_ >= n_between_) {
            look_at_the_clock();
        }
    }

 private:
    using Clock = std::chrono::steady_clock;

    void look_at_the_clock() {
        const auto now = Clock::now();
        const auto passed = now - last_look_;
        // Often enough for slow examples, seldom enough for fast ones.
        if (passed < std::chrono::milliseconds(1)) {
            n_between_ = n_between_ < 1024 ? 2 * n_between_ : n_between_;
        } else if (passed > std::chrono::milliseconds(5)) {
            n_between_ = n_between_ / 8 + 1;
        }
        n_since_ = 0;
        last_look_ = now;
        if (now - last_check_ >= std::chrono::milliseconds(20)) {
            last_check_ = now;
            run_handlers();
        }
    }

    static void run_handlers() {
        const nanobind::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
            throw nanobind::python_error();
        }
    }

    std::uint32_t n_between_ = 1;
    std::uint32_t n_since_ = 0;
    Clock::time_point last_look_ = Clock::now();
    Clock::time_point last_check_ = last_look_;
};

}  // namespace shrubs::bindings
