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
    explicit Queueing(const Problem& problem)
        : sends_(problem.sending_ports()),
          receives_(problem.receiving_ports()),
          last_send_(problem.nodes(), 0),
          last_receive_(problem.nodes(), 0) {}

    /// When the message starts that its sender holds from `held` on.
    double perform(std::size_t from, std::size_t to, double gap, double latency, double held) {
        const double start =
            std::max({held, sends_[from].earliest(), receives_[to].earliest() - latency,
                      last_send_[from], last_receive_[to] - latency});
        sends_[from].occupy_until(start + gap);
        receives_[to].occupy_until(start + gap + latency);
        last_send_[from] = start;
        last_receive_[to] = std::max(last_receive_[to], start + latency);
        return start;
    }

private:
    std::vector<simulate::Slots> sends_;
    std::vector<simulate::Slots> receives_;
    /// A node's messages start in their order, on every port.
    std::vector<double> last_send_;
    std::vector<double> last_receive_;
};

}  // namespace espalier::plan::exchange
