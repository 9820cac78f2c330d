#pragma once

#include "core/random.hpp"
#include "ring/ring_prices.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::ring {

/// A ring that a search changes step by step. A new order is first bounded by the prices of the
/// ring as it is, which takes a few loads for each host; only what this lets pass is priced itself.
/// Neighbours keep their paths; others get those that are cheapest at the present prices.
class RingWalk {
public:
    RingWalk(const Problem& problem, PathPool& pool, PooledRing start);

    [[nodiscard]] const PooledRing& ring() const { return ring_; }
    [[nodiscard]] const Prices& prices() const { return prices_; }
    /// T with the bandwidths that the prices lead to, at most some per mille too much.
    [[nodiscard]] double step_time() const { return step_time_; }

    /// A lower bound on the step time of a ring in that order, on cheapest paths.
    [[nodiscard]] double at_least(const std::vector<Host>& order);
    /// Goes to the ring of that order if its step time is then at most `enough`.
    bool make(const std::vector<Host>& order, double enough, const Pricer::Effort& effort);
    /// Tries another path between two neighbours, at random; see make().
    bool reroute(Random& random, double enough, const Pricer::Effort& effort);

    void adopt(const PooledRing& ring, const Prices& prices);
    /// Again, with more or less effort.
    void price(const Pricer::Effort& effort);
    /// Offers the pool, for all pairs of hosts (or those of the ring), the paths that are cheapest
    /// at the present prices, to which each link adds `part` of what it costs to cross it alone.
    void offer_paths(double part, bool all_pairs);

    /// The platform's hosts.
    [[nodiscard]] std::size_t hosts() const { return place_.size(); }
    [[nodiscard]] std::uint64_t take_steps() {
        return std::exchange(steps_, 0) + pricer_.take_steps() + pool_.take_steps();
    }

private:
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    struct Crossing {
        PathId path = 0;
        double cost = 0;
    };
    [[nodiscard]] Crossing cheapest(Host from, Host to);
    /// The joint that the ring already has between two hosts; else nowhere.
    [[nodiscard]] std::size_t joint_between(Host one, Host other) const;
    bool go_on(double enough, const Pricer::Effort& effort);
    void settle();

    const Problem& problem_;
    PathPool& pool_;
    Pricer pricer_;
    PooledRing ring_;
    Prices prices_;
    double step_time_ = 0;

    // What follows from the ring at its prices.
    std::vector<double> costs_;  ///< of each joint
    double paid_ = 0;            ///< prices times bandwidths
    double speed_ = 0;           ///< of all its hosts
    std::vector<std::size_t> place_;

    PooledRing next_;
    Prices next_prices_;
    std::uint64_t steps_ = 0;
};

}  // namespace espalier::ring
