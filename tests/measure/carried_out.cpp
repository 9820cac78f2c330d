#include "measure/carried_out.hpp"

#include <cmath>

namespace espalier::measure::test {

namespace {

/// What streams of a round get, window by window. In the first half of these, connections get a
/// part of their share, `beginning`; see carry_out() for `growth`.
RoundWindows rates_of(const HiddenNetwork& network, const StreamRound& round, double beginning,
                      double growth = 1) {
    std::vector<HiddenNetwork::Flow> flows;
    for (const Stream& stream : round.streams)
        flows.push_back({stream.ends.from, stream.ends.to, 1});
    RoundWindows windows;
    for (const double rate : network.rates(flows)) {
        windows.emplace_back(round.windows, rate);
        for (std::size_t w = 0; w < round.windows / 2; ++w) windows.back()[w] *= beginning;
        if (growth <= 1) continue;
        for (std::size_t w = 0; w < round.windows; ++w)
            windows.back()[w] *= std::pow(growth, -static_cast<double>(round.windows - 1 - w)) / 3;
    }
    return windows;
}

}  // namespace

std::vector<StreamRound> carry_out(const HiddenNetwork& network, SharingPlan& plan,
                                   double beginning, const HiddenNetwork* trains, double growth) {
    std::vector<StreamRound> all;
    double elapsed = 0;
    for (auto rounds = plan.next(elapsed); !rounds.empty(); rounds = plan.next(elapsed)) {
        std::vector<RoundWindows> found;
        for (const StreamRound& round : rounds) {
            if (!round.trains) {
                all.push_back(round);
                found.push_back(rates_of(network, round, beginning, growth));
            } else if (trains != nullptr) {
                found.push_back(rates_of(*trains, round, 1));
            } else {
                found.emplace_back(round.streams.size(), std::vector<double>{0});
            }
        }
        elapsed += rounds.back().begins + duration(rounds.back()) + time_to_order(rounds.back());
        plan.record(found, elapsed);
    }
    return all;
}

Surroundings unknown_paces(const HiddenNetwork& network) {
    Surroundings known = network.surroundings();
    for (std::size_t i = 0; i < network.hosts.size(); ++i)
        for (std::size_t j = 0; j < network.hosts.size(); ++j)
            if (i != j) known.alone(i, j) = 0;
    return known;
}

HiddenNetwork regions() {
    HiddenNetwork network({{5}, {4}, {4}, {2}, {3}});
    network.port = 40e6;
    const std::vector<double> out{23.5e6, 11.8e6, 9.4e6, 4.7e6, 5.9e6};
    const std::vector<double> in{23.5e6, 17.7e6, 9.4e6, 7.1e6, 11.8e6};
    for (std::size_t site = 0; site < 5; ++site) {
        network.add_path_out(site, out[site]);
        network.add_path_in(site, in[site]);
        for (std::size_t other = 0; other < 5; ++other)
            if (site != other)
                network.round_trips(site, other) =
                    0.09 + 0.03 * static_cast<double>(site + other) / 2;
    }
    return network;
}

}  // namespace espalier::measure::test
