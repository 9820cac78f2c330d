#pragma once

#include "plan/exchange/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier::plan::exchange {

/// Whether messages wait for nothing but the ports of their ends, one after the other.
[[nodiscard]] inline bool only_queues(const Problem& problem) {
    return problem.fabric->ports().duplex == schedule::Ports::Duplex::full && !problem.shares();
}

/// The ports of all nodes while messages that only queue for them are performed one by one, each
/// as early as those before it let it: the simulator's times, in seconds.
class Queueing {
public:
    Queueing(std::size_t nodes, std::size_t ports) : sends_(nodes), receives_(nodes) {
        for (auto* side : {&sends_, &receives_})
            for (Port& port : *side) port.free.assign(ports, 0);
    }

    /// Each of these ports is free from then on, and begins nothing before; one value a port.
    void free_from(std::size_t node, const std::vector<double>& sending,
                   const std::vector<double>& receiving) {
        sends_[node].free = sending;
        receives_[node].free = receiving;
    }

    /// When the message starts that its sender holds from `held` on.
    double perform(std::size_t from, std::size_t to, double gap, double latency, double held) {
        Port& out = sends_[from];
        Port& in = receives_[to];
        const auto sending = std::ranges::min_element(out.free);
        const auto receiving = std::ranges::min_element(in.free);
        const double start = std::max(
            {held, *sending, *receiving - latency, out.last_start, in.last_start - latency});
        *sending = start + gap;
        *receiving = start + gap + latency;
        out.last_start = start;
        in.last_start = std::max(in.last_start, start + latency);
        return start;
    }

private:
    struct Port {
        std::vector<double> free;
        double last_start = 0;  ///< a port's messages start in their order, on every slot
    };
    std::vector<Port> sends_;
    std::vector<Port> receives_;
};

}  // namespace espalier::plan::exchange
