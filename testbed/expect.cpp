#include "testbed/expect.hpp"

#include "core/infinity.hpp"
#include "testbed/wire.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace espalier::testbed {

namespace {

constexpr std::uint64_t udp_headers = 20 + 8;
constexpr std::uint64_t least_frame = 84;  // 64 bytes, preamble and gap

Seconds one_way(const Topology& topology, HostPair pair, Bytes on_wire) {
    const Path& path = topology.paths(pair.from, pair.to);
    Seconds time = path.latency;
    for (const std::uint32_t queue : queues_of(path)) time += on_wire / topology.queues[queue].rate;
    return time;
}

/// The queues of several flows, and how much of each is left.
class Shares {
public:
    Shares(const Topology& topology, const std::vector<HostPair>& flows)
        : rates_(flows.size(), BytesPerSecond(infinity)) {
        for (std::size_t flow = 0; flow < flows.size(); ++flow)
            for (const std::uint32_t queue :
                 queues_of(topology.paths(flows[flow].from, flows[flow].to))) {
                left_.emplace(queue, topology.queues[queue].rate.value);
                flows_[queue].insert(flow);
            }
    }

    /// Fills the queue that gives each of its flows the least, again and again.
    std::vector<BytesPerSecond> fill() {
        while (!flows_.empty()) {
            const auto tightest =
                std::min_element(flows_.begin(), flows_.end(),
                                 [&](const auto& a, const auto& b) { return share(a) < share(b); });
            const double rate = share(*tightest);
            for (const std::size_t flow : std::set<std::size_t>(tightest->second))
                settle(flow, rate);
        }
        return rates_;
    }

private:
    [[nodiscard]] double share(
        const std::pair<const std::uint32_t, std::set<std::size_t>>& queue) const {
        return left_.at(queue.first) / static_cast<double>(queue.second.size());
    }

    void settle(std::size_t flow, double rate) {
        rates_[flow] = BytesPerSecond(rate);
        for (auto queue = flows_.begin(); queue != flows_.end();) {
            if (queue->second.erase(flow) != 0) left_[queue->first] -= rate;
            queue = queue->second.empty() ? flows_.erase(queue) : std::next(queue);
        }
    }

    std::vector<BytesPerSecond> rates_;
    std::map<std::uint32_t, double> left_;
    std::map<std::uint32_t, std::set<std::size_t>> flows_;  ///< those that are not settled
};

/// Every how-many-th, so that at most `most` are left.
template <typename T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t most) {
    if (all.size() <= most) return all;
    std::vector<T> kept;
    for (std::size_t i = 0; i < most; ++i) kept.push_back(all[i * all.size() / most]);
    return kept;
}

/// The pairs that cross each queue.
std::vector<std::vector<HostPair>> crossings(const Topology& topology) {
    std::vector<std::vector<HostPair>> pairs(topology.queues.size());
    for (std::size_t from = 0; from < topology.hosts.size(); ++from)
        for (std::size_t to = 0; to < topology.hosts.size(); ++to)
            if (from != to)
                for (const std::uint32_t queue : queues_of(topology.paths(from, to)))
                    pairs[queue].push_back({from, to});
    return pairs;
}

/// Chooses from pairs that cross one queue: between hosts that no other chosen pair has, and each
/// time the pair whose other queues are least used by those before.
std::vector<HostPair> apart(const Topology& topology, const std::vector<HostPair>& pairs,
                            std::size_t most) {
    std::vector<HostPair> chosen;
    std::set<std::size_t> hosts;
    std::map<std::uint32_t, std::size_t> uses;
    while (chosen.size() < most) {
        const HostPair* best = nullptr;
        std::size_t least = std::numeric_limits<std::size_t>::max();
        for (const HostPair& pair : pairs) {
            if (hosts.contains(pair.from) || hosts.contains(pair.to)) continue;
            std::size_t used = 0;
            for (const std::uint32_t queue : queues_of(topology.paths(pair.from, pair.to)))
                used += uses[queue];
            if (used < least) {
                least = used;
                best = &pair;
            }
        }
        if (best == nullptr) break;
        chosen.push_back(*best);
        hosts.insert({best->from, best->to});
        for (const std::uint32_t queue : queues_of(topology.paths(best->from, best->to)))
            ++uses[queue];
    }
    return chosen;
}

/// Whether these flows get all of the queue, and each by itself would get more of it.
bool contend(const Topology& topology, std::uint32_t queue, const std::vector<HostPair>& flows) {
    if (flows.size() < 2) return false;
    const auto rates = fair_rates(topology, flows);
    const BytesPerSecond sum = std::accumulate(rates.begin(), rates.end(), BytesPerSecond(0));
    BytesPerSecond wanted(0);
    for (const HostPair& flow : flows) wanted += fair_rates(topology, {flow}).front();
    const BytesPerSecond capacity = topology.queues[queue].rate;
    return sum > 0.99 * capacity && wanted > 1.2 * capacity;
}

}  // namespace

std::vector<std::uint32_t> queues_of(const Path& path) {
    std::vector<std::uint32_t> queues = path.before;
    queues.insert(queues.end(), path.after.begin(), path.after.end());
    return queues;
}

Seconds asked_round_trip(const Topology& topology, HostPair pair, Bytes payload) {
    const Bytes on_wire(std::max(least_frame, payload.value + udp_headers + ethernet_overhead));
    return one_way(topology, pair, on_wire) + one_way(topology, {pair.to, pair.from}, on_wire);
}

std::vector<BytesPerSecond> fair_rates(const Topology& topology,
                                       const std::vector<HostPair>& flows) {
    return Shares(topology, flows).fill();
}

std::vector<HostPair> pairs_of_clusters(const Topology& topology, std::size_t most) {
    std::map<std::pair<std::string, std::string>, std::size_t> numbers;
    std::vector<std::vector<std::size_t>> clusters;
    for (std::size_t host = 0; host < topology.hosts.size(); ++host) {
        const Host& member = topology.hosts[host];
        const auto [known, fresh] =
            numbers.try_emplace({member.site, member.cluster}, clusters.size());
        if (fresh) clusters.emplace_back();
        clusters[known->second].push_back(host);
    }
    std::vector<HostPair> pairs;
    for (std::size_t a = 0; a < clusters.size(); ++a) {
        std::set<std::pair<Seconds, BytesPerSecond>> seen;
        for (const std::size_t other : clusters[a]) {
            const HostPair pair{clusters[a].front(), other};
            if (pair.from != pair.to && seen.emplace(topology.paths(pair.from, pair.to).latency,
                                                     fair_rates(topology, {pair}).front())
                                            .second)
                pairs.push_back(pair);
        }
        for (std::size_t b = a + 1; b < clusters.size(); ++b)
            pairs.push_back({clusters[a].front(), clusters[b].front()});
    }
    return thinned(pairs, most);
}

std::vector<Contention> contentions(const Topology& topology, std::size_t flows, std::size_t most) {
    const auto crossed = crossings(topology);
    std::vector<std::uint32_t> order(topology.queues.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return crossed[a].size() > crossed[b].size();
    });
    std::vector<Contention> found;
    for (const std::uint32_t queue : order) {
        if (found.size() == most) break;
        Contention candidate{queue, apart(topology, crossed[queue], flows)};
        if (contend(topology, queue, candidate.flows)) found.push_back(std::move(candidate));
    }
    return found;
}

}  // namespace espalier::testbed
