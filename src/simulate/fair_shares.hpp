#pragma once

#include "simulate/fabric.hpp"
#include "simulate/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::simulate {

/// A message on its way: what is left of it, in seconds that it would take alone.
struct Flow {
    Messages::Message message;
    std::size_t receiver = 0;
    double remaining = 0;
    double latency = 0;
    double bytes_per_second = 0;  ///< when nothing slows it down
    double speed = 1;             ///< the share of that it gets now
    bool slowed = false;          ///< by the overhead of interleaving
    std::span<const std::uint32_t> draws;
};

/// When the first of them is over, if it is `now` and their shares stay as they are.
[[nodiscard]] double next_finish(const std::vector<Flow>& flows, double now);
/// Moves them on. What would end within a rounding error of `time` ends at it.
void advance(std::vector<Flow>& flows, double now, double time);

/// Max-min fairness by progressive filling: the tightest capacity fixes its flows' rates, the
/// others divide what is left. Where receives are interleaved, what a node receives divides its
/// time, too; time that one can't use, because a capacity holds it back, goes to the others.
class FairShares {
public:
    /// `ports`: how many messages a receiver takes in at full speed; 0: receivers hold none back.
    FairShares(std::span<const Capacity> capacities, std::size_t nodes, std::size_t ports);

    void assign(std::vector<Flow>& flows);

private:
    [[nodiscard]] bool is_bound(const Flow& flow) const;
    void settle_slowest();
    void settle(Flow& flow, double speed);
    [[nodiscard]] double highest_rate(const Flow& flow) const;
    [[nodiscard]] double time_share(const Flow& flow) const;
    void hand_out_rest(std::vector<Flow>& flows);

    std::span<const Capacity> capacities_;
    std::vector<double> left_;
    std::vector<std::size_t> users_;
    double ports_;
    std::vector<double> time_left_;  ///< by receiver
    std::vector<std::size_t> received_;
    std::vector<Flow*> open_;
};

}  // namespace espalier::simulate
