#pragma once

#include "network/network.hpp"
#include "schedule/schedule.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace espalier::test {

/// No transfer yet; nodes are `a`, `b`, `c`, …; one chunk of all the bytes.
[[nodiscard]] schedule::Schedule hand_made(schedule::Kind kind, std::size_t nodes,
                                           std::uint64_t bytes, std::size_t root = 0);
[[nodiscard]] schedule::Chunk chunk_of(std::uint64_t bytes, std::size_t segments = 1);
schedule::Transfer& add_copy(schedule::Schedule& schedule, std::size_t from, std::size_t to,
                             std::size_t chunk = 0);
schedule::Transfer& add_combine(schedule::Schedule& schedule, std::size_t from, std::size_t to,
                                std::size_t chunk = 0);
void drop(schedule::Schedule& schedule, std::size_t transfer);

struct Block {
    std::size_t from;
    std::size_t to;
    std::uint64_t bytes;
};
/// Blocks of an exchange between four nodes that go straight, all others being empty.
[[nodiscard]] schedule::Schedule straight(const std::vector<Block>& blocks, std::size_t ports = 1);

/// Four nodes, 100 bytes: b to a, d to c, c to a.
[[nodiscard]] schedule::Schedule reduction();
/// The same, and back: a to c, a to b, c to d.
[[nodiscard]] schedule::Schedule reduction_and_broadcast();
/// Three nodes, 30 bytes in three stripes: combined round the ring, then copied round it.
[[nodiscard]] schedule::Schedule ring_allreduce();
/// Four nodes, blocks of 100 bytes: each passes on what it received last.
[[nodiscard]] schedule::Schedule ring_allgather();
/// Three nodes, blocks of 100 bytes: everyone sends to the next, then to the one after it.
[[nodiscard]] schedule::Schedule total_exchange();
/// Three nodes, 200 bytes in two stripes: one goes a, b, c, the other a, c, b.
[[nodiscard]] schedule::Schedule two_trees();
/// Four nodes, blocks of 100 bytes: c gets two blocks as one message and passes d's on.
[[nodiscard]] schedule::Schedule scatter();
/// The way back.
[[nodiscard]] schedule::Schedule gather();
/// Two nodes, blocks of 100 bytes: each sends the other's operand.
[[nodiscard]] schedule::Schedule reduce_scatter();

/// Three nodes: c tells b, a tells b, and b tells both.
[[nodiscard]] schedule::Schedule barrier();
/// Four nodes, 100 bytes: each gives what it holds to the next, then to the one after that. Every
/// node sends before it receives, so those of a round go at once.
[[nodiscard]] schedule::Schedule doubling_scan(schedule::Kind kind = schedule::Kind::scan);
/// Four nodes, 100 bytes: each passes on what it has combined.
[[nodiscard]] schedule::Schedule chain_scan(schedule::Kind kind = schedule::Kind::scan);
/// The same schedule with a block of each node's own size: scatter(), gather(), ring_allgather() or
/// reduce_scatter().
[[nodiscard]] schedule::Schedule with_blocks(schedule::Schedule schedule,
                                             const std::vector<std::uint64_t>& bytes);
/// A right schedule of every kind there is, some twice.
[[nodiscard]] std::vector<schedule::Schedule> one_of_every_kind();

/// Clusters of one node each: every pair costs L and g(m) = per_message + m * per_byte.
[[nodiscard]] network::Network uniform_grid(std::size_t nodes, double latency, double per_message,
                                            double per_byte = 0);
/// Every pair costs startup + m / bandwidth.
[[nodiscard]] network::Network uniform_pairwise(std::size_t nodes, double startup,
                                                double bandwidth);
/// Each node with its own time.
[[nodiscard]] network::Network senders(const std::vector<double>& times);

}  // namespace espalier::test
