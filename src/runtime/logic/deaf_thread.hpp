#pragma once

#include <functional>
#include <thread>

namespace espalier::runtime {

/// Begins a thread in which none of the program's signals is handled: they are for the program's
/// own threads. Throws std::system_error where there may be no more threads.
[[nodiscard]] std::thread begin_deaf(const std::function<void()>& work);

}  // namespace espalier::runtime
