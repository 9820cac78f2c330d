#include "measure/method/rounds.hpp"

#include "measure/method/tournament.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace espalier::measure {

namespace {

/// Streams between two groups, targets of one, and streams that fill a capacity, at most.
constexpr std::size_t most_parallel = 8;
constexpr std::size_t most_targets = 6;
constexpr std::size_t most_filling = 8;
/// Streams between each two units of a flood.
constexpr std::size_t most_flooding = 24;
constexpr std::size_t least_flooding = 3;

/// Deals out the hosts of a group, by turns of its clusters, each host once as long as they last.
class HostDealer {
public:
    HostDealer(const std::vector<std::size_t>& clusters,
               const std::vector<std::vector<std::size_t>>& hosts)
        : clusters_(clusters), hosts_(hosts), used_(clusters.size(), 0) {}

    RoundMaker::Host next() {
        for (;; ++laps_) {
            std::size_t best = clusters_.size();
            for (std::size_t k = 0; k < clusters_.size(); ++k)
                if (used_[k] < laps_ * hosts_[clusters_[k]].size() &&
                    (best == clusters_.size() || used_[k] < used_[best]))
                    best = k;
            if (best == clusters_.size()) continue;
            const auto& hosts = hosts_[clusters_[best]];
            return {clusters_[best], hosts[used_[best]++ % hosts.size()]};
        }
    }

private:
    const std::vector<std::size_t>& clusters_;
    const std::vector<std::vector<std::size_t>>& hosts_;
    std::vector<std::size_t> used_;
    std::size_t laps_ = 1;
};

void add(const RoundMaker::Host& from, const RoundMaker::Host& to, RoundMaker::Ends& ends) {
    ends.push_back({from.host, to.host, from.cluster, to.cluster});
}

}  // namespace

std::size_t RoundMaker::hosts(const Clusters& clusters) const {
    return std::accumulate(clusters.begin(), clusters.end(), std::size_t{0},
                           [&](std::size_t sum, std::size_t c) { return sum + hosts_[c].size(); });
}

/// Adds as many streams as there are hosts, up to `most`, but enough for all clusters to take part.
void RoundMaker::between(const Clusters& from, const Clusters& to, std::size_t most,
                         Ends& ends) const {
    std::size_t wanted = std::min({hosts(from), hosts(to), most});
    if (most > 1) wanted = std::max({wanted, from.size(), to.size()});
    HostDealer senders(from, hosts_);
    HostDealer receivers(to, hosts_);
    for (std::size_t k = 0; k < wanted; ++k) add(senders.next(), receivers.next(), ends);
}

/// Adds streams from one group to several others, or from those to the one: two of each cluster
/// that has enough hosts, to different targets, and at least one to each target.
void RoundMaker::fan(const Clusters& one, const Units& many, std::size_t most, bool out,
                     Ends& ends) const {
    std::size_t wanted = 0;
    for (const std::size_t c : one) wanted += std::min<std::size_t>(hosts_[c].size(), 2);
    wanted = std::max({wanted, many.size(), std::min(hosts(one), most)});
    HostDealer hub(one, hosts_);
    std::vector<HostDealer> targets;
    for (const Clusters& target : many) targets.emplace_back(target, hosts_);
    // By cluster, how many streams go to each target; and in all.
    std::map<std::size_t, std::vector<std::size_t>> own_load;
    std::vector<std::size_t> load(many.size(), 0);
    for (std::size_t k = 0; k < wanted; ++k) {
        const auto at_hub = hub.next();
        auto& own = own_load.try_emplace(at_hub.cluster, many.size(), 0).first->second;
        std::size_t best = 0;
        for (std::size_t t = 1; t < many.size(); ++t)
            if (std::pair(own[t], load[t]) < std::pair(own[best], load[best])) best = t;
        ++own[best];
        ++load[best];
        const auto at_target = targets[best].next();
        if (out)
            add(at_hub, at_target, ends);
        else
            add(at_target, at_hub, ends);
    }
}

RoundMaker::Ends RoundMaker::singles(const Units& units, std::size_t shift,
                                     std::size_t turn) const {
    Ends ends;
    for (std::size_t u = 0; u < units.size(); ++u) {
        HostDealer senders(units[u], hosts_);
        HostDealer receivers(units[(u + shift) % units.size()], hosts_);
        for (std::size_t t = 0; t < turn; ++t) {
            (void)senders.next();
            (void)receivers.next();
        }
        add(senders.next(), receivers.next(), ends);
    }
    return ends;
}

