#include "simulate/check_ring.hpp"

#include "simulate/ring_step.hpp"
#include "simulate/use.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace espalier::simulate {

namespace {

using network::LinksNetwork;
using schedule::Ring;
using schedule::RingPath;
using schedule::RingSharing;
using schedule::StatedRing;

using Violation = std::optional<std::string>;
constexpr auto none = std::nullopt;

/// Whether the value exceeds the limit, or is no number at all.
bool exceeds(double value, double limit) { return !(value <= limit * (1 + file_rounding)); }

class RingChecker {
public:
    RingChecker(const StatedRing& stated, const LinksNetwork& network)
        : stated_(stated), network_(network) {
        for (std::size_t i = 0; i < network.nodes.size(); ++i) node_[network.nodes[i].name] = i;
        for (std::size_t i = 0; i < network.links.size(); ++i) link_[network.links[i].name] = i;
        ring_.work = *stated.work;
        ring_.exchange = *stated.exchange;
        ring_.sharing = stated.sharing;
        ring_.lower_bound = stated.lower_bound;
        ring_.optimal = stated.optimal;
        ring_.scope = stated.scope;
        ring_.algorithm = stated.algorithm;
        ring_.refinement = stated.refinement;
        ring_.network = stated.network;
    }

    RingCheck run() {
        for (const auto& part :
             {&RingChecker::read_order, &RingChecker::read_shares, &RingChecker::read_paths,
              &RingChecker::check_paths, &RingChecker::check_loads, &RingChecker::check_times})
            if (auto violation = (this->*part)()) return {std::move(violation), {}};
        return {none, std::move(ring_)};
    }

private:
    Violation read_order() {
        for (std::size_t place = 0; place < stated_.order.size(); ++place) {
            const std::string& name = stated_.order[place];
            const auto found = node_.find(name);
            if (found == node_.end())
                return fmt::format("ring[{}]: the network has no host '{}'", place, name);
            if (!network_.nodes[found->second].cycle_time)
                return fmt::format("ring[{}]: '{}' is a router, it does not compute", place, name);
            if (!members_.insert(found->second).second)
                return fmt::format("ring[{}]: '{}' stands in the ring twice", place, name);
            ring_.order.push_back(found->second);
        }
        return ring_.order.empty() ? Violation("ring: no host") : none;
    }

    Violation read_shares() {
        std::vector<std::optional<double>> shares(ring_.order.size());
        double sum = 0;
        for (const auto& [name, share] : stated_.shares) {
            const auto found = std::ranges::find(stated_.order, name);
            if (found == stated_.order.end())
                return fmt::format("shares.{}: '{}' is not in the ring", name, name);
            if (!(share >= 0)) return fmt::format("shares.{}: {} is negative", name, share);
            shares[static_cast<std::size_t>(found - stated_.order.begin())] = share;
            sum += share;
        }
        for (std::size_t place = 0; place < shares.size(); ++place) {
            if (!shares[place]) return fmt::format("shares: '{}' has none", stated_.order[place]);
            ring_.shares.push_back(*shares[place]);
        }
        if (!(std::abs(sum - 1) <= file_rounding))
            return fmt::format("shares: they sum to {}, not to 1", sum);
        return none;
    }

