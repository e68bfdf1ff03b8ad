#include "lock.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "forks.hpp"
#include "signals.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

bool Lock::try_take() {
    std::uint64_t holder = nobody;
    if (holder_.compare_exchange_strong(holder, this_thread(), std::memory_order_acquire)) {
        return true;
    }
    if (holder == this_thread()) {
        throw std::runtime_error(
            "this learner is in use: it cannot be called from within its own call, by a value, a "
            "signal handler or a finalizer");
    }
    return is_left_behind(holder) &&
           holder_.compare_exchange_strong(holder, this_thread(), std::memory_order_acquire);
}

void Lock::wait() {
    using std::chrono::microseconds;
    const nb::gil_scoped_release release;
    Signals signals;
    for (microseconds pause{1}; !try_take(); pause = std::min(2 * pause, microseconds{1000})) {
        std::this_thread::sleep_for(pause);
        signals.hear();
    }
}

void Lock::take() {
    if (!try_take()) {
        wait();
    }
    begin_work();
}

void Lock::give_back() {
    end_work();
    holder_.store(nobody, std::memory_order_release);
}

}  // namespace shrubs::bindings
