#include "demands/any_bound.hpp"

#include "core/error.hpp"
#include "schedule/demands.hpp"
#include "simulate/shortest_ways.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace espalier::demands {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Of more nodes than this, ways around capacities are not looked for, and shortest ways only from
/// some and where a demand needs them: both would take minutes.
constexpr std::size_t most_searched = 256;
constexpr std::size_t sources_looked_at = 32;

/// What a link costs at least; `never`: there is none.
struct Link {
    double latency = never;
    double startup = never;   ///< of each message that it carries
    double per_byte = never;  ///< beside the start-ups
    double shortest = never;  ///< gap of the shortest message

    [[nodiscard]] bool exists() const { return latency < never; }
};

class Network {
public:
    explicit Network(const Problem& problem)
        : problem_(problem), links_(problem.nodes(), problem.nodes()) {
        Bytes all;
        for (const Message& message : problem.messages) all += message.bytes;
        for (std::size_t from = 0; from < problem.nodes(); ++from)
            for (std::size_t to = 0; to < problem.nodes(); ++to)
                if (from != to) links_(from, to) = find(from, to, all);
    }

    [[nodiscard]] const Link& link(std::size_t from, std::size_t to) const {
        return links_(from, to);
    }

    /// The earliest that the shortest message from `from` could be at each node.
    [[nodiscard]] std::vector<double> soonest(std::size_t from) const {
        return simulate::shortest_ways(problem_.nodes(), from, [&](std::size_t u, std::size_t v) {
            return u == v ? 0 : links_(u, v).latency + links_(u, v).shortest;
        });
    }

    /// What a node's ports need at least for so many bytes, over any of these links.
    template <typename LinkTo>
    [[nodiscard]] double port_time(double bytes, LinkTo link_to) const {
        if (bytes == 0) return 0;
        double work = never;
        double latency = never;
        for (std::size_t other = 0; other < problem_.nodes(); ++other) {
            const Link& link = link_to(other);
            if (!link.exists()) continue;
            // Of several links, or several messages, none does better than one: a start-up more.
            work = std::min(work, std::max(link.startup + link.per_byte * bytes, link.shortest));
            latency = std::min(latency, link.latency);
        }
        return work / static_cast<double>(problem_.ports) + latency;
    }
    [[nodiscard]] double time_to_send(std::size_t node, double bytes) const {
        return port_time(bytes, [&](std::size_t to) -> const Link& { return links_(node, to); });
    }
    [[nodiscard]] double time_to_receive(std::size_t node, double bytes) const {
        return port_time(bytes,
                         [&](std::size_t from) -> const Link& { return links_(from, node); });
    }

private:
    [[nodiscard]] Link find(std::size_t from, std::size_t to, Bytes all) const {
        try {
            const auto floor = problem_.fabric->floor(from, to, all);
            const double spread = floor.startup.value / std::max(1.0, double(all.value));
            return {floor.latency.value, floor.startup.value,
                    std::max(0.0, floor.seconds_per_byte - spread), floor.gap.value};
        } catch (const InputError&) {
            return {};  // what is not known, no schedule can use
        }
    }

    const Problem& problem_;
    Matrix<Link> links_;
};

/// Which messages have to cross a shared capacity, because no way leads around it.
class Detours {
public:
    Detours(const Problem& problem, const Network& network)
        : problem_(problem),
          network_(network),
          crossing_(problem.nodes() * problem.nodes(), 0),
          reached_(problem.nodes()),
          walled_(problem.nodes()) {}

    /// Bytes that have to cross it; of the messages that `counts` says.
    template <typename Counts>
    double bytes_across(std::size_t capacity, const std::vector<std::size_t>& direct,
                        Counts counts) {
        capacity_ = capacity;
        ++generation_;
        for (auto& reached : reached_) reached.reset();
        for (auto& walled : walled_) walled.reset();
        double bytes = 0;
        for (const std::size_t m : direct) {
            const Message& message = problem_.messages[m];
            if (counts(message) && !can_avoid(message.from, message.to))
                bytes += static_cast<double>(message.bytes.value);
        }
        return bytes;
    }

private:
    [[nodiscard]] bool crosses(std::size_t from, std::size_t to) {
        // Twice the generation: not across it; one more: across it.
        std::size_t& known = crossing_[from * problem_.nodes() + to];
        if (known / 2 != generation_) {
            const auto draws = problem_.fabric->draws(from, to);
            known = 2 * generation_ + (std::ranges::count(draws, capacity_) > 0 ? 1 : 0);
        }
        return known % 2 == 1;
    }

