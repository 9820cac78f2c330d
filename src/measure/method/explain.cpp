// Which capacities tell what streams got that ran at the same time.

#include "core/statistics.hpp"
#include "measure/method/bottlenecks.hpp"
#include "measure/method/candidates.hpp"
#include "measure/method/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace espalier::measure {

namespace {

/// How far what a full capacity carries is off, relative.
constexpr double total_sigma = 0.06;
/// How far from its fair share of a full capacity a flow is, as a logarithm: of a flow of many
/// streams, and what comes to it of each stream.
constexpr double flow_sigma = 0.6;
constexpr double stream_sigma = 0.4;
/// TCP's shares fall with round trips; those of cubic by less than in proportion. Round trips below
/// some are all alike to it, in seconds.
constexpr double share_exponent = 0.5;
constexpr double least_round_trip = 1e-4;
/// What a flow costs that nothing holds back, and what a capacity costs that is stated: negative
/// logarithms of how likely they are.
constexpr double cost_of_flow = 6;
constexpr double cost_of_capacity = 4;
/// What it costs more that it is not a site's own path, but that of a part of a site or of a group
/// of sites; and that it is of another kind, as few are.
constexpr double cost_of_other_path = 4;
constexpr double cost_of_rare_kind = 12;

class Explainer {
public:
    Explainer(const Surroundings& surroundings, const std::vector<RoundRates>& rounds)
        : surroundings_(surroundings), rounds_(rounds) {
        for (std::size_t c = 0; c < surroundings_.clusters(); ++c) ports_.push_back(port(c));
        for (const RoundRates& round : rounds_) add_flows(round);
    }

    Explanation run();

private:
    /// All streams from one cluster to another in a round.
    struct Flow {
        ClusterPair pair;
        double streams = 0;
        double weight = 0;           ///< in proportion to which flows share what is full
        double rate = 0;             ///< bytes per second
        double cost = cost_of_flow;  ///< by what is known besides capacities

        [[nodiscard]] double pace() const { return rate / weight; }
    };
    struct Range {
        std::size_t begin = 0;  ///< flows
        std::size_t end = 0;
    };
    struct Candidate {
        Bottleneck bottleneck;
        double cost = 0;  ///< of stating it
        /// What flows cost that it holds back, where that is less than without any capacity.
        std::vector<std::pair<std::size_t, double>> flows;
    };
    /// What crosses something in a round.
    struct Load {
        std::vector<std::size_t> flows;
        double total = 0;
        double fastest = 0;  ///< of the paces
        bool there = false;  ///< whether any goes from the one side to the other
        bool back = false;
    };

    void add_flows(const RoundRates& round);
    void add_ports(const RoundRates& round, const Range& flows);
    [[nodiscard]] double port(std::size_t cluster) const;
    [[nodiscard]] Load load(const Range& range, const auto& crosses) const;
    [[nodiscard]] Load load(const Range& range, const Bottleneck& bottleneck) const {
        return load(range, [&](const ClusterPair& pair) {
            return bottleneck.covers(pair.first, pair.second);
        });
    }
    /// What the flow costs if something holds it back that carries `total` of its `limit`.
    [[nodiscard]] static double held_back(const Flow& flow, const Load& load, double limit);

    void consider_all(const std::vector<ClusterPair>& unexplained);
    void consider(const Bottleneck& bottleneck);
    [[nodiscard]] double cost_of(const Bottleneck& bottleneck) const;
    void search();
    [[nodiscard]] bool add();
    [[nodiscard]] bool drop();
    [[nodiscard]] bool exchange();
    [[nodiscard]] double cost() const;
    /// The candidate by which most is gained where flows cost so much, if any is.
    [[nodiscard]] std::optional<std::size_t> best_beside(const std::vector<double>& costs) const;
    /// What each flow costs by what was chosen, but for one of the chosen.
    [[nodiscard]] std::vector<double> costs(std::optional<std::size_t> without = {}) const;
    /// What is gained by stating it where flows cost so much.
    [[nodiscard]] double gain(std::size_t candidate, const std::vector<double>& costs) const;
    [[nodiscard]] std::vector<ClusterPair> unexplained() const;
    [[nodiscard]] Explanation found() const;

