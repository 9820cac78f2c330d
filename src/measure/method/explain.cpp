// Which capacities tell what streams got that ran at the same time.

#include "core/statistics.hpp"
#include "measure/method/bottlenecks.hpp"
#include "measure/method/candidates.hpp"
#include "measure/method/evidence.hpp"
#include "measure/method/stated_choice.hpp"

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
/// of sites; or that it lies in the middle of all, carries both directions, or is a line of two
/// sites or clusters alone.
constexpr double cost_of_other_path = 4;
constexpr double cost_of_rare = 12;
/// That a network is one of lines is as rare. In those each two have one as likely as not.
const double cost_of_even_chance = std::log(2);

class Explainer {
public:
    Explainer(const Surroundings& surroundings, const std::vector<RoundRates>& rounds)
        : surroundings_(surroundings), rounds_(rounds) {
        for (std::size_t c = 0; c < surroundings_.clusters(); ++c) ports_.push_back(port(c));
        for (const RoundRates& round : rounds_) add_flows(round);
        std::vector<double> costs;
        for (const Flow& flow : flows_) costs.push_back(flow.cost);
        of_paths_.emplace(costs);
        of_lines_.emplace(std::move(costs));
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
    /// What crosses something in a round.
    struct Load {
        std::vector<std::size_t> flows;
        double total = 0;
        double fastest = 0;  ///< of the paces
        double there = 0;    ///< of the total, from the one side to the other

        /// Whether neither direction alone made up the total.
        [[nodiscard]] bool is_of_both() const {
            return std::max(there, total - there) < Evidence::full * total;
        }
    };

    void add_flows(const RoundRates& round);
    void add_ports(const RoundRates& round, const Range& flows);
    [[nodiscard]] double port(std::size_t cluster) const;
    [[nodiscard]] bool share_alone(const ClusterPair& pair) const;
    [[nodiscard]] Load load(const Range& range, const auto& crosses) const;
    [[nodiscard]] Load load(const Range& range, const Bottleneck& bottleneck) const;
    /// What the flow costs if something holds it back that carries `total` of its `limit`.
    [[nodiscard]] static double held_back(const Flow& flow, const Load& load, double limit);

    void consider_all();
    void consider(const Bottleneck& bottleneck);
    /// What it costs to state it, and whether it is a line.
    [[nodiscard]] std::pair<double, bool> priced(const Bottleneck& bottleneck) const;
    [[nodiscard]] const StatedChoice& search();
    [[nodiscard]] Explanation found(const StatedChoice& choice) const;

    const Surroundings& surroundings_;
    const std::vector<RoundRates>& rounds_;
    std::vector<double> ports_;  ///< of a host of each cluster, bytes per second; 0: unknown
    std::vector<Flow> flows_;
    std::vector<Range> ranges_;  ///< by round
    std::set<std::vector<ClusterPair>> considered_;
    std::vector<Bottleneck> candidates_;
    std::optional<StatedChoice> of_paths_;  ///< among the candidates, in most networks
    std::optional<StatedChoice> of_lines_;  ///< in one of lines
    std::size_t lines_ = 0;                 ///< candidates
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
        const double alone = surroundings_.alone(pair.first, pair.second);
        const double limit = share_alone(pair) ? alone : flow.streams * alone;
        if (limit > 0)
            flow.cost =
                std::min(flow.cost, square(std::max(1 - flow.rate / limit, 0.0) / total_sigma) / 2);
        flows_.push_back(flow);
    }
    ranges_.push_back({begin, flows_.size()});
    add_ports(round, ranges_.back());
}