    /// Whether all links to a node draw on the capacity.
    [[nodiscard]] bool is_walled(std::size_t to) {
        auto& walled = walled_[to];
        if (!walled) {
            walled = true;
            for (std::size_t from = 0; from < problem_.nodes() && *walled; ++from)
                walled = from == to || !network_.link(from, to).exists() || crosses(from, to);
        }
        return *walled;
    }

    [[nodiscard]] bool can_avoid(std::size_t from, std::size_t to) {
        if (is_walled(to)) return false;
        auto& reached = reached_[from];
        if (!reached) reached = reachable(from);
        return (*reached)[to] != 0;
    }

    /// Where a message from that node comes to without drawing on the capacity.
    [[nodiscard]] std::vector<char> reachable(std::size_t from) {
        std::vector<char> reached(problem_.nodes(), 0);
        std::vector<std::size_t> open{from};
        std::vector<std::size_t> missing;
        for (std::size_t node = 0; node < problem_.nodes(); ++node)
            if (node != from) missing.push_back(node);
        reached[from] = 1;
        while (!open.empty() && !missing.empty()) {
            const std::size_t node = open.back();
            open.pop_back();
            std::erase_if(missing, [&](std::size_t next) {
                if (!network_.link(node, next).exists() || crosses(node, next)) return false;
                reached[next] = 1;
                open.push_back(next);
                return true;
            });
        }
        return reached;
    }

    const Problem& problem_;
    const Network& network_;
    std::size_t capacity_ = 0;
    std::size_t generation_ = 0;
    std::vector<std::size_t> crossing_;
    std::vector<std::optional<std::vector<char>>> reached_;
    std::vector<std::optional<bool>> walled_;
};

/// The bounds that ports make, of the messages that `counts` says.
template <typename Counts>
double ports_bound(const Problem& problem, const Network& network, Counts counts) {
    std::vector<double> out(problem.nodes(), 0);
    std::vector<double> in(problem.nodes(), 0);
    for (const Message& message : problem.messages) {
        if (!counts(message)) continue;
        out[message.from] += static_cast<double>(message.bytes.value);
        in[message.to] += static_cast<double>(message.bytes.value);
    }
    double bound = 0;
    for (std::size_t node = 0; node < problem.nodes(); ++node)
        bound = std::max({bound, network.time_to_send(node, out[node]),
                          network.time_to_receive(node, in[node])});
    return bound;
}

template <typename Counts>
double capacities_bound(const Problem& problem, const Network& network, Counts counts) {
    if (problem.nodes() > most_searched) return 0;
    const auto capacities = problem.fabric->capacities();
    std::vector<std::vector<std::size_t>> direct(capacities.size());
    for (std::size_t m = 0; m < problem.messages.size(); ++m)
        for (const auto c : problem.fabric->draws(problem.messages[m].from, problem.messages[m].to))
            direct[c].push_back(m);
    Detours detours(problem, network);
    double bound = 0;
    for (std::size_t c = 0; c < capacities.size(); ++c)
        bound = std::max(bound, detours.bytes_across(c, direct[c], counts) / capacities[c].limit);
    return bound;
}

}  // namespace

AnyBound any_bound(const Problem& problem) {
    if (problem.messages.empty()) return {};
    const Network network(problem);
    const auto all = [](const Message&) { return true; };
    const auto own = [&](const Message& message) { return problem.is_critical(message); };
    AnyBound bound{ports_bound(problem, network, all)};
    bound.makespan = std::max(bound.makespan, capacities_bound(problem, network, all));
    if (problem.critical)
        bound.critical =
            std::max(ports_bound(problem, network, own), capacities_bound(problem, network, own));
    std::vector<std::optional<std::vector<double>>> soonest(problem.nodes());
    for (std::size_t m = 0; m < problem.messages.size(); ++m) {
        const Message& message = problem.messages[m];
        const Due due = problem.due(m);
        if (problem.nodes() > most_searched && message.from >= sources_looked_at &&
            due.deadline == never && !own(message))
            continue;
        if (!soonest[message.from]) soonest[message.from] = network.soonest(message.from);
        double alone = (*soonest[message.from])[message.to];
        bound.makespan = std::max(bound.makespan, alone);
        if (own(message)) bound.critical = std::max(bound.critical, alone);
        if (due.deadline == never) continue;
        const auto bytes = static_cast<double>(message.bytes.value);
        alone = std::max({alone, network.time_to_send(message.from, bytes),
                          network.time_to_receive(message.to, bytes)});
        if (schedule::is_late(alone, due.deadline)) bound.missed += due.priority;
    }
    return bound;
}

}  // namespace espalier::demands
