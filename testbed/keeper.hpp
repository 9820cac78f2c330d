#pragma once

#include "testbed/host.hpp"
#include "testbed/state.hpp"
#include "testbed/topology.hpp"
#include "testbed/trace.hpp"

#include <optional>
#include <string>

namespace espalier::testbed {

/// What carries the packets: the kernel by netem and htb, this program's emulator, or the kernel
/// where it has netem.
enum class Carrier { automatic, kernel, emulator };

/// How a testbed is brought up.
struct Settings {
    Carrier carrier = Carrier::automatic;
    std::string congestion;  ///< the TCP congestion control of the hosts; empty: the machine's
    Sysctls sysctls;
    std::optional<Trace> trace;  ///< begins when all hosts are there
};

/// The work of the process that everything belongs to: starts the hosts, carries their packets and
/// hands clients to them, and changes the network as clients and the trace say, until a client or a
/// signal asks for the end. `report` is told `+` once all hosts are there. Throws an Error where
/// something can't be brought up, or when a host dies. The hosts end with this process.
void keep(const Topology& topology, const Settings& settings, const State& state, int report);

}  // namespace espalier::testbed
