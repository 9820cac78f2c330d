#pragma once

#include "core/units.hpp"

#include <functional>
#include <string>

namespace espalier::cli {

/// How a piece of work ended that ran in a process of its own.
struct Outcome {
    enum class End { done, late, broken };
    End end = End::done;
    std::string text;  ///< what the work returned, or why it broke
};

/// Does `work` in a child process, which is ended when it takes longer than `limit`, or when this
/// one ends: so nothing that a planner does can keep a command from going on. `meanwhile` is called
/// a few times a second. An InputError of the work is thrown again here. `limit` is
/// at most some decades.
[[nodiscard]] Outcome run_apart(const std::function<std::string()>& work, Seconds limit,
                                const std::function<void()>& meanwhile);

}  // namespace espalier::cli
