#pragma once

#include "core/file_descriptor.hpp"
#include "core/subprocess.hpp"
#include "testbed/emulator.hpp"

#include <sys/types.h>

#include <optional>
#include <vector>

namespace espalier::testbed {

/// Paths on which it is measured what the machine adds to them.
struct ProbedPath {
    std::uint32_t from;
    std::uint32_t to;
    bool idle;  ///< which of the own delays it tells
};

/// One path of each kind that there is, that of the least latency.
[[nodiscard]] std::vector<ProbedPath> paths_to_probe(const Topology& topology);

/// A process that sends small packets over a path, one after the other, and measures how long each
/// takes from a program's send to a program's receive.
class Probe {
public:
    /// `hosts` are the first processes of the hosts. The packets are to be carried until `done` can
    /// be read from.
    Probe(const Topology& topology, ProbedPath path, const std::vector<pid_t>& hosts);

    [[nodiscard]] int done() const { return result_.get(); }
    /// What was added to the path; nullopt where nothing came through.
    [[nodiscard]] std::optional<Nanoseconds> own_delay() const;

private:
    FileDescriptor result_;
    Subprocess process_;
    double expected_ns_;
};

}  // namespace espalier::testbed
