#pragma once

// Who may use a learner now.

#include <atomic>
#include <cstdint>

namespace shrubs::bindings {

/// One caller at a time. Another thread waits, without the GIL, and hears Ctrl-C
/// meanwhile. A call from within a call (by a value's own code, a signal handler, a finalizer)
/// would wait for itself: RuntimeError. A thread that a fork left behind holds nothing.
class Lock {
 public:
    Lock() = default;
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    void take();
    void give_back();

 private:
    static constexpr std::uint64_t nobody = 0;
    bool try_take();
    void wait();

    std::atomic<std::uint64_t> holder_ = nobody;
};

/// Holds a lock for as long as it lives.
class Locked {
 public:
    explicit Locked(Lock& lock) : lock_(lock) { lock_.take(); }
    ~Locked() { lock_.give_back(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

 private:
    Lock& lock_;
};

}  // namespace shrubs::bindings
