#pragma once

namespace espalier::testbed {

/// The work of a host's first process: runs what clients ask for, whose connections come over
/// `control`, and reaps what dies. Each client is told the status (as waitpid has it, an int) when
/// its command ends; what it writes are signals (ints) for the command's process group, which is
/// killed if the client goes away first. Ends when `control` is closed.
[[noreturn]] void serve_commands(int control);

}  // namespace espalier::testbed
