#include "ring/fair.hpp"

#include "core/meter.hpp"
#include "core/random.hpp"
#include "ring/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace espalier::ring {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A ring with its shares, by host of the platform; 0: not in the ring.
struct Candidate {
    std::vector<Host> order;
    std::vector<double> shares;
    double step_time = infinity;
};

class Search {
public:
    Search(const Problem& problem, const Settings& settings)
        : problem_(problem),
          hosts_(problem.platform.hosts()),
          judge_(problem),
          meter_(settings.limits),
          random_(settings.seed),
          costs_(hosts_ * hosts_, 0) {
        for (Host from = 0; from < hosts_; ++from)
            for (Host to = 0; to < hosts_; ++to)
                if (from != to) costs_[from * hosts_ + to] = cost_of(from, to);
    }

    Solution run(std::span<const std::vector<Host>> starts) {
        try_ring(fastest(1), quick);
        for (const auto& start : starts) try_ring(start, careful);
        if (hosts_ > 1) {
            grow();
            descend();
            anneal();
        }
        return polish();
    }

private:
    /// Enough to tell good rings from bad ones.
    static constexpr Balancing quick{4, {4, 6}};
    static constexpr Balancing careful{12, {4, 6}};
    /// From shares of a neighbouring ring.
    static constexpr Balancing onward{3, {3, 5}};
    static constexpr std::size_t kept = 6;
    /// The part of the limits that searching may use up; the rest is for balancing thoroughly.
    static constexpr double searching = 0.75;

    /// What the messages between two neighbours take alone.
    [[nodiscard]] double cost_of(Host a, Host b) const {
        const auto one_way = [&](Host from, Host to) {
            const Path& path = problem_.routes(from, to);
            return problem_.delay(from, to, path) + problem_.exchange / problem_.width(path);
        };
        return std::max(one_way(a, b), one_way(b, a));
    }
    [[nodiscard]] double cost(Host a, Host b) const { return costs_[a * hosts_ + b]; }

    [[nodiscard]] std::vector<Host> fastest(std::size_t count) const {
        std::vector<Host> hosts(hosts_);
        std::iota(hosts.begin(), hosts.end(), Host{0});
        std::stable_sort(hosts.begin(), hosts.end(), [&](Host a, Host b) {
            return problem_.platform.cycle_time(a) < problem_.platform.cycle_time(b);
        });
        hosts.resize(std::min(count, hosts.size()));
        return hosts;
    }

    [[nodiscard]] bool over() const { return meter_.used() >= searching; }

    Candidate judge(const std::vector<Host>& order, const Balancing& balancing,
                    const std::vector<double>& start = {}) {
        const std::uint64_t before = judge_.spent();
        const Solution solution = judge_.divide(order, balancing, start);
        meter_.spend(judge_.spent() - before);
        Candidate candidate{solution.embedding.order, std::vector<double>(hosts_, 0),
                            solution.division.step_time};
        for (std::size_t place = 0; place < candidate.order.size(); ++place)
            candidate.shares[candidate.order[place]] = solution.division.shares[place];
        return candidate;
    }

    Candidate try_ring(const std::vector<Host>& order, const Balancing& balancing,
                       const std::vector<double>& start = {}) {
        Candidate candidate = judge(order, balancing, start);
        remember(candidate);
        return candidate;
    }

    /// The best few rings, for what the quick judgement may have got wrong.
    void remember(const Candidate& candidate) {
        if (best_.size() == kept && candidate.step_time >= best_.back().step_time) return;
        for (const Candidate& other : best_)
            if (other.order == candidate.order && other.step_time <= candidate.step_time) return;
        std::erase_if(best_, [&](const Candidate& c) { return c.order == candidate.order; });
        const auto place = std::upper_bound(
            best_.begin(), best_.end(), candidate,
            [](const Candidate& a, const Candidate& b) { return a.step_time < b.step_time; });
        best_.insert(place, candidate);
        if (best_.size() > kept) best_.pop_back();
    }

    /// Where the host costs least between its neighbours, and how much that is.
    [[nodiscard]] std::pair<double, std::size_t> cheapest_place(const std::vector<Host>& order,
                                                                Host host) const {
        std::pair<double, std::size_t> best{infinity, 0};
        for (std::size_t place = 0; place < order.size(); ++place) {
            const Host a = order[place];
            const Host b = order[(place + 1) % order.size()];
            best = std::min(best, {cost(a, host) + cost(host, b) - cost(a, b), place + 1});
        }
        return best;
    }

    /// Host after host, whichever shortens the step most, until that has failed several times.
    void grow() {
        constexpr std::size_t tried = 8;
        constexpr std::size_t patience = 4;
        Candidate ring = best_.front().order.size() == 1 ? best_.front() : judge(fastest(1), quick);
        double best = ring.step_time;
        for (std::size_t failures = 0; failures < patience && ring.order.size() < hosts_;) {
            struct Addition {
                double promise;
                Host host;
                std::size_t place;
            };
            std::vector<Addition> additions;
            for (Host host = 0; host < hosts_; ++host) {
                if (ring.shares[host] > 0) continue;
                const auto [detour, place] = cheapest_place(ring.order, host);
                additions.push_back(
                    {(ring.step_time - detour) / problem_.platform.cycle_time(host), host, place});
            }
            std::stable_sort(additions.begin(), additions.end(),
                             [](const auto& a, const auto& b) { return a.promise > b.promise; });
            if (additions.size() > tried) additions.resize(tried);
            std::optional<Candidate> next;
            for (const Addition& addition : additions) {
                if (over()) return;
                std::vector<Host> order = ring.order;
                order.insert(order.begin() + static_cast<std::ptrdiff_t>(addition.place),
                             addition.host);
                Candidate grown = try_ring(order, onward, with_newcomer(ring, addition.host));
                if (grown.order.size() <= ring.order.size()) continue;
                if (!next || grown.step_time < next->step_time) next = std::move(grown);
            }
            if (!next) return;
            ring = *std::move(next);
            failures = ring.step_time < best * (1 - 1e-4) ? 0 : failures + 1;
            best = std::min(best, ring.step_time);
        }
    }

