#pragma once

#include "runtime/progress.hpp"

namespace espalier::runtime {

class Process;

/// A collective that goes on while the program does other things.
class CallTask : public Task {
public:
    [[nodiscard]] bool advance() noexcept final;

protected:
    explicit CallTask(Process& process) : process_(process) {}

    Process& process_;

private:
    /// Does what can be done without waiting, and returns whether it is over. May throw: then it
    /// has failed.
    [[nodiscard]] virtual bool step() = 0;
    /// It is over, or has failed with this code.
    virtual void end(int code) noexcept = 0;
};

}  // namespace espalier::runtime
