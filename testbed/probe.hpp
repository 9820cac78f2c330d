#pragma once

#include "core/file_descriptor.hpp"
#include "testbed/expect.hpp"
#include "testbed/state.hpp"

#include <netinet/in.h>

#include <optional>
#include <string>
#include <vector>

namespace espalier::testbed {

/// Sockets that belong to a host's network, in the hands of a process outside it: all of them are
/// used by one process with one clock.
struct ProbeSockets {
    sockaddr_in address{};                ///< of `datagrams`; `listener` has the same port
    FileDescriptor datagrams;             ///< UDP
    FileDescriptor listener;              ///< TCP
    std::vector<FileDescriptor> senders;  ///< TCP, not yet connected
};

/// Makes the sockets, on a host, and hands them over `channel`, a Unix socket. Throws an Error.
void give_sockets(int channel, const std::string& address, std::size_t senders);

/// Gets the sockets of a host of a testbed that is up. `program` is run there as `program
/// probe-sockets ADDRESS SENDERS`, its standard output being the channel. Throws InputError if that
/// fails.
[[nodiscard]] ProbeSockets take_sockets(const State& state, const HostEntry& host,
                                        const std::string& program, std::size_t senders);

/// The median time of a datagram of `payload` bytes there and back, of `repeats` of them one after
/// the other; nullopt where fewer than half of them came back within a second more than `asked`.
[[nodiscard]] std::optional<Seconds> round_trip(const ProbeSockets& from, const ProbeSockets& to,
                                                Bytes payload, std::size_t repeats, Seconds asked);

/// What programs get of the network, sending from host to host (indices into `hosts`) all at once:
/// bytes received in a time of `window`, after a time of `warm`. Each takes one of its host's
/// senders. Throws an Error where a connection can't be made.
[[nodiscard]] std::vector<BytesPerSecond> goodputs(std::vector<ProbeSockets>& hosts,
                                                   const std::vector<HostPair>& flows, Seconds warm,
                                                   Seconds window);

}  // namespace espalier::testbed
