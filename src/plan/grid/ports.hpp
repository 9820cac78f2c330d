#pragma once

#include "plan/grid/problem.hpp"
#include "simulate/slots.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier::plan::grid {

/// When the clusters of a growing broadcast can send next, each through the same number of ports: a
/// send takes the port that is free the earliest. Times in seconds; a cluster that has not joined
/// is at 0, and a number of ports of 0 counts as 1.
class SendPorts {
public:
    SendPorts(std::size_t clusters, std::size_t ports)
        : ports_(std::clamp<std::size_t>(ports, 1, std::max<std::size_t>(clusters, 1))),
          free_(clusters, simulate::Slots(ports_, 0)) {}

    /// The ready time: it holds the message, and a port of it is free.
    [[nodiscard]] double ready(std::size_t cluster) const { return free_[cluster].earliest(); }
    /// It holds the message, and all its ports are free.
    [[nodiscard]] double idle(std::size_t cluster) const { return free_[cluster].latest(); }
    /// A send to a cluster that joins by it; returns when it leaves its port.
    double serve(const Problem& problem, const Send& send) {
        const double start = ready(send.from);
        const double sent = start + problem.gap(send.from, send.to);
        free_[send.to] = simulate::Slots(ports_, start + problem.delivery(send.from, send.to));
        free_[send.from].occupy_until(sent);
        return sent;
    }

private:
    std::size_t ports_;
    std::vector<simulate::Slots> free_;
};

}  // namespace espalier::plan::grid