    const Surroundings& surroundings_;
    const std::vector<RoundRates>& rounds_;
    std::vector<double> ports_;  ///< of a host of each cluster, bytes per second; 0: unknown
    std::vector<Flow> flows_;
    std::vector<Range> ranges_;  ///< by round
    std::vector<Candidate> candidates_;
    std::set<std::vector<ClusterPair>> considered_;
    std::vector<std::size_t> chosen_;     ///< of the candidates
    std::optional<std::size_t> without_;  ///< the one that is not to be chosen
};

double square(double value) { return value * value; }

void Explainer::add_flows(const RoundRates& round) {
    std::map<ClusterPair, Flow> flows;
    for (const StreamRate& stream : round) {
        const ClusterPair pair(stream.from_cluster, stream.to_cluster);
        Flow& flow = flows.try_emplace(pair, Flow{pair}).first->second;
        const double round_trip = surroundings_.round_trips.rows() > 0
                                      ? surroundings_.round_trips(pair.first, pair.second)
                                      : least_round_trip;
        ++flow.streams;
        flow.weight += std::pow(std::max(round_trip, least_round_trip), -share_exponent);
        flow.rate += stream.rate;
    }
    const std::size_t begin = flows_.size();
    for (auto& [pair, flow] : flows) {
        // What one stream gets alone, all streams get that nothing holds back.
        const double alone = flow.streams * surroundings_.alone(pair.first, pair.second);
        if (alone > 0)
            flow.cost =
                std::min(flow.cost, square(std::max(1 - flow.rate / alone, 0.0) / total_sigma) / 2);
        flows_.push_back(flow);
    }
    ranges_.push_back({begin, flows_.size()});
    add_ports(round, ranges_.back());
}

/// The most that a host of the cluster was seen to send or receive; what is a cluster by itself has
/// a port that nothing else tells of. 0 if nothing is known.
double Explainer::port(std::size_t cluster) const {
    double most = surroundings_.alone(cluster, cluster);
    for (std::size_t other = 0; other < surroundings_.clusters(); ++other)
        most = std::max(
            {most, surroundings_.alone(cluster, other), surroundings_.alone(other, cluster)});
    if (surroundings_.hosts[cluster].size() > 1) return most;
    for (const RoundRates& round : rounds_) {
        double out = 0;
        double in = 0;
        for (const StreamRate& stream : round) {
            if (stream.from_cluster == cluster) out += stream.rate;
            if (stream.to_cluster == cluster) in += stream.rate;
        }
        most = std::max({most, out, in});
    }
    return most;
}

/// The ports of the hosts that took part hold flows back, too.
void Explainer::add_ports(const RoundRates& round, const Range& flows) {
    std::map<std::size_t, std::set<std::size_t>> senders;
    std::map<std::size_t, std::set<std::size_t>> receivers;
    for (const StreamRate& stream : round) {
        senders[stream.from_cluster].insert(stream.from);
        receivers[stream.to_cluster].insert(stream.to);
    }
    const auto hold_back = [&](const auto& hosts_of, auto end) {
        for (const auto& entry : hosts_of) {
            const double limit = ports_[entry.first] * static_cast<double>(entry.second.size());
            if (limit <= 0) continue;
            const Load all =
                load(flows, [&](const ClusterPair& pair) { return pair.*end == entry.first; });
            for (const std::size_t f : all.flows)
                flows_[f].cost = std::min(flows_[f].cost, held_back(flows_[f], all, limit));
        }
    };
    hold_back(senders, &ClusterPair::first);
    hold_back(receivers, &ClusterPair::second);
}

Explainer::Load Explainer::load(const Range& range, const auto& crosses) const {
    Load found;
    for (std::size_t f = range.begin; f < range.end; ++f) {
        const Flow& flow = flows_[f];
        if (!crosses(flow.pair)) continue;
        found.flows.push_back(f);
        found.total += flow.rate;
        found.fastest = std::max(found.fastest, flow.pace());
    }
    return found;
}

double Explainer::held_back(const Flow& flow, const Load& load, double limit) {
    const double missing = std::max(1 - load.total / limit, 0.0);
    if (flow.rate <= 0) return cost_of_flow;
    const double unfair = std::log(load.fastest / flow.pace());
    return square(missing / total_sigma) / 2 +
           square(unfair) / (square(flow_sigma) + square(stream_sigma) / flow.streams) / 2;
}

double Explainer::cost_of(const Bottleneck& bottleneck) const {
    const auto is_site = [&](const std::vector<std::size_t>& clusters) {
        return std::ranges::find(surroundings_.sites, clusters) != surroundings_.sites.end();
    };
    // Whether it leads from some clusters of a site to all other sites, or back.
    const auto leaves_site = [&](const auto& some, const auto& others) {
        return std::ranges::any_of(surroundings_.sites, [&](const auto& site) {
            return std::ranges::includes(site, some) &&
                   site.size() + others.size() == surroundings_.clusters();
        });
    };
    using Place = Bottleneck::Place;
    const auto& [from, to, both, place] =
        std::tie(bottleneck.from, bottleneck.to, bottleneck.both, bottleneck.place);
    if ((place == Place::out && is_site(from)) || (place == Place::in && is_site(to)))
        return cost_of_capacity + (both ? cost_of_rare_kind : 0);
    const bool path =
        place == Place::out || place == Place::in || leaves_site(from, to) || leaves_site(to, from);
    return cost_of_capacity + (path && !both ? cost_of_other_path : cost_of_rare_kind);
}

void Explainer::consider(const Bottleneck& bottleneck) {
    if (!considered_.insert(bottleneck.pairs()).second) return;
    std::vector<Load> loads;
    double most = 0;
    for (const Range& range : ranges_) {
        Load& all = loads.emplace_back(load(range, bottleneck));
        for (const std::size_t f : all.flows)
            (std::ranges::binary_search(bottleneck.from, flows_[f].pair.first) ? all.there
                                                                               : all.back) = true;
        most = std::max(most, all.total);
    }
    // Where nothing arrived in time, it is not known why.
    if (most <= 0) return;
    std::vector<double> full;
    for (const Load& all : loads)
        if (all.total >= Evidence::full * most) full.push_back(all.total);
    Candidate candidate{bottleneck, cost_of(bottleneck), {}};
    candidate.bottleneck.capacity = median(full);
    bool both_at_once = false;
    for (const Load& all : loads) {
        bool is_full = false;
        for (const std::size_t f : all.flows) {
            const double cost = held_back(flows_[f], all, candidate.bottleneck.capacity);
            is_full = is_full || cost < cost_of_flow;
            if (cost < flows_[f].cost) candidate.flows.emplace_back(f, cost);
        }
        both_at_once = both_at_once || (is_full && all.there && all.back);
    }
    // Directions may be alike, and share nothing.
    if (bottleneck.both && !both_at_once) return;
    if (!candidate.flows.empty()) candidates_.push_back(std::move(candidate));
}

void Explainer::consider_all(const std::vector<ClusterPair>& unexplained) {
    const auto plain = plain_candidates(surroundings_, unexplained);
    for (const Bottleneck& candidate : plain) consider(candidate);
    for (const Bottleneck& candidate : both_ways(plain)) consider(candidate);
}

std::vector<double> Explainer::costs(std::optional<std::size_t> without) const {
    std::vector<double> least;
    for (const Flow& flow : flows_) least.push_back(flow.cost);
    for (const std::size_t k : chosen_) {
        if (k == without) continue;
        for (const auto& [flow, cost] : candidates_[k].flows)
            least[flow] = std::min(least[flow], cost);
    }
    return least;
}

double Explainer::gain(std::size_t candidate, const std::vector<double>& costs) const {
    double sum = -candidates_[candidate].cost;
    for (const auto& [flow, cost] : candidates_[candidate].flows)
        sum += std::max(costs[flow] - cost, 0.0);
    return sum;
}

std::optional<std::size_t> Explainer::best_beside(const std::vector<double>& costs) const {
    std::optional<std::size_t> best;
    double most = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (k == without_ || std::ranges::find(chosen_, k) != chosen_.end()) continue;
        const double gained = gain(k, costs);
        if (gained <= most) continue;
        most = gained;
        best = k;
    }
    return best;
}