    /// Puts the stated paths, whatever their order, where their ends say that they belong.
    Violation read_paths() {
        const std::size_t size = ring_.order.size();
        const std::size_t expected = size == 1 ? 0 : 2 * size;
        ring_.paths.resize(expected);
        std::vector<char> known(expected, 0);
        for (std::size_t p = 0; p < stated_.paths.size(); ++p) {
            const StatedRing::Path& path = stated_.paths[p];
            const auto from = std::ranges::find(stated_.order, path.from);
            const auto to = std::ranges::find(stated_.order, path.to);
            const auto place = [&](auto found) {
                return static_cast<std::size_t>(found - stated_.order.begin());
            };
            for (const auto& [end, name] : {std::pair(from, &path.from), std::pair(to, &path.to)})
                if (end == stated_.order.end())
                    return fmt::format("paths[{}]: '{}' is not in the ring", p, *name);
            const bool forwards = (place(from) + 1) % size == place(to);
            const bool backwards = (place(to) + 1) % size == place(from);
            if (size == 1 || (!forwards && !backwards))
                return fmt::format("paths[{}]: '{}' and '{}' are no neighbours in the ring", p,
                                   path.from, path.to);
            // Of two hosts, each path is to both the successor and the predecessor.
            std::size_t slot = 2 * place(from) + (forwards ? 0U : 1U);
            if (forwards && backwards && known[slot] != 0) ++slot;
            if (known[slot] != 0)
                return fmt::format("paths[{}]: one more path from '{}' to '{}'", p, path.from,
                                   path.to);
            known[slot] = 1;
            ring_.paths[slot] = {
                ring_.order[place(from)], ring_.order[place(to)], {}, path.bandwidth};
            if (auto violation = read_links(path, ring_.paths[slot])) return violation;
        }
        const auto missing = std::ranges::find(known, 0);
        if (missing == known.end()) return none;
        const auto slot = static_cast<std::size_t>(missing - known.begin());
        return fmt::format("paths: '{}' has none to its {} '{}'", stated_.order[slot / 2],
                           slot % 2 == 0 ? "successor" : "predecessor",
                           stated_.order[(slot / 2 + (slot % 2 == 0 ? 1 : size - 1)) % size]);
    }

    Violation read_links(const StatedRing::Path& stated, RingPath& path) const {
        for (const std::string& name : stated.links) {
            const auto found = link_.find(name);
            if (found == link_.end())
                return fmt::format("the path from '{}' to '{}': the network has no link '{}'",
                                   stated.from, stated.to, name);
            path.links.push_back(found->second);
        }
        return none;
    }

    Violation check_paths() {
        for (const RingPath& path : ring_.paths)
            if (auto fault = network_.routes.empty() ? fault_of_path(path) : fault_of_route(path))
                return fmt::format("the path from {} to {}: {}", quoted(path.from), quoted(path.to),
                                   *fault);
        return none;
    }

    [[nodiscard]] Violation fault_of_path(const RingPath& path) const {
        std::size_t at = path.from;
        std::unordered_set<std::size_t> visited{at};
        for (const std::size_t id : path.links) {
            const LinksNetwork::Link& link = network_.links[id];
            if (!link.ends)
                return fmt::format("link '{}' has no ends, and no route crosses it", link.name);
            const bool along = link.ends->from == at;
            if (!along && link.ends->to != at)
                return fmt::format("link '{}' does not leave {}", link.name, quoted(at));
            if (!along && link.kind == LinksNetwork::Kind::directed)
                return fmt::format("link '{}' leads to {}, not from it", link.name, quoted(at));
            at = along ? link.ends->to : link.ends->from;
            if (!visited.insert(at).second)
                return fmt::format("link '{}' leads back to {}", link.name, quoted(at));
        }
        if (at != path.to) return fmt::format("it ends at {}", quoted(at));
        return none;
    }

    [[nodiscard]] Violation fault_of_route(const RingPath& path) const {
        const auto route = std::ranges::find_if(network_.routes, [&](const auto& listed) {
            return listed.from == path.from && listed.to == path.to;
        });
        if (route == network_.routes.end()) return "the network lists no route";
        if (route->links == path.links) return none;
        std::vector<std::string> names;
        for (const std::size_t link : route->links) names.push_back(network_.links[link].name);
        return fmt::format("the network's route crosses [{}]", fmt::join(names, ", "));
    }

