#include "ring/annealing.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::ring {

void anneal(RingWalk& walk, Elite<PricedRing>& elite, const Cooling& cooling, Moves& moves,
            Random& random, Meter& meter, const Limits& limits) {
    constexpr std::uint64_t between_looks = 64;
    // New paths for all pairs take hosts^2, which must stay a small part of the work.
    constexpr std::size_t most_for_all_pairs = 150;
    constexpr Pricer::Effort quick{.rounds = 9, .precision = 2e-3};
    constexpr double gain = 1e-7;  // what rounding does helps nobody
    const std::uint64_t hosts = walk.hosts();
    const std::uint64_t between_offers = 20'000'000 + 2'000 * hosts * hosts;
    const std::uint64_t patience = 20 * hosts * hosts;
    const bool warm = cooling.first > 0;
    Meter own(limits);
    std::uint64_t next_offer = 0;
    std::uint64_t fruitless = 0;
    double least = walk.step_time();
    const auto offer = [&] {
        if (walk.step_time() < elite.enough())
            elite.offer({walk.step_time(), walk.ring(), walk.prices()});
    };
    offer();
    while (!own.over() && !meter.over() && (warm || fruitless < patience)) {
        const double warmth =
            warm ? cooling.first * std::pow(cooling.last / cooling.first, own.used()) : 0;
        if (own.spent() >= next_offer) {
            walk.offer_paths(std::pow(10.0, random.uniform(-3, 0)), hosts <= most_for_all_pairs);
            next_offer = own.spent() + between_offers;
        }
        for (std::uint64_t round = 0; round < between_looks; ++round) {
            const double enough = walk.step_time() * (1 - warmth * std::log(1 - random.uniform()));
            const auto& order = moves.next(walk.ring().order);
            const bool changed = order == walk.ring().order ? walk.reroute(random, enough, quick)
                                                            : walk.at_least(order) <= enough &&
                                                                  walk.make(order, enough, quick);
            if (changed) offer();
        }
        fruitless = walk.step_time() < least * (1 - gain) ? 0 : fruitless + between_looks;
        least = std::min(least, walk.step_time());
        const std::uint64_t steps = walk.take_steps() + between_looks * 10;
        own.spend(steps);
        meter.spend(steps);
    }
}

}  // namespace espalier::ring
