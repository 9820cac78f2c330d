#include "plan/bounds/routing.hpp"

#include "plan/bounds/arborescence.hpp"
#include "plan/bounds/prices.hpp"
#include "simulate/shortest_paths.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace espalier::plan::bounds {

namespace {

/// How prices are raised. Twice as many rounds say no more than 0.1% more of any network of
/// examples/.
struct Raising {
    std::size_t rounds = 240;
    double steepest = 0.5;  ///< exponent by which the busiest gets dearer in the first round
    double halving = 20;    ///< rounds after which it is half of that
};
constexpr Raising raising;

class Routing {
public:
    Routing(const Groups& groups, const Demand& demand)
        : groups_(groups),
          size_(groups.size()),
          copies_(demand.joins_targets()),
          combines_(copies_ && demand.joins_sources() && !demand.has_root()),
          rooted_(demand.has_root()),
          needed_(size_, size_, 0),
          uses_(size_, size_),
          servers_(2 * size_ + groups.limits().size()) {
        std::vector<double> held(size_, 0);  // when a group's nodes have something to send at all
        if (demand.has_root()) {
            const std::size_t root = group_of(demand.root());
            for (std::size_t a = 0; a < size_; ++a) held[a] = groups.soonest(root, a);
        }
        for (std::size_t a = 0; a < size_; ++a)
            for (std::size_t b = 0; b < size_; ++b) {
                add_link(a, b, held[a]);
                if (copies_) continue;
                for (const std::size_t from : groups.members(a))
                    for (const std::size_t to : groups.members(b))
                        needed_(a, b) += demand.bytes(from, to);
            }
        if (combines_)
            needed_(0, 0) = demand.out_of(groups.members(0).front());
        else if (copies_)
            for (std::size_t a = 0; a < size_; ++a)
                for (const std::size_t from : groups.members(a))
                    needed_(a, a) += demand.out_of(from);
    }

    [[nodiscard]] double run(Meter& meter) {
        std::vector<double> weight(servers_.size(), 1);
        double bound = 0;
        const bool one_tree = !copies_ || rooted_;  // or ways, which take no longer
        // A tree compares all links once for each time that it makes one node of a cycle.
        const std::size_t comparisons = size_ * size_ * size_ * (one_tree ? 1 : size_);
        for (std::size_t round = 0; round < raising.rounds && !meter.over(); ++round) {
            meter.spend(comparisons / operations_a_step);
            if (!set_prices(weight) || !route()) return bound;
            bound = std::max(bound, time());
            double busiest = 0;
            for (const Server& server : servers_)
                busiest = std::max(busiest, server.busy / server.places);
            if (!(busiest > 0)) return bound;
            const double step =
                raising.steepest / (1 + static_cast<double>(round) / raising.halving);
            for (std::size_t s = 0; s < servers_.size(); ++s)
                weight[s] *= std::exp(step * servers_[s].busy / servers_[s].places / busiest);
        }
        return bound;
    }

private:
    /// Ports of a group's senders, those of its receivers, or a capacity.
    struct Server {
        double places = 1;
        double opens = never;  ///< seconds after the start that nobody can use
        double shuts = never;  ///< seconds before the end that nobody can use
        double startup = never;
        double price = 0;  ///< of a second
        double busy = 0;   ///< seconds, if all goes the cheapest way

        [[nodiscard]] bool is_used() const { return opens < never; }
        [[nodiscard]] double idle() const { return opens + shuts + startup / places; }
    };

    [[nodiscard]] std::size_t group_of(std::size_t node) const {
        for (std::size_t group = 0; group < size_; ++group)
            if (std::ranges::count(groups_.members(group), node) > 0) return group;
        return size_;
    }

    /// `held`: when there is something that it could carry.
    void add_link(std::size_t a, std::size_t b, double held) {
        const Link& link = groups_.link(a, b);
        if (!link.exists()) return;
        const auto use = [&](std::size_t index, const Server& as, double amount) {
            if (!(amount > 0)) return;
            Server& server = servers_[index];
            server.places = as.places;
            server.opens = std::min(server.opens, as.opens);
            server.shuts = std::min(server.shuts, as.shuts);
            server.startup = std::min(server.startup, as.startup);
            uses_(a, b).push_back({index, amount});
        };
        use(a, {groups_.ports(a), held, link.latency, link.startup}, link.per_byte);
        use(size_ + b, {groups_.ports(b), held + link.latency, 0, link.startup}, link.per_byte);
        for (const std::uint32_t limit : groups_.draws(a, b))
            if (groups_.limits()[limit] < never)
                use(2 * size_ + limit, {1, held, link.latency, 0}, 1 / groups_.limits()[limit]);
    }

    /// So that a second of everything is worth 1 in all.
    bool set_prices(std::vector<double>& weight) {
        double sum = 0;
        for (std::size_t s = 0; s < servers_.size(); ++s)
            if (servers_[s].is_used()) sum += weight[s];
        if (!(sum > 0) || !std::isfinite(sum)) return false;
        for (std::size_t s = 0; s < servers_.size(); ++s) {
            weight[s] /= sum;
            servers_[s].price = weight[s] / servers_[s].places;
            servers_[s].busy = 0;
        }
        cost_ = Matrix<double>(size_, size_, never);
        for (std::size_t a = 0; a < size_; ++a)
            for (std::size_t b = 0; b < size_; ++b) {
                if (!groups_.link(a, b).exists()) continue;
                cost_(a, b) = 0;
                for (const Use& use : uses_(a, b))
                    cost_(a, b) += use.amount * servers_[use.resource].price;
            }
        return true;
    }

    void take(std::size_t a, std::size_t b, double bytes) {
        for (const Use& use : uses_(a, b)) servers_[use.resource].busy += use.amount * bytes;
    }

