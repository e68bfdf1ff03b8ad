#pragma once

// Forks happen only while every learner is between two examples, so that the child finds it whole.

#include <cstdint>

namespace shrubs::bindings {

/// A number of this thread that no other thread of this process or its children has.
std::uint64_t this_thread();

/// Whether a fork left this thread behind in the parent.
bool is_left_behind(std::uint64_t thread);

/// From here to `end_work` no fork happens, except at a pause. Called with the GIL; waits without
/// it for a fork that is under way.
void begin_work();
void end_work();

/// Lets a fork happen that waits. Called without the GIL.
void pause_for_forks();

/// Tells the interpreter whom to ask before it forks.
void watch_forks();

}  // namespace shrubs::bindings
