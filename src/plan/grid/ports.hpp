#pragma once

#include "plan/grid/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace espalier::plan::grid {

/// When the clusters of a growing broadcast can send next, each through the same number of ports: a
/// send takes the port that is free the earliest. Times in seconds; a cluster that has not joined
/// is at 0, and a number of ports of 0 counts as 1.
class SendPorts {
public:
    SendPorts(std::size_t clusters, std::size_t ports)
        : ports_(ports), ready_(clusters, 0), busy_(ports > 1 ? clusters : 0) {}

    /// The ready time: it holds the message, and a port of it is free.
    [[nodiscard]] double ready(std::size_t cluster) const { return ready_[cluster]; }
    /// It holds the message, and all its ports are free.
    [[nodiscard]] double idle(std::size_t cluster) const {
        if (busy_.empty() || busy_[cluster].empty()) return ready_[cluster];
        return std::max(ready_[cluster], *std::ranges::max_element(busy_[cluster]));
    }
    void join(std::size_t cluster, double at) { ready_[cluster] = at; }
    /// The port that is free the earliest is taken until then.
    void send(std::size_t cluster, double until) {
        if (busy_.empty()) {
            ready_[cluster] = until;
            return;
        }
        auto& others = busy_[cluster];
        others.push_back(until);
        std::ranges::push_heap(others, std::greater{});
        if (others.size() < ports_) return;  // one has not been used yet
        std::ranges::pop_heap(others, std::greater{});
        ready_[cluster] = others.back();
        others.pop_back();
    }
    /// A send to a cluster that joins by it; returns when it leaves its port.
    double serve(const Problem& problem, const Send& send_to) {
        const double start = ready(send_to.from);
        const double sent = start + problem.gap(send_to.from, send_to.to);
        join(send_to.to, start + problem.delivery(send_to.from, send_to.to));
        send(send_to.from, sent);
        return sent;
    }

private:
    std::size_t ports_;
    std::vector<double> ready_;
    /// When the other ports that a cluster has used are free, the earliest first.
    std::vector<std::vector<double>> busy_;
};

}  // namespace espalier::plan::grid
