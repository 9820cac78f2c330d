#include "plan/composed/block_bounds.hpp"

#include "core/error.hpp"
#include "plan/composed/cut_bounds.hpp"
#include "plan/exchange/any_bound.hpp"
#include "plan/exchange_plan.hpp"
#include "plan/gather/bound.hpp"
#include "simulate/shortest_ways.hpp"
#include "simulate/transposed.hpp"

#include <algorithm>
#include <limits>

namespace espalier::plan::composed {

namespace {

using schedule::Collective;
using schedule::Kind;

constexpr double never = std::numeric_limits<double>::infinity();
/// Shortest ways are looked for from so many nodes in steps of all pairs.
constexpr std::size_t most_pair_steps = 64'000'000;

/// A scatter, an all-gather or a total exchange: what has to get from where to where.
class Blocks {
public:
    Blocks(const simulate::Fabric& fabric, const Collective& collective, std::size_t ports)
        : fabric_(fabric),
          collective_(collective),
          ports_(static_cast<double>(ports)),
          floors_(collective.nodes, collective.nodes) {
        std::uint64_t all = 0;
        constexpr auto most = std::numeric_limits<std::uint64_t>::max();
        const auto add = [&](Bytes bytes) {
            all = bytes.value > most - all ? most : all + bytes.value;
        };
        for (std::size_t a = 0; a < nodes(); ++a) {
            if (collective.kind != Kind::alltoall) add(collective.block(a));
            for (std::size_t b = 0; b < nodes() && collective.kind == Kind::alltoall; ++b)
                if (a != b) add(collective.block(a, b));
        }
        all_ = Bytes(all);
        for (std::size_t from = 0; from < nodes(); ++from)
            for (std::size_t to = 0; to < nodes(); ++to)
                if (from != to) floors_(from, to) = floor_of(from, to);
    }

    [[nodiscard]] Seconds bound() const {
        const Seconds cut =
            cut_bound(fabric_, all_, static_cast<std::size_t>(ports_),
                      [this](const std::vector<char>& inside) { return crossing(inside); });
        return std::max({cut, Seconds(through_ports()), Seconds(farthest_way())});
    }

private:
    [[nodiscard]] std::size_t nodes() const { return collective_.nodes; }
    /// What `from` has that has to get to `to`.
    [[nodiscard]] double bytes(std::size_t from, std::size_t to) const {
        if (from == to) return 0;
        switch (collective_.kind) {
            case Kind::scatter:
                return from == collective_.root ? double(collective_.block(to).value) : 0;
            case Kind::allgather:
                return double(collective_.block(from).value);
            default:
                return double(collective_.block(from, to).value);
        }
    }

    /// A block that many others need leaves a set once.
    [[nodiscard]] double out_of(const std::vector<char>& inside, char side) const {
        double sum = 0;
        for (std::size_t from = 0; from < nodes(); ++from) {
            if (inside[from] != side) continue;
            double most = 0;
            for (std::size_t to = 0; to < nodes(); ++to) {
                if (inside[to] == side) continue;
                most = collective_.kind == Kind::allgather ? std::max(most, bytes(from, to))
                                                           : most + bytes(from, to);
            }
            sum += most;
        }
        return sum;
    }
    [[nodiscard]] Crossing crossing(const std::vector<char>& inside) const {
        return {out_of(inside, 1), out_of(inside, 0)};
    }

    struct Ports {
        double out_latency = never;
        double out_per_byte = never;
        double in_latency = never;
        double in_per_byte = never;
    };

