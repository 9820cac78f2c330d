#pragma once

#include "ring/embedding.hpp"
#include "simulate/ring_step.hpp"

#include <cstdint>
#include <vector>

namespace espalier::ring {

/// The effort of balancing shares: rounds of simulating and dividing anew, each over a number of
/// steps.
struct Balancing {
    std::size_t rounds = 4;
    simulate::RingHorizon horizon{4, 6};

    [[nodiscard]] static Balancing thorough(std::size_t hosts) {
        return {24, simulate::RingHorizon::steady(hosts)};
    }
};

/// Divides the work of a step where links are shared fairly, and tells how long the step then
/// takes: by simulation, because what a message gets hangs on when the others are on their way.
class FairShare {
public:
    /// `problem` must outlive it.
    explicit FairShare(const Problem& problem);

    /// Shares for a ring along the problem's routes. What a host's messages keep it, as simulated,
    /// decides on its share of the next round, by halves, so that it comes to rest; the best round
    /// is kept. Where some host's messages alone take longer than the balanced step, the host whose
    /// messages and its neighbours' for it take longest is left out.
    /// `start`, if not empty, holds a first guess for each host of the platform.
    [[nodiscard]] Solution divide(std::vector<Host> order, const Balancing& balancing,
                                  const std::vector<double>& start = {});
    /// The solution with shares as they are given, parallel to the order.
    [[nodiscard]] Solution evaluate(std::vector<Host> order, std::vector<double> shares,
                                    const simulate::RingHorizon& horizon);

    /// Steps of some nanoseconds each, so far.
    [[nodiscard]] std::uint64_t spent() const { return spent_; }

private:
    [[nodiscard]] simulate::RingSteps simulate(const std::vector<Host>& order,
                                               const std::vector<double>& shares,
                                               const simulate::RingHorizon& horizon);

    const Problem& problem_;
    simulate::RingSimulator simulator_;
    std::uint64_t spent_ = 0;
};

/// Shares proportional to speed: what one does who knows nothing of the network.
[[nodiscard]] std::vector<double> speed_shares(const Problem& problem,
                                               const std::vector<Host>& hosts);

}  // namespace espalier::ring
