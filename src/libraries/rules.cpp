#include "libraries/rules.hpp"

#include "network/eager.hpp"
#include "plan/performance.hpp"
#include "simulate/rendezvous.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace espalier::libraries {

namespace {

/// The sizes of segments that rules try.
constexpr std::array<Bytes, 3> segment_sizes{Bytes(8 << 10), Bytes(32 << 10), Bytes(128 << 10)};

Seconds time_of(const Call& call, const Algorithm& algorithm, Bytes segment,
                const simulate::Fabric& fabric) {
    return plan::Performance(algorithm.pattern(call, segment)).time(fabric);
}

TunedCollective::Timed best_at(const Library& library, const simulate::Fabric& fabric,
                               const Call& call, double uncertainty) {
    const Algorithm& usual = library.usual(call);
    TunedCollective::Timed timed{call.bytes, &usual, time_of(call, usual, Bytes(0), fabric),
                                 Rule{call.bytes, nullptr, Bytes(0)}, Seconds(0)};
    timed.tuned = timed.usual;
    const auto look = [&](const Algorithm& algorithm, Bytes segment) {
        const Seconds time = time_of(call, algorithm, segment, fabric);
        const bool surely = time * (1 + uncertainty) * (1 + uncertainty) <= timed.usual;
        if (!surely || !(time < timed.tuned)) return;
        timed.rule = {call.bytes, &algorithm, segment};
        timed.tuned = time;
    };
    for (const Algorithm& algorithm : library.algorithms) {
        if (algorithm.kind != call.kind || algorithm.is_roughly) continue;
        look(algorithm, Bytes(0));
        if (!algorithm.has_segments) continue;
        for (const Bytes segment : segment_sizes)
            if (segment < call.bytes) look(algorithm, segment);
    }
    return timed;
}

}  // namespace

double Tuning::gain() const {
    double sum = 0;
    std::size_t counted = 0;
    for (const TunedCollective& collective : collectives)
        for (const TunedCollective::Timed& timed : collective.sizes) {
            if (!(timed.tuned > Seconds(0))) continue;
            sum += std::log(timed.usual / timed.tuned);
            ++counted;
        }
    return counted > 0 ? std::exp(sum / static_cast<double>(counted)) : 1;
}

Tuning tune(const Library& library, const simulate::Fabric& fabric,
            std::span<const schedule::Kind> kinds, std::span<const Bytes> sizes,
            double uncertainty) {
    const auto waiting =
        simulate::with_rendezvous(fabric, Bytes(network::usual_eager_bytes(library.name)));
    Tuning tuning{&library, fabric.nodes(), {}};
    for (const schedule::Kind kind : kinds) {
        TunedCollective& collective = tuning.collectives.emplace_back();
        collective.kind = kind;
        for (const Bytes size : sizes) {
            const auto timed = best_at(library, *waiting, {kind, tuning.ranks, size}, uncertainty);
            collective.sizes.push_back(timed);
            Rule rule = timed.rule;
            if (collective.rules.empty()) rule.bytes = Bytes(0);
            const bool same = !collective.rules.empty() &&
                              collective.rules.back().algorithm == rule.algorithm &&
                              collective.rules.back().segment == rule.segment;
            if (!same) collective.rules.push_back(rule);
        }
    }
    return tuning;
}

}  // namespace espalier::libraries