    [[nodiscard]] std::vector<double> with_newcomer(const Candidate& ring, Host host) const {
        std::vector<double> shares = ring.shares;
        shares[host] = 0.3 / static_cast<double>(ring.order.size() + 1);
        return shares;
    }

    /// Leaves out, one by one, the hosts without which the step is shorter.
    void descend() {
        for (bool better = true; better && !over();) {
            better = false;
            const Candidate ring = best_.front();
            for (std::size_t place = 0; place < ring.order.size() && ring.order.size() > 1;
                 ++place) {
                if (over()) return;
                std::vector<Host> order = ring.order;
                order.erase(order.begin() + static_cast<std::ptrdiff_t>(place));
                better |= try_ring(order, onward, ring.shares).step_time < ring.step_time;
            }
        }
    }

    /// Where a host may go so that it is beside one that is near to it.
    [[nodiscard]] std::size_t near_place(const std::vector<Host>& order, Host host) {
        if (random_.uniform() < 0.5) return random_.below(order.size() + 1);
        return cheapest_place(order, host).second;
    }

    [[nodiscard]] std::vector<Host> neighbour(const Candidate& ring, std::vector<double>& start) {
        std::vector<Host> order = ring.order;
        const std::size_t n = order.size();
        const auto at = [&](std::size_t place) {
            return order.begin() + static_cast<std::ptrdiff_t>(place);
        };
        const double kind = random_.uniform();
        const bool some_are_out = n < hosts_;
        if (some_are_out && (kind < 0.3 || n < 3)) {
            Host host = 0;
            do host = static_cast<Host>(random_.below(hosts_));
            while (ring.shares[host] > 0);
            const bool instead = n > 1 && random_.uniform() < 0.5;
            if (instead) order.erase(at(random_.below(n)));
            order.insert(at(near_place(order, host)), host);
            start = with_newcomer(ring, host);
        } else if (kind < 0.4 && n > 1) {
            order.erase(at(random_.below(n)));
        } else if (kind < 0.75 && n > 2) {
            const std::size_t place = random_.below(n);
            const Host host = order[place];
            order.erase(at(place));
            order.insert(at(near_place(order, host)), host);
        } else if (kind < 0.85 && n > 2) {
            std::swap(order[random_.below(n)], order[random_.below(n)]);
        } else if (n > 3) {
            const std::size_t first = random_.below(n);
            const std::size_t length = 2 + random_.below(n - 2);
            std::rotate(order.begin(), at(first), order.end());
            std::reverse(order.begin(), at(length));
        }
        return order;
    }

    void anneal() {
        constexpr double hottest = 0.01;  // of the step time
        constexpr double coldest = 1e-4;
        const double begun = meter_.used();
        if (begun >= searching) return;
        Candidate ring = best_.front();
        std::size_t fruitless = 0;
        for (double used = begun; used < searching; used = meter_.used()) {
            const double progress = (used - begun) / (searching - begun);
            const double heat = hottest * std::pow(coldest / hottest, progress);
            std::vector<double> start = ring.shares;
            const std::vector<Host> order = neighbour(ring, start);
            if (order == ring.order) {
                // Every ring of a platform of very few hosts has been seen soon.
                if (++fruitless > 1000) return;
                continue;
            }
            const double best = best_.front().step_time;
            Candidate next = try_ring(order, onward, start);
            fruitless = next.step_time < best ? 0 : fruitless + 1;
            if (fruitless > 200 * hosts_ * hosts_) return;
            const double worse = next.step_time / ring.step_time - 1;
            if (worse <= 0 || random_.uniform() < std::exp(-worse / heat)) ring = std::move(next);
        }
    }

    /// The best of those that were kept, once they are thoroughly balanced.
    Solution polish() {
        std::optional<Solution> best;
        for (const Candidate& candidate : best_) {
            if (best && meter_.over()) break;
            Solution solution = judge_.divide(
                candidate.order, Balancing::thorough(candidate.order.size()), candidate.shares);
            if (!best || solution.division.step_time < best->division.step_time)
                best = std::move(solution);
        }
        return *std::move(best);
    }

    const Problem& problem_;
    std::size_t hosts_;
    FairShare judge_;
    Meter meter_;
    Random random_;
    std::vector<double> costs_;
    std::vector<Candidate> best_;  ///< shortest step first
};

}  // namespace

Found plan_fair(const Problem& problem, const Settings& settings,
                std::span<const std::vector<Host>> starts) {
    Found found;
    found.solution = Search(problem, settings).run(starts);
    found.lower_bound = fair_bound_by_host(problem);
    found.optimal = problem.platform.hosts() == 1;
    return found;
}

Found plan_fair(const Problem& problem, const Settings& settings) {
    return plan_fair(problem, settings, {});
}

}  // namespace espalier::ring
