#include "network/generate_gusto.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace espalier::network {

namespace {

double draw_from(double low, double high, Draw draw, Random& random) {
    if (draw == Draw::uniform) return random.uniform(low, high);
    // Rounding may lead out of the range.
    return std::clamp(std::exp(random.uniform(std::log(low), std::log(high))), low, high);
}

void check(const RandomGustoOptions& options) {
    if (options.nodes == 0) throw InputError("nodes", "", "a network has at least one node");
    const auto [least, most] = options.startup;
    if (!(least.value >= 0 && least <= most && std::isfinite(most.value)))
        throw InputError("startup", "",
                         fmt::format("the range {} s to {} s is not 0 <= least <= most",
                                     least.value, most.value));
    if (options.draw == Draw::log && least.value == 0)
        throw InputError("startup", "", "0 has no logarithm");
    const auto [slowest, fastest] = options.bandwidth;
    if (!(slowest.value > 0 && slowest <= fastest && std::isfinite(fastest.value)))
        throw InputError("bandwidth", "",
                         fmt::format("the range {} B/s to {} B/s is not 0 < least <= most",
                                     slowest.value, fastest.value));
}

}  // namespace

PairwiseNetwork random_gusto(const RandomGustoOptions& options, Random& random) {
    check(options);
    const std::size_t n = options.nodes;
    PairwiseNetwork network{.nodes = {},
                            .startup = Matrix<std::optional<Seconds>>(n, n),
                            .bandwidth = Matrix<std::optional<BytesPerSecond>>(n, n),
                            .egress = {},
                            .ingress = {}};
    for (std::size_t from = 0; from < n; ++from) {
        network.nodes.push_back(fmt::format("n{}", from));
        for (std::size_t to = 0; to < n; ++to) {
            if (from == to) continue;
            if (options.symmetric && to < from) {
                network.startup(from, to) = network.startup(to, from);
                network.bandwidth(from, to) = network.bandwidth(to, from);
                continue;
            }
            network.startup(from, to) = Seconds(draw_from(
                options.startup.low.value, options.startup.high.value, options.draw, random));
            network.bandwidth(from, to) = BytesPerSecond(draw_from(
                options.bandwidth.low.value, options.bandwidth.high.value, options.draw, random));
        }
    }
    return network;
}

}  // namespace espalier::network
