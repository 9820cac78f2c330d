#include "measured.hpp"

#include "core/random.hpp"
#include "core/statistics.hpp"
#include "network/convert.hpp"
#include "plan/race.hpp"
#include "round_trips.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

namespace espalier::bench {

namespace {

constexpr BytesPerSecond bandwidth{125e6};

network::PairwiseNetwork pairs_of(std::size_t size) {
    network::PairwiseNetwork network{.nodes = {},
                                     .startup = {size, size},
                                     .bandwidth = {size, size, bandwidth},
                                     .egress = {},
                                     .ingress = {},
                                     .cycle_times = {},
                                     .spread = {size, size}};
    for (std::size_t i = 0; i < size; ++i) network.nodes.push_back(fmt::format("n{}", i));
    return network;
}

/// The network in one slice.
network::GridNetwork slice_of(const Matrix<Seconds>& slice,
                              const std::vector<std::size_t>& chosen) {
    network::PairwiseNetwork network = pairs_of(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i)
        for (std::size_t j = 0; j < chosen.size(); ++j)
            if (i != j) network.startup(i, j) = slice(chosen[i], chosen[j]);
    return to_grid_in_flight(network);
}

/// Medians and spreads over the first so many slices.
network::GridNetwork known_of(const RoundTrips& trips, const std::vector<std::size_t>& chosen,
                              std::size_t slices) {
    network::PairwiseNetwork network = pairs_of(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i)
        for (std::size_t j = 0; j < chosen.size(); ++j) {
            if (i == j) continue;
            std::vector<double> logarithms;
            for (std::size_t s = 0; s < slices; ++s)
                logarithms.push_back(std::log(trips.slices[s](chosen[i], chosen[j]).value));
            const auto count = static_cast<double>(slices);
            const double mean = std::accumulate(logarithms.begin(), logarithms.end(), 0.0) / count;
            double squares = 0;
            for (const double value : logarithms) squares += std::pow(value - mean, 2);
            network.startup(i, j) = Seconds(std::exp(median(logarithms)));
            network.spread(i, j) = std::expm1(std::sqrt(squares / count));
        }
    return to_grid_in_flight(network);
}

}  // namespace

Measured perform_measured(const std::string& file, schedule::Kind kind, Bytes bytes,
                          unsigned percentile, std::size_t nodes, std::size_t draws) {
    const RoundTrips trips = read_round_trips(file);
    const std::size_t half = trips.slices.size() / 2;
    Measured found;
    for (std::size_t draw = 0; draw < draws; ++draw) {
        Random random(draw + 1);
        std::vector<std::size_t> chosen(trips.nodes.size());
        std::iota(chosen.begin(), chosen.end(), std::size_t{0});
        for (std::size_t i = 0; i < nodes; ++i)
            std::swap(chosen[i], chosen[i + random.below(chosen.size() - i)]);
        chosen.resize(nodes);
        const network::GridNetwork known = known_of(trips, chosen, half);
        const network::GridView view(known);
        plan::Request request;
        request.kind = kind;
        request.bytes = bytes;
        request.bounded = false;
        const plan::Job job = plan::Job::everywhere(view);
        const auto plain = plan::race(job, request).best().plan.schedule;
        request.robust = percentile;
        const auto robust = plan::race(job, request).best().plan.schedule;
        for (std::size_t s = half; s < trips.slices.size(); ++s) {
            const network::GridNetwork slice = slice_of(trips.slices[s], chosen);
            const network::GridView now(slice);
            const auto fabric = plan::fabric_of(plan::Job::everywhere(now));
            found.plain.push_back(simulate::simulate(plain, *fabric).makespan.value);
            found.robust.push_back(simulate::simulate(robust, *fabric).makespan.value);
        }
    }
    return found;
}

}  // namespace espalier::bench
