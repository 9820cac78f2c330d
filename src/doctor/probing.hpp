#pragma once

#include "core/units.hpp"
#include "doctor/facts.hpp"

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace espalier::doctor {

/// An address of another host that datagrams go to.
struct Target {
    std::size_t host = 0;
    std::size_t network = 0;
    sockaddr_in address{};
    unsigned packet = 0;  ///< bytes of the largest packet of the interface towards it
};

/// What a host is to send, and to know its own by.
struct Probing {
    std::uint64_t token = 0;  ///< datagrams without it are others'
    std::size_t self = 0;
    std::size_t hosts = 0;
    std::vector<Target> targets;
    Seconds duration;
    unsigned small = 0;   ///< datagrams to each target
    unsigned trains = 0;  ///< likewise, of several large ones each
};

/// What a host knows when all is over: of pairs from it what was sent and the round trip, of pairs
/// to it the rest.
struct Probed {
    std::vector<Pair> sent;
    std::vector<Pair> received;
    std::uint64_t overflowed = 0;
};

/// Sends small datagrams to all targets at even times, by turns and for the duration, and takes
/// those of the others, of which it echoes some. Between them go trains of large datagrams, which
/// arrive as far apart as the narrowest part of their way lets them; their bytes are a small part
/// of what the way carries.
[[nodiscard]] Probed probe(int socket, const Probing& probing);

}  // namespace espalier::doctor