    Violation check_loads() {
        std::vector<double> loads(network_.links.size(), 0);
        for (const RingPath& path : ring_.paths) {
            for (const std::size_t id : path.links) {
                const LinksNetwork::Link& link = network_.links[id];
                if (exceeds(path.bandwidth, link.bandwidth.value))
                    return fmt::format(
                        "the path from {} to {}: its bandwidth is {}, and link '{}' has {}",
                        quoted(path.from), quoted(path.to), path.bandwidth, link.name,
                        link.bandwidth.value);
                loads[id] += path.bandwidth;
            }
        }
        // Fair messages need not be on their way together; the simulation tells what they get.
        if (ring_.sharing == RingSharing::fair) return none;
        for (std::size_t id = 0; id < loads.size(); ++id) {
            const LinksNetwork::Link& link = network_.links[id];
            if (link.kind != LinksNetwork::Kind::backbone &&
                exceeds(loads[id], link.bandwidth.value))
                return fmt::format("link '{}': paths take {} of its bandwidth of {}", link.name,
                                   loads[id], link.bandwidth.value);
        }
        return none;
    }

    /// The seconds that the host at this place takes for a step.
    [[nodiscard]] double step_of(std::size_t place) const {
        const LinksNetwork::Node& host = network_.nodes[ring_.order[place]];
        double time = ring_.shares[place] * ring_.work * *host.cycle_time;
        if (ring_.order.size() == 1) return time;
        for (const std::size_t p : {2 * place, 2 * place + 1}) {
            const RingPath& path = ring_.paths[p];
            time += host.startup + network_.nodes[path.to].startup;
            for (const std::size_t link : path.links) time += network_.links[link].latency.value;
            time += ring_.exchange / path.bandwidth;
        }
        return time;
    }

    /// The step, and who ends it last.
    std::size_t measure_reserved() {
        std::size_t last = 0;
        for (std::size_t place = 0; place < ring_.order.size(); ++place) {
            const double time = step_of(place);
            if (place > 0 && time <= ring_.step_time) continue;
            ring_.step_time = time;
            last = place;
        }
        return last;
    }

    Violation measure_fair() {
        const RingSteps steps = simulate_ring(network_, ring_);
        ring_.step_time = steps.step_time;
        for (std::size_t p = 0; p < ring_.paths.size(); ++p) {
            const RingPath& path = ring_.paths[p];
            const double average = (p % 2 == 0 ? steps.to_successor : steps.to_predecessor)[p / 2];
            if (exceeds(path.bandwidth, average) || exceeds(average, path.bandwidth))
                return fmt::format("the path from {} to {}: it says that it gets {}, and gets {}",
                                   quoted(path.from), quoted(path.to), path.bandwidth, average);
        }
        return none;
    }

    Violation check_times() {
        const bool fair = ring_.sharing == RingSharing::fair;
        std::string who = "the step";
        if (fair) {
            if (auto violation = measure_fair()) return violation;
        } else {
            who = fmt::format("'{}'", stated_.order[measure_reserved()]);
        }
        if (exceeds(ring_.step_time, stated_.step_time) ||
            exceeds(stated_.step_time, ring_.step_time))
            return fmt::format("step_time: it says {}, and {} takes {}", stated_.step_time, who,
                               ring_.step_time);
        if (exceeds(stated_.lower_bound, ring_.step_time))
            return fmt::format("lower_bound: {} is more than the step takes, {}",
                               stated_.lower_bound, ring_.step_time);
        return none;
    }

    [[nodiscard]] std::string quoted(std::size_t node) const {
        return fmt::format("'{}'", network_.nodes[node].name);
    }

    const StatedRing& stated_;
    const LinksNetwork& network_;
    std::unordered_map<std::string, std::size_t> node_;
    std::unordered_map<std::string, std::size_t> link_;
    std::unordered_set<std::size_t> members_;
    Ring ring_;
};

}  // namespace

RingCheck check_ring(const StatedRing& stated, const LinksNetwork& network) {
    assert(stated.work && stated.exchange);
    return RingChecker(stated, network).run();
}

}  // namespace espalier::simulate