/// Whether all streams of the pair are presumed to get no more than one alone: in no round they
/// did.
bool Explainer::share_alone(const ClusterPair& pair) const {
    if (!surroundings_.pairs_share_alone) return false;
    return std::ranges::all_of(rounds_, [&](const RoundRates& round) {
        double all = 0;
        for (const StreamRate& stream : round)
            if (pair == ClusterPair(stream.from_cluster, stream.to_cluster)) all += stream.rate;
        return all <= surroundings_.alone(pair.first, pair.second) / Evidence::full;
    });
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

Explainer::Load Explainer::load(const Range& range, const Bottleneck& bottleneck) const {
    Load found = load(
        range, [&](const ClusterPair& pair) { return bottleneck.covers(pair.first, pair.second); });
    for (const std::size_t f : found.flows)
        if (std::ranges::binary_search(bottleneck.from, flows_[f].pair.first))
            found.there += flows_[f].rate;
    return found;
}

double Explainer::held_back(const Flow& flow, const Load& load, double limit) {
    const double missing = std::max(1 - load.total / limit, 0.0);
    if (flow.rate <= 0) return cost_of_flow;
    const double unfair = std::log(load.fastest / flow.pace());
    return square(missing / total_sigma) / 2 +
           square(unfair) / (square(flow_sigma) + square(stream_sigma) / flow.streams) / 2;
}

std::pair<double, bool> Explainer::priced(const Bottleneck& bottleneck) const {
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
    const bool of_site =
        (place == Place::out && is_site(from)) || (place == Place::in && is_site(to));
    const bool is_path = of_site || place == Place::out || place == Place::in ||
                         leaves_site(from, to) || leaves_site(to, from);
    const double cost = cost_of_capacity + (of_site || !is_path ? 0 : cost_of_other_path);
    const bool is_line = !is_path && !both && place != Place::middle;
    return {cost + (both || place == Place::middle ? cost_of_rare : 0), is_line};
}

void Explainer::consider(const Bottleneck& bottleneck) {
    if (!considered_.insert(bottleneck.pairs()).second) return;
    std::vector<Load> loads;
    double most = 0;
    for (const Range& range : ranges_) {
        loads.push_back(load(range, bottleneck));
        most = std::max(most, loads.back().total);
    }
    // Where nothing arrived in time, it is not known why.
    if (most <= 0) return;
    std::vector<double> full;
    for (const Load& all : loads)
        if (all.total >= Evidence::full * most) full.push_back(all.total);
    Bottleneck stated = bottleneck;
    stated.capacity = median(full);
    const auto [cost, is_line] = priced(bottleneck);
    StatedChoice::Candidate candidate{cost, {}};
    std::set<ClusterPair> held;
    bool both_together = false;
    for (const Load& all : loads) {
        bool is_full = false;
        for (const std::size_t f : all.flows) {
            const double left = held_back(flows_[f], all, stated.capacity);
            is_full = is_full || left < cost_of_flow;
            if (left >= flows_[f].cost) continue;
            candidate.items.emplace_back(f, left);
            held.insert(flows_[f].pair);
        }
        both_together = both_together || (is_full && all.is_of_both());
    }
    // Directions may be alike, and share nothing: neither alone is to have filled it.
    if (bottleneck.both && !both_together) return;
    // What but one pair shows is that pair's, unless most networks have it.
    const bool is_usual = !is_line && cost <= cost_of_capacity;
    if (held.empty() || (held.size() == 1 && bottleneck.pairs().size() > 1 && !is_usual)) return;
    candidates_.push_back(std::move(stated));
    of_lines_->add(candidate);
    if (is_line) {
        ++lines_;
        candidate.cost += cost_of_rare;
    }
    of_paths_->add(std::move(candidate));
}

/// What is likelier of a network of lines, and of one that has but a few.
const StatedChoice& Explainer::search() {
    of_paths_->search();
    of_lines_->search();
    const double of_lines = cost_of_rare + cost_of_even_chance * static_cast<double>(lines_);
    return of_lines + of_lines_->cost() < of_paths_->cost() ? *of_lines_ : *of_paths_;
}

void Explainer::consider_all() {
    std::vector<ClusterPair> open;
    for (const Flow& flow : flows_)
        if (flow.cost > 0) open.push_back(flow.pair);
    const auto plain = plain_candidates(surroundings_, open);
    for (const Bottleneck& candidate : plain) consider(candidate);
    for (const Bottleneck& candidate : both_ways(plain)) consider(candidate);
}

Explanation Explainer::found(const StatedChoice& choice) const {
    const Evidence seen(surroundings_, rounds_);
    const std::vector<double> least = choice.costs();
    Explanation all;
    for (const std::size_t k : choice.chosen()) {
        Bottleneck& bottleneck = all.bottlenecks.emplace_back(candidates_[k]);
        std::vector<double> carried;
        for (std::size_t r = 0; r < rounds_.size(); ++r) {
            if (std::ranges::none_of(choice.candidate(k).items, [&](const auto& held) {
                    return held.second <= least[held.first] && held.first >= ranges_[r].begin &&
                           held.first < ranges_[r].end;
                }))
                continue;
            const Load crossing = load(ranges_[r], bottleneck);
            carried.push_back(crossing.total);
            // That directions share is not seen where one of them fills it.
            if (!bottleneck.both || crossing.is_of_both()) ++bottleneck.rounds;
        }
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

Explanation Explainer::run() {
    consider_all();
    const StatedChoice& choice = search();
    if (surroundings_.presumes()) return found(choice);
    std::vector<Bottleneck> known;
    for (const std::size_t k : choice.chosen()) known.push_back(candidates_[k]);
    for (const Bottleneck& candidate : joined_candidates(surroundings_, known)) consider(candidate);
    return found(search());
}

}  // namespace

Explanation explain(const Surroundings& surroundings, const std::vector<RoundRates>& rounds) {
    return Explainer(surroundings, rounds).run();
}

}  // namespace espalier::measure
