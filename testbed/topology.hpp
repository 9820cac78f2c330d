#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/matrix.hpp"
#include "core/units.hpp"

namespace espalier::testbed {

/// A first-in, first-out queue that serves at a rate and drops what does not fit. The rate counts
/// bytes on the wire: each frame of at most 1500 bytes with 38 bytes of Ethernet framing. The first
/// queue of a path (a host's own network card) never drops: its host waits.
struct Queue {
    std::string name;
    BytesPerSecond rate;
    Bytes buffer;
    double loss = 0;          ///< the probability that a frame is lost before it
    BytesPerSecond cross{0};  ///< frames of others that enter it, whatever becomes of them
};

struct Host {
    std::string name;
    std::string cluster;
    std::string site;
};

/// What a frame from one host to another passes: queues, then the latency, then queues. Numbers
/// are indices into Topology::queues.
struct Path {
    std::vector<std::uint32_t> before;
    Seconds latency;
    std::vector<std::uint32_t> after;
    Seconds jitter{0};  ///< a frame is later by a random time, uniform from 0 to this
    double loss = 0;    ///< the probability that a frame is lost after the latency
};

/// What is left of a queue's rate to what is not `cross`; something always is.
[[nodiscard]] constexpr BytesPerSecond left_of(const Queue& queue) {
    constexpr double least = 0.01;
    const BytesPerSecond left = queue.rate - queue.cross;
    return left > least * queue.rate ? left : least * queue.rate;
}

/// What the emulator brings up. Host i has the address 10.77.(i / 250).(i % 250 + 1).
struct Topology {
    std::vector<Host> hosts;
    std::vector<Queue> queues;
    Matrix<Path> paths;  ///< row: from, column: to; the diagonal is empty
};

}  // namespace espalier::testbed
