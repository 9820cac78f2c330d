#include "plan/local_support.hpp"

#include "network/grid_view.hpp"
#include "plan/algorithm.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace espalier::plan::local::test {

namespace {

struct Unit {
    std::size_t segment = 0;
    std::size_t transfer = 0;
    friend auto operator<=>(const Unit&, const Unit&) = default;
};

class Reference {
public:
    Reference(const schedule::Schedule& schedule, const network::PLogP& link)
        : schedule_(schedule), link_(link), sends_(nodes()), receives_(nodes()) {
        for (std::size_t t = 0; t < schedule_.transfers.size(); ++t) {
            const auto& transfer = schedule_.transfers[t];
            const std::size_t segments = schedule_.segments_of(transfer);
            ends_.emplace_back(segments);
            for (std::size_t segment = 0; segment < segments; ++segment) {
                sends_[transfer.from].units.push_back({segment, t});
                receives_[transfer.to].units.push_back({segment, t});
            }
        }
        for (auto* side : {&sends_, &receives_})
            for (auto& port : *side) std::sort(port.units.begin(), port.units.end());
    }

    double makespan() {
        for (bool moved = true; moved;) {
            moved = false;
            for (auto& port : sends_)
                while (port.next < port.units.size() && perform(port.units[port.next]))
                    moved = true;
        }
        double last = 0;
        for (const auto& ends : ends_)
            for (const auto& end : ends) {
                if (!end) throw std::runtime_error("the schedule can't proceed");
                last = std::max(last, *end);
            }
        check_everyone_has_everything();
        return last;
    }

private:
    struct Port {
        std::vector<Unit> units;
        std::size_t next = 0;
        double free = 0;
    };

    [[nodiscard]] std::size_t nodes() const { return schedule_.collective.nodes; }

    [[nodiscard]] static bool carries(const schedule::Transfer& transfer, std::size_t chunk) {
        return transfer.chunk <= chunk && chunk < transfer.chunk + transfer.chunks;
    }

    /// When `node` holds a segment of a chunk, by the transfers listed before `before`; none where
    /// one of them has not ended.
    [[nodiscard]] std::optional<double> held(std::size_t node, std::size_t chunk,
                                             std::size_t segment, std::size_t before) const {
        bool has = schedule_.chunks[chunk].control || node == schedule_.collective.root;
        double when = 0;
        for (std::size_t t = 0; t < before; ++t) {
            const auto& earlier = schedule_.transfers[t];
            if (earlier.to != node || !carries(earlier, chunk)) continue;
            has = true;
            const auto& end = ends_[t][std::min(segment, ends_[t].size() - 1)];
            if (!end) return std::nullopt;
            when = std::max(when, *end);
        }
        if (!has) throw std::runtime_error("a node sends what it does not hold");
        return when;
    }

    [[nodiscard]] Bytes size_of(const schedule::Transfer& transfer, std::size_t segment) const {
        std::uint64_t whole = 0;
        for (std::size_t i = 0; i < transfer.chunks; ++i)
            whole += schedule_.chunks[transfer.chunk + i].bytes.value;
        const std::uint64_t parts = schedule_.segments_of(transfer);
        return Bytes(whole / parts + (segment < whole % parts ? 1 : 0));
    }

    bool perform(Unit unit) {
        const auto& transfer = schedule_.transfers[unit.transfer];
        Port& sender = sends_[transfer.from];
        Port& receiver = receives_[transfer.to];
        if (receiver.units[receiver.next] != unit) return false;
        const double gap = link_.gap(size_of(transfer, unit.segment)).value;
        const double latency = link_.latency(size_of(transfer, unit.segment)).value;
        double start = std::max(sender.free, receiver.free - latency);
        for (std::size_t i = 0; i < transfer.chunks; ++i) {
            const auto ready = held(transfer.from, transfer.chunk + i, unit.segment, unit.transfer);
            if (!ready) return false;
            start = std::max(start, *ready);
        }
        if (transfer.after) {
            const auto& end = ends_[*transfer.after].back();
            if (!end) return false;
            start = std::max(start, *end);
        }
        sender.free = start + gap;
        receiver.free = start + latency + gap;
        ends_[unit.transfer][unit.segment] = receiver.free;
        ++sender.next;
        ++receiver.next;
        return true;
    }

    void check_everyone_has_everything() const {
        std::uint64_t bytes = 0;
        for (std::size_t chunk = 0; chunk < schedule_.chunks.size(); ++chunk) {
            if (schedule_.chunks[chunk].control) continue;
            bytes += schedule_.chunks[chunk].bytes.value;
            for (std::size_t node = 0; node < nodes(); ++node)
                if (!held(node, chunk, 0, schedule_.transfers.size()))
                    throw std::runtime_error("a node ends without some part");
        }
        if (bytes != schedule_.collective.bytes.value)
            throw std::runtime_error("the chunks are not the message");
    }

    const schedule::Schedule& schedule_;
    const network::PLogP& link_;
    std::vector<Port> sends_;
    std::vector<Port> receives_;
    std::vector<std::vector<std::optional<double>>> ends_;
};

}  // namespace

std::vector<NamedStrategy> strategies() {
    std::vector<NamedStrategy> found;
    for (const Algorithm& algorithm : algorithms())
        if (const auto* strategy = std::get_if<Strategy>(&algorithm.make))
            found.push_back({std::string(algorithm.name), *strategy});
    return found;
}

network::PLogP gigabit() {
    return {network::CostTable(Seconds(47e-6)),
            network::CostTable({{Bytes(1), Seconds(8e-6)},
                                {Bytes(1024), Seconds(16e-6)},
                                {Bytes(65536), Seconds(580e-6)},
                                {Bytes(1048576), Seconds(9e-3)}})};
}

network::PLogP linear(double latency, double per_message, double per_byte) {
    return {network::CostTable(Seconds(latency)),
            network::CostTable({{Bytes(0), Seconds(per_message)},
                                {Bytes(1 << 20), Seconds(per_message + per_byte * (1 << 20))}})};
}

network::PLogP constant(double latency, double gap) {
    return {network::CostTable(Seconds(latency)), network::CostTable(Seconds(gap))};
}

Problem problem(std::size_t nodes, std::uint64_t bytes, const network::PLogP& link) {
    return {nodes, link, Bytes(bytes)};
}

Seconds reference_makespan(const schedule::Schedule& schedule, const network::PLogP& link) {
    return Seconds(Reference(schedule, link).makespan());
}

Seconds simulated_makespan(const schedule::Schedule& schedule, const network::PLogP& link) {
    network::Cluster cluster;
    cluster.name = "cluster";
    cluster.size = schedule.collective.nodes;
    cluster.inside = network::Cluster::Local{link};
    network::GridNetwork grid;
    grid.clusters.push_back(cluster);
    grid.links = Matrix<std::optional<network::PLogP>>(1, 1);
    const network::GridView view(grid);
    std::vector<network::GridView::Place> places;
    for (std::size_t node = 0; node < view.nodes(); ++node) places.push_back(view.place_of(node));
    return simulate::simulate(schedule, *simulate::make_rank_fabric(view, places)).makespan;
}

}  // namespace espalier::plan::local::test
