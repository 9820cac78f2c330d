#pragma once

#include <cstddef>
#include <vector>

namespace espalier::runtime {

/// The dependences between one rank's messages, which are numbered as they are sent, or received.
struct RankGraph {
    std::vector<std::vector<std::size_t>> needs_of_send;     ///< receives
    std::vector<std::vector<std::size_t>> needs_of_receive;  ///< sends
    std::vector<std::vector<std::size_t>> earlier;           ///< of a receive: receives
    std::vector<std::size_t> senders;                        ///< of each receive
    std::vector<std::size_t> steps;                          ///< of each receive
};

/// Numbers receives anew where one would wait for a later one, directly or through sends: those
/// from one sender keep their order, and so do steps. Returns the old numbers in the new order, or
/// nothing where all is well already. Throws std::invalid_argument where no order does, and where a
/// send waits for what waits for it.
[[nodiscard]] std::vector<std::size_t> order_receives(RankGraph& graph);

}  // namespace espalier::runtime