    /// The busiest port: all that a node has for others, and all that others have for it.
    [[nodiscard]] double through_ports() const {
        std::vector<Ports> ports(nodes());
        std::vector<double> out(nodes(), 0);
        std::vector<double> in(nodes(), 0);
        for (std::size_t from = 0; from < nodes(); ++from)
            for (std::size_t to = 0; to < nodes(); ++to) {
                if (from == to) continue;
                const double moved = bytes(from, to);
                in[to] += moved;
                out[from] = collective_.kind == Kind::allgather ? moved : out[from] + moved;
                const auto& floor = floors_(from, to);
                auto& sender = ports[from];
                sender.out_latency = std::min(sender.out_latency, floor.latency.value);
                sender.out_per_byte = std::min(sender.out_per_byte, floor.seconds_per_byte);
                auto& receiver = ports[to];
                receiver.in_latency = std::min(receiver.in_latency, floor.latency.value);
                receiver.in_per_byte = std::min(receiver.in_per_byte, floor.seconds_per_byte);
            }
        double busiest = 0;
        for (std::size_t node = 0; node < nodes(); ++node) {
            const Ports& port = ports[node];
            if (out[node] > 0 && port.out_latency < never)
                busiest =
                    std::max(busiest, port.out_latency + port.out_per_byte * out[node] / ports_);
            if (in[node] > 0 && port.in_latency < never)
                busiest = std::max(busiest, port.in_latency + port.in_per_byte * in[node] / ports_);
        }
        return busiest;
    }

    /// Costs nothing may use where they are not known.
    [[nodiscard]] simulate::CostFloor floor_of(std::size_t from, std::size_t to) const {
        try {
            return fabric_.floor(from, to, all_);
        } catch (const InputError&) {
            return {Seconds(never), never, Seconds(never), Seconds(0)};
        }
    }

    /// The first byte of something, along the shortest way.
    [[nodiscard]] double farthest_way() const {
        double farthest = 0;
        std::size_t steps = 0;
        for (std::size_t from = 0; from < nodes(); ++from) {
            if (collective_.kind == Kind::scatter && from != collective_.root) continue;
            if ((steps += nodes() * nodes()) > most_pair_steps) break;
            const auto reached =
                simulate::shortest_ways(nodes(), from, [&](std::size_t u, std::size_t v) {
                    if (u == v) return 0.0;
                    const auto& floor = floors_(u, v);
                    return (floor.latency + floor.gap).value;
                });
            for (std::size_t to = 0; to < nodes(); ++to)
                if (bytes(from, to) > 0 && reached[to] < never)
                    farthest = std::max(farthest, reached[to]);
        }
        return farthest;
    }

    const simulate::Fabric& fabric_;
    const Collective& collective_;
    double ports_;
    Matrix<simulate::CostFloor> floors_;
    Bytes all_;  ///< of everything
};

Bytes least_block(const Collective& collective) {
    Bytes least = collective.bytes;
    for (std::size_t node = 0; node < collective.nodes; ++node)
        least = std::min(least, collective.block(node));
    return least;
}

}  // namespace

Seconds block_bound(const simulate::Fabric& fabric, const Collective& collective,
                    std::size_t ports) {
    if (collective.nodes < 2) return Seconds(0);
    switch (collective.kind) {
        case Kind::gather:
        case Kind::reduce_scatter: {
            // Read backwards, they are scatters and all-gathers on the network turned round.
            Collective turned = collective;
            turned.kind = collective.kind == Kind::gather ? Kind::scatter : Kind::allgather;
            return block_bound(*simulate::transposed(fabric), turned, ports);
        }
        case Kind::allgather: {
            const Seconds bound = Blocks(fabric, collective, ports).bound();
            return std::max(
                bound, Seconds(gather::all_gather_bound(fabric, least_block(collective), ports)));
        }
        case Kind::alltoall: {
            ExchangeRequest request;
            request.sizes = collective.sizes
                                ? collective.sizes
                                : ExchangeRequest::uniform(collective.nodes, collective.bytes);
            request.ports = ports;
            const auto any = exchange::any_bound(make_exchange_problem(fabric, request));
            return std::max(Blocks(fabric, collective, ports).bound(), Seconds(any.makespan));
        }
        default:
            return Blocks(fabric, collective, ports).bound();
    }
}

}  // namespace espalier::plan::composed
