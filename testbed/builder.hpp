#pragma once

#include "testbed/topology.hpp"

#include <string>
#include <unordered_set>

namespace espalier::testbed {

/// No more hosts than this: each needs namespaces and processes of its own.
inline constexpr std::size_t most_hosts = 1000;

/// What a queue holds where nothing is said: 100 ms of its rate, but between 64 KiB and 1 MiB.
[[nodiscard]] Bytes usual_buffer(BytesPerSecond rate);

/// Throws InputError where a frame would take more than two seconds.
void require_rate(BytesPerSecond rate, const std::string& source, const std::string& field);
/// No latency is greater.
inline constexpr Seconds longest_latency(60);

/// A topology under construction. Each complaint is an InputError that names `source`.
class Builder {
public:
    explicit Builder(std::string source) : source_(std::move(source)) {}

    /// The names of hosts become host names of the system: letters, digits, `-`, `.` and `_`, at
    /// most 63, without regard to case each used once. `field` is where the name stands.
    void add_host(Host host, const std::string& field);
    /// A host of a network whose name may be anything: what no host name has becomes `-`, and what
    /// is taken gets a number.
    void add_renamed_host(Host host);

    /// The rate must be enough for a frame in two seconds, the buffer for a frame.
    std::uint32_t add_queue(std::string name, BytesPerSecond rate, Bytes buffer,
                            const std::string& field);

    /// All hosts are there: makes room for the paths between them.
    void lay_paths();
    [[nodiscard]] Path& path(std::size_t from, std::size_t to) { return topology_.paths(from, to); }
    [[nodiscard]] const Topology& topology() const { return topology_; }

    /// Throws where nothing could be built.
    [[nodiscard]] Topology finish() &&;

private:
    void require_room(const std::string& field) const;

    std::string source_;
    Topology topology_;
    std::unordered_set<std::string> taken_;  ///< in lower case
};

}  // namespace espalier::testbed
