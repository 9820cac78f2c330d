// What trains of datagrams tell a SharingPlan, and when that counts.

#include "core/infinity.hpp"
#include "core/statistics.hpp"
#include "measure/method/evidence.hpp"
#include "measure/method/sharing_plan.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace espalier::measure {

namespace {

double crossing(const RoundRates& round, const Bottleneck& capacity) {
    double rate = 0;
    for (const StreamRate& stream : round)
        if (capacity.covers(stream.from_cluster, stream.to_cluster)) rate += stream.rate;
    return rate;
}

}  // namespace

/// The greatest rate that two trains agree on: others on their ways make some seem slow, two at a
/// time by as much, and what holds up their first datagrams now and then makes one seem fast. 0:
/// none.
double SharingPlan::agreed(std::vector<double> rates) {
    std::ranges::sort(rates, std::greater<>());
    for (std::size_t k = 0; k + 1 < rates.size(); ++k)
        if (rates[k + 1] > Evidence::full * rates[k]) return (rates[k] + rates[k + 1]) / 2;
    return 0;
}

/// Learns how fast trains came. What they agree on from one site to another is as good as a flood
/// of that path, unless it may have been hosts' cards, as far as others of their clusters know
/// them, that drew them out.
void SharingPlan::learn_trains(const PlayedRound& round) {
    for (const StreamRate& train : window(round.planned, round.rates, 0, 1)) {
        const auto& [from, to, i, j, came] = train;
        std::vector<double>& rates = trains_[{site_of(i), site_of(j)}];
        rates.push_back(came);
        const double rate = agreed(rates);
        if (rates.size() % most_trains != 0 || rate == 0) continue;
        double cards = infinity;
        for (const std::size_t c : {i, j})
            if (const double card = surroundings_.alone(c, c); make_.hosts({c}) > 1 && card > 0)
                cards = std::min(cards, card);
        if (rate * clearly_more >= cards) continue;
        agreed_trains_.push_back({from, to, i, j, rate});
        learn_cards({agreed_trains_.back()});
    }
    presume();
}

/// Trains that met others all the time are slower than what a flood then carries.
void SharingPlan::drop_refuted_trains(const RoundRates& flood) {
    std::map<ClusterPair, double> between;
    for (const StreamRate& stream : flood)
        between[{site_of(stream.from_cluster), site_of(stream.to_cluster)}] += stream.rate;
    for (const auto& [pair, rate] : between) {
        const std::size_t from = pair.first;
        const std::size_t to = pair.second;
        if (rate <= clearly_more * train_limit(sites_[from].front(), sites_[to].front())) continue;
        trains_.erase(pair);
        std::erase_if(agreed_trains_, [from, to, this](const StreamRate& train) {
            return site_of(train.from_cluster) == from && site_of(train.to_cluster) == to;
        });
    }
}

/// What the path carries by the trains between its sites; infinity if none came.
double SharingPlan::train_limit(std::size_t from, std::size_t to) const {
    const auto trains = trains_.find({site_of(from), site_of(to)});
    if (trains == trains_.end()) return infinity;
    const double rate = agreed(trains->second);
    const double limit = rate > 0 ? rate : median(trains->second);
    return limit > 0 ? limit : infinity;
}

/// Where trains say that a path carries clearly less than all that was found on it, it has a line
/// of its own.
void SharingPlan::add_lines(const std::vector<StreamRate>& trains,
                            std::vector<Bottleneck>& found) const {
    for (const StreamRate& train : trains) {
        Bottleneck line{sites_[site_of(train.from_cluster)], sites_[site_of(train.to_cluster)]};
        line.capacity = line.apart = train.rate;
        line.rounds = convincing;
        if (!told(found, line, clearly_more * line.capacity)) found.push_back(std::move(line));
    }
}

/// Whether a round that filled it was not still rising there.
bool SharingPlan::has_settled(const Bottleneck& found) const {
    for (std::size_t r = 0; r < rounds_.size(); ++r)
        if (crossing(rounds_[r], found) >= Evidence::full * found.capacity &&
            !still_rises(crossing(ends_[r].before, found), crossing(ends_[r].last, found)))
            return true;
    return false;
}

/// Trains that are more than twice as fast as what floods found on their way, and settled at, say
/// nothing of it: a shaper may let pass at once what is longer than they are.
bool SharingPlan::gainsays(const Bottleneck& found, const StreamRate& train) const {
    return found.covers(train.from_cluster, train.to_cluster) && train.rate > 2 * found.capacity &&
           has_settled(found);
}

}  // namespace espalier::measure