RoundMaker::Ends RoundMaker::one_way(const Units& units, std::size_t round, bool back) const {
    Ends ends;
    for (const auto& [low, high] : pairs_of_round(units.size(), round))
        between(units[back ? high : low], units[back ? low : high], 1, ends);
    return ends;
}

RoundMaker::Ends RoundMaker::across(const Units& units, std::size_t shift) const {
    Ends ends;
    for (std::size_t u = 0; u < units.size(); ++u)
        between(units[u], units[(u + shift) % units.size()], most_parallel, ends);
    return ends;
}

RoundMaker::Ends RoundMaker::flood(const Units& from, const Units& to,
                                   const Matrix<double>& wanted) const {
    Ends ends;
    for (std::size_t u = 0; u < from.size(); ++u)
        for (std::size_t v = 0; v < to.size(); ++v) {
            if (from[u] == to[v]) continue;
            const auto senders = dealt(from[u], v);
            const auto receivers = dealt(to[v], u);
            const std::size_t all = std::max((senders.size() + to.size() - 1) / to.size(),
                                             (receivers.size() + from.size() - 1) / from.size());
            const auto to_fill = static_cast<std::size_t>(wanted(from[u].front(), to[v].front()));
            const std::size_t most =
                std::max(most_flooding / std::min(from.size(), to.size()), least_flooding);
            const std::size_t count =
                std::clamp(to_fill, std::clamp(all, least_flooding, most), most);
            // Each lap through the longer list meets the shorter one further on.
            const std::size_t lap = std::lcm(senders.size(), receivers.size());
            for (std::size_t k = 0; k < std::min(count, senders.size() * receivers.size()); ++k)
                add(senders[k % senders.size()], receivers[(k + k / lap) % receivers.size()], ends);
        }
    return ends;
}

/// All hosts of a group by turns of its clusters, beginning with the `first`.
std::vector<RoundMaker::Host> RoundMaker::dealt(const Clusters& clusters, std::size_t first) const {
    HostDealer dealer(clusters, hosts_);
    std::vector<Host> all;
    for (std::size_t k = 0; k < hosts(clusters); ++k) all.push_back(dealer.next());
    std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first % all.size()),
                all.end());
    return all;
}

RoundMaker::Ends RoundMaker::both_ways(const Units& units) const {
    Ends ends;
    for (const auto& [low, high] : pairs_of_round(units.size(), 0)) {
        between(units[low], units[high], most_parallel, ends);
        between(units[high], units[low], most_parallel, ends);
    }
    return ends;
}

void RoundMaker::hub(const Units& units, std::size_t turn, Ends& ends) const {
    const Clusters& source = units[turn];
    const Clusters& sink = units[(turn + 1) % units.size()];
    Units others;
    for (std::size_t k = 2; k < units.size() && others.size() + 1 < most_targets; ++k)
        others.push_back(units[(turn + k) % units.size()]);
    // With what the source sends it, as many as the source sends in all: who sends to the sink is
    // to be held back there, and not on its own path out.
    fan(sink, others, most_parallel * others.size() / (others.size() + 1), false, ends);
    others.push_back(sink);
    fan(source, others, most_parallel, true, ends);
}

std::vector<RoundMaker::Ends> RoundMaker::hubs(const Units& units) const {
    if (units.size() < 2) return {};
    std::vector<Ends> rounds;
    if (units.size() == 2) {
        between(units[0], units[1], most_parallel, rounds.emplace_back());
        between(units[1], units[0], most_parallel, rounds.emplace_back());
        return rounds;
    }
    for (std::size_t turn = 0; turn < units.size(); ++turn) hub(units, turn, rounds.emplace_back());
    return rounds;
}

RoundMaker::Ends RoundMaker::fill(const Bottleneck& bottleneck) const {
    Ends ends;
    const auto fill_direction = [&](const Clusters& from, const Clusters& to) {
        const std::size_t wanted = std::max(
            {std::min(std::max(hosts(from), hosts(to)), most_filling), from.size(), to.size()});
        HostDealer senders(from, hosts_);
        HostDealer receivers(to, hosts_);
        for (std::size_t k = 0; k < wanted; ++k) add(senders.next(), receivers.next(), ends);
    };
    fill_direction(bottleneck.from, bottleneck.to);
    if (bottleneck.both) fill_direction(bottleneck.to, bottleneck.from);
    return ends;
}

}  // namespace espalier::measure