bool Explainer::add() {
    const std::optional<std::size_t> best = best_beside(costs());
    if (best) chosen_.push_back(*best);
    return best.has_value();
}

/// Gives up what the others explain by now.
bool Explainer::drop() {
    const auto unneeded =
        std::ranges::find_if(chosen_, [&](std::size_t k) { return gain(k, costs(k)) <= 0; });
    if (unneeded == chosen_.end()) return false;
    chosen_.erase(unneeded);
    return true;
}

/// Does without one of the chosen, as well as it can, where that is better.
bool Explainer::exchange() {
    constexpr double least_gain = 1e-6;
    const std::vector<std::size_t> before = chosen_;
    const double cost = this->cost();
    for (const std::size_t k : before) {
        std::erase(chosen_, k);
        without_ = k;
        while (add() || drop()) continue;
        without_.reset();
        if (this->cost() < cost - least_gain) return true;
        chosen_ = before;
    }
    return false;
}

/// Of all flows, and of what is stated.
double Explainer::cost() const {
    double sum = 0;
    for (const double flow : costs()) sum += flow;
    for (const std::size_t k : chosen_) sum += candidates_[k].cost;
    return sum;
}

/// Each step costs less than the one before it, so that it ends.
void Explainer::search() {
    while (add() || drop() || exchange()) continue;
}