    bool route() {
        if (combines_) return combine_and_spread(needed_(0, 0));
        for (std::size_t from = 0; from < size_; ++from)
            if (!(copies_ ? spread(from, needed_(from, from)) : send(from))) return false;
        return true;
    }

    [[nodiscard]] double nodes_beside_one(std::size_t group) const {
        return static_cast<double>(groups_.members(group).size() - 1);
    }
    /// From where the cheapest link leads into a group, maybe from another of its nodes.
    [[nodiscard]] std::size_t cheapest_into(std::size_t group) const {
        std::size_t cheapest = group;
        for (std::size_t a = 0; a < size_; ++a)
            if (cost_(a, group) < cost_(cheapest, group)) cheapest = a;
        return cheapest;
    }
    [[nodiscard]] std::size_t cheapest_out_of(std::size_t group) const {
        std::size_t cheapest = group;
        for (std::size_t b = 0; b < size_; ++b)
            if (cost_(group, b) < cost_(group, cheapest)) cheapest = b;
        return cheapest;
    }

    /// What one node of the group has, along a tree: into each other group over a link of that, and
    /// to the rest of each group's nodes over the cheapest link into it.
    bool spread(std::size_t from, double bytes) {
        if (!(bytes > 0)) return true;
        const auto parent = cheapest_arborescence(cost_, from);
        if (parent.empty()) return false;
        for (std::size_t b = 0; b < size_; ++b) {
            if (b != from) take(parent[b], b, bytes);
            if (nodes_beside_one(b) > 0) take(cheapest_into(b), b, bytes * nodes_beside_one(b));
        }
        return true;
    }

    /// Contributions along a tree to the first node that has all; and then at least one message
    /// into each other node. The cheapest such node is taken.
    bool combine_and_spread(double bytes) {
        Matrix<double> turned(size_, size_, never);
        double into_all = 0;
        for (std::size_t a = 0; a < size_; ++a) {
            for (std::size_t b = 0; b < size_; ++b) turned(b, a) = cost_(a, b);
            into_all += (nodes_beside_one(a) + 1) * cost_(cheapest_into(a), a);
        }
        double least = never;
        std::size_t centre = size_;
        std::vector<std::size_t> best;
        for (std::size_t r = 0; r < size_; ++r) {
            auto next = cheapest_arborescence(turned, r);
            if (next.empty()) continue;
            double cost = into_all - cost_(cheapest_into(r), r);
            for (std::size_t a = 0; a < size_; ++a) {
                if (a != r) cost += cost_(a, next[a]);
                if (nodes_beside_one(a) > 0)
                    cost += nodes_beside_one(a) * cost_(a, cheapest_out_of(a));
            }
            if (!(cost < least)) continue;
            least = cost;
            centre = r;
            best = std::move(next);
        }
        if (centre == size_) return false;
        for (std::size_t a = 0; a < size_; ++a) {
            if (a != centre) take(a, best[a], bytes);
            const double rest = nodes_beside_one(a);
            if (rest > 0) take(a, cheapest_out_of(a), bytes * rest);
            take(cheapest_into(a), a, bytes * (a == centre ? rest : rest + 1));
        }
        return true;
    }

    /// Each byte along its cheapest way.
    bool send(std::size_t from) {
        std::vector<std::size_t> before;
        const auto distance = simulate::shortest_paths(
            size_, from, [&](std::size_t u, std::size_t v) { return cost_(u, v); }, &before);
        const auto go = [&](std::size_t to, double bytes) {
            for (std::size_t v = to; v != from; v = before[v]) take(before[v], v, bytes);
        };
        for (std::size_t to = 0; to < size_; ++to) {
            const double bytes = needed_(from, to);
            if (!(bytes > 0)) continue;
            if (to != from) {
                if (distance[to] == never) return false;
                go(to, bytes);
                continue;
            }
            // To another node of the group: straight, or out of it and in again.
            std::size_t over = from;
            double least = cost_(from, from);
            for (std::size_t v = 0; v < size_; ++v)
                if (v != from && distance[v] + cost_(v, from) < least) {
                    least = distance[v] + cost_(v, from);
                    over = v;
                }
            if (least == never) return false;
            if (over != from) go(over, bytes);
            take(over, from, bytes);
        }
        return true;
    }

    /// Until when what there has been is worth less than all bytes pay.
    [[nodiscard]] double time() const {
        double paid = 0;
        std::vector<std::pair<double, double>> begins;  // when a server can be used, and its worth
        for (const Server& server : servers_) {
            paid += server.price * server.busy;
            if (server.is_used()) begins.emplace_back(server.idle(), server.price * server.places);
        }
        if (!(paid > 0)) return 0;  // it needs none of what has a price
        std::ranges::sort(begins);
        double rate = 0;
        double now = 0;
        for (const auto& [begin, more] : begins) {
            if (rate > 0 && paid <= rate * (begin - now)) break;
            paid -= rate * (begin - now);
            now = begin;
            rate += more;
        }
        return rate > 0 ? now + paid / rate : 0;
    }

    const Groups& groups_;
    std::size_t size_;
    bool copies_;
    bool combines_;
    bool rooted_;
    Matrix<double> needed_;  ///< from group to group; what is copied or combined: the diagonal
    Matrix<std::vector<Use>> uses_;
    std::vector<Server> servers_;
    Matrix<double> cost_;
};

}  // namespace

double routing_bound(const Groups& groups, const Demand& demand, Meter& meter) {
    if (demand.all().value == 0 || demand.is_ordered()) return 0;
    return Routing(groups, demand).run(meter);
}

}  // namespace espalier::plan::bounds
