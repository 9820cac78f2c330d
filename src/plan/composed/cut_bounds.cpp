#include "plan/composed/cut_bounds.hpp"

#include "core/error.hpp"
#include "core/matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <span>

namespace espalier::plan::composed {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Of so many classes all unions are tried.
constexpr std::size_t most_united = 8;
/// Nodes that differ more than that are not looked at.
constexpr std::size_t most_classes = 64;

struct Link {
    double latency = never;
    double per_byte = never;
    friend bool operator==(const Link&, const Link&) = default;
};

class Cuts {
public:
    Cuts(const simulate::Fabric& fabric, Bytes all, std::size_t ports)
        : fabric_(fabric),
          ports_(static_cast<double>(ports)),
          links_(fabric.nodes(), fabric.nodes()) {
        for (std::size_t from = 0; from < fabric.nodes(); ++from)
            for (std::size_t to = 0; to < fabric.nodes(); ++to)
                if (from != to) links_(from, to) = link(from, to, all);
        for (std::size_t node = 0; node < fabric.nodes() && classes_.size() <= most_classes; ++node)
            classify(node);
    }

    [[nodiscard]] double run(const CrossingOf& crossing_of) const {
        if (classes_.size() < 2 || classes_.size() > most_classes) return 0;
        double bound = 0;
        const auto look = [&](auto holds) {
            std::vector<char> chosen(classes_.size(), 0);
            std::vector<char> inside(fabric_.nodes(), 0);
            for (std::size_t c = 0; c < classes_.size(); ++c) {
                if (!holds(c)) continue;
                chosen[c] = 1;
                for (const std::size_t node : classes_[c]) inside[node] = 1;
            }
            bound = std::max(bound, time_of(chosen, crossing_of(inside)));
        };
        if (classes_.size() <= most_united)
            // A set and all others are one cut.
            for (std::size_t set = 1; set < std::size_t{1} << (classes_.size() - 1); ++set)
                look([&](std::size_t c) { return (set >> c & 1U) != 0; });
        else
            for (std::size_t alone = 0; alone < classes_.size(); ++alone)
                look([&](std::size_t c) { return c == alone; });
        return bound;
    }

private:
    [[nodiscard]] Link link(std::size_t from, std::size_t to, Bytes all) const {
        try {
            const auto floor = fabric_.floor(from, to, all);
            return {floor.latency.value, floor.seconds_per_byte};
        } catch (const InputError&) {
            return {};  // what is not known, no schedule can use
        }
    }

    [[nodiscard]] bool alike(std::size_t a, std::size_t b) const {
        const auto same = [&](std::size_t from, std::size_t to, std::size_t other_from,
                              std::size_t other_to) {
            return links_(from, to) == links_(other_from, other_to) &&
                   std::ranges::equal(fabric_.draws(from, to), fabric_.draws(other_from, other_to));
        };
        for (std::size_t node = 0; node < fabric_.nodes(); ++node)
            if (node != a && node != b && !(same(a, node, b, node) && same(node, a, node, b)))
                return false;
        return true;
    }

    void classify(std::size_t node) {
        for (auto& members : classes_)
            if (alike(members.front(), node)) {
                members.push_back(node);
                return;
            }
        classes_.push_back({node});
    }

    /// What the nodes of one class can send or receive across.
    struct Side {
        double any = never;   ///< least time per byte of any link
        double free = never;  ///< of one without a shared capacity
        std::set<std::uint32_t> capacities;
    };
    /// What goes from some classes to others: at most so many bytes a second through ports and what
    /// each class shares; and through ports at most so many beside what goes through capacities.
    struct Ways {
        double in_all = 0;
        double beside_capacities = 0;
        double latency = never;
        std::set<std::uint32_t> capacities;
    };

    [[nodiscard]] Ways ways(const std::vector<char>& chosen, bool out) const {
        Ways found;
        std::vector<Side> senders(classes_.size());
        std::vector<Side> receivers(classes_.size());
        for (std::size_t a = 0; a < classes_.size(); ++a)
            for (std::size_t b = 0; b < classes_.size(); ++b) {
                if ((chosen[a] != 0) != out || (chosen[b] != 0) == out) continue;
                const std::size_t from = classes_[a].front();
                const std::size_t to = classes_[b].front();
                const Link& across = links_(from, to);
                if (across.latency == never) continue;
                found.latency = std::min(found.latency, across.latency);
                const auto draws = fabric_.draws(from, to);
                for (Side* side : {&senders[a], &receivers[b]}) {
                    side->any = std::min(side->any, across.per_byte);
                    if (draws.empty())
                        side->free = std::min(side->free, across.per_byte);
                    else
                        side->capacities.insert(narrowest(draws));
                }
                if (!draws.empty()) found.capacities.insert(narrowest(draws));
            }
        const auto sum = [&](const std::vector<Side>& sides, auto rate) {
            double all = 0;
            for (std::size_t c = 0; c < classes_.size(); ++c)
                all += rate(sides[c], static_cast<double>(classes_[c].size()) * ports_);
            return all;
        };
        const auto beside = [](const Side& side, double nodes) {
            return side.free < never ? nodes / side.free : 0;
        };
        const auto in_all = [&](const Side& side, double nodes) {
            if (side.any == never) return 0.0;
            return std::min(nodes / side.any, beside(side, nodes) + limit(side.capacities));
        };
        found.in_all = std::min(sum(senders, in_all), sum(receivers, in_all));
        found.beside_capacities = std::min(sum(senders, beside), sum(receivers, beside));
        return found;
    }

    [[nodiscard]] std::uint32_t narrowest(std::span<const std::uint32_t> draws) const {
        return *std::ranges::min_element(
            draws, {}, [&](std::uint32_t c) { return fabric_.capacities()[c].limit; });
    }

    [[nodiscard]] double limit(const std::set<std::uint32_t>& capacities) const {
        double sum = 0;
        for (const std::uint32_t c : capacities) sum += fabric_.capacities()[c].limit;
        return sum;
    }

    /// Seconds for `bytes` at so many a second, after a latency; nothing for nothing.
    static double time(double bytes, double rate, double latency) {
        return bytes > 0 && rate > 0 && latency < never ? latency + bytes / rate : 0;
    }

    [[nodiscard]] double time_of(const std::vector<char>& chosen, Crossing crossing) const {
        const Ways out = ways(chosen, true);
        const Ways in = ways(chosen, false);
        std::set<std::uint32_t> either = out.capacities;
        either.insert(in.capacities.begin(), in.capacities.end());
        const auto rate = [&](const Ways& ways) {
            return std::min(ways.in_all, ways.beside_capacities + limit(ways.capacities));
        };
        const double both = std::min(out.in_all + in.in_all,
                                     out.beside_capacities + in.beside_capacities + limit(either));
        return std::max(
            {time(crossing.out, rate(out), out.latency), time(crossing.in, rate(in), in.latency),
             time(crossing.out + crossing.in, both, std::min(out.latency, in.latency))});
    }

    const simulate::Fabric& fabric_;
    double ports_;
    Matrix<Link> links_;
    std::vector<std::vector<std::size_t>> classes_;
};

}  // namespace

Seconds cut_bound(const simulate::Fabric& fabric, Bytes all, std::size_t ports,
                  const CrossingOf& crossing_of) {
    return Seconds(Cuts(fabric, all, ports).run(crossing_of));
}

}  // namespace espalier::plan::composed