std::vector<ClusterPair> Explainer::unexplained() const {
    const std::vector<double> least = costs();
    std::vector<ClusterPair> open;
    for (std::size_t f = 0; f < flows_.size(); ++f)
        if (least[f] > 0) open.push_back(flows_[f].pair);
    return open;
}

Explanation Explainer::found() const {
    const Evidence seen(surroundings_, rounds_);
    const std::vector<double> least = costs();
    Explanation all;
    for (const std::size_t k : chosen_) {
        Bottleneck& bottleneck = all.bottlenecks.emplace_back(candidates_[k].bottleneck);
        std::vector<double> carried;
        for (std::size_t r = 0; r < rounds_.size(); ++r)
            if (std::ranges::any_of(candidates_[k].flows, [&](const auto& held) {
                    return held.second <= least[held.first] && held.first >= ranges_[r].begin &&
                           held.first < ranges_[r].end;
                }))
                carried.push_back(load(ranges_[r], bottleneck).total);
        bottleneck.rounds = carried.size();
        bottleneck.capacity = median(carried);
        bottleneck.apart = seen.apart(bottleneck);
    }
    for (std::size_t r = 0; r < rounds_.size(); ++r) {
        std::set<ClusterPair> open;
        for (std::size_t f = ranges_[r].begin; f < ranges_[r].end; ++f)
            if (least[f] >= cost_of_flow) open.insert(flows_[f].pair);
        auto& flags = all.unexplained.emplace_back();
        for (const StreamRate& stream : rounds_[r])
            flags.push_back(open.contains({stream.from_cluster, stream.to_cluster}));
    }
    return all;
}

/// Paths first; what lies between single pairs where these leave something to explain.
Explanation Explainer::run() {
    consider_all({});
    search();
    consider_all(unexplained());
    search();
    if (!surroundings_.presumes()) {
        std::vector<Bottleneck> known;
        for (const std::size_t k : chosen_) known.push_back(candidates_[k].bottleneck);
        for (const Bottleneck& candidate : joined_candidates(surroundings_, known))
            consider(candidate);
        search();
    }
    return found();
}

}  // namespace

Explanation explain(const Surroundings& surroundings, const std::vector<RoundRates>& rounds) {
    return Explainer(surroundings, rounds).run();
}

}  // namespace espalier::measure
