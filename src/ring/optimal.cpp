#include "ring/optimal.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "ring/allocation.hpp"
#include "ring/greedy.hpp"
#include "ring/ring_prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier::ring {
namespace {
/// A shorter step by less than this is none.
constexpr double precision = 1e-9;
constexpr std::size_t most_paths = 20000;

/// The part of the bound that every ring pays at some prices.
struct Tariff {
    Prices prices;
    double paid = 0;          ///< prices times bandwidths
    Matrix<double> costs;     ///< of the cheapest path of each pair
    std::vector<double> one;  ///< of a host's cheapest message
    std::vector<double> two;  ///< of its two cheapest to different hosts
};

class Search {
public:
    Search(const Problem& problem, const Settings& settings)
        : problem_(problem),
          settings_(settings),
          meter_(settings.limits),
          pool_(problem, true),
          pricer_(problem, pool_),
          menu_(hosts(), hosts()),
          any_(hosts(), hosts()),
          used_(hosts(), 0) {
        list_paths();
        tariffs_.push_back(tariff_of(pricer_.no_prices()));
    }

    Found run() {
        begin_with_greedy();
        for (Host host = 0; host < hosts(); ++host) evaluate({{host}, {}, {}});
        for (Host a = 0; a < hosts(); ++a)
            for (Host b = a + 1; b < hosts(); ++b) try_ring({a, b});
        for (Host first = 0; first < hosts(); ++first) {
            put(first);
            grow();
            take_back();
        }
        return {best_, !stopped_};
    }

private:
    [[nodiscard]] Host hosts() const { return static_cast<Host>(problem_.platform.hosts()); }
    /// A step has to be shorter than this to be worth anything.
    [[nodiscard]] double limit() const { return best_.division.step_time * (1 - precision); }

    bool go_on(std::uint64_t steps) {
        meter_.spend(steps);
        if (meter_.over()) stopped_ = true;
        return !stopped_;
    }

    void list_paths() {
        std::size_t left = most_paths;
        for (Host from = 0; from < hosts(); ++from)
            for (Host to = 0; to < hosts(); ++to) {
                if (from == to) continue;
                std::vector<Path> paths{problem_.routes(from, to)};
                if (settings_.paths == PathChoice::all) {
                    auto found = simple_paths(problem_.platform, from, to, left);
                    if (!found)
                        throw InputError(
                            "links", "",
                            fmt::format("more than {} simple paths lead between the {} "
                                        "hosts: too many to try them all",
                                        most_paths, hosts()));
                    left -= found->size();
                    paths = *std::move(found);
                }
                for (const Path& path : paths) put_on_menu(from, to, pool_.add(from, to, path));
                any_(from, to) = pool_.stand_in(menu_(from, to));
            }
    }

    /// Unless another path is as good in all respects; instead of those that it is as good as.
    void put_on_menu(Host from, Host to, PathId path) {
        const auto is_as_good = [&](PathId one, PathId other) {
            return pool_.entry(one).delay <= pool_.entry(other).delay &&
                   pool_.entry(one).width >= pool_.entry(other).width &&
                   std::ranges::includes(pool_.shared_links(other), pool_.shared_links(one));
        };
        auto& menu = menu_(from, to);
        if (std::ranges::any_of(menu, [&](PathId known) { return is_as_good(known, path); }))
            return;
        std::erase_if(menu, [&](PathId known) { return is_as_good(path, known); });
        menu.push_back(path);
    }

    Tariff tariff_of(Prices prices) {
        Tariff tariff{std::move(prices), 0, Matrix<double>(hosts(), hosts(), infinity), {}, {}};
        for (LinkId link = 0; link < problem_.platform.links(); ++link)
            tariff.paid += tariff.prices.links[link] * problem_.platform.link(link).bandwidth;
        for (Host from = 0; from < hosts(); ++from) {
            double one = infinity;
            double two = infinity;
            for (Host to = 0; to < hosts(); ++to) {
                double& least = tariff.costs(from, to);
                for (const PathId path : menu_(from, to))
                    least = std::min(least, pricer_.cost(path, from, tariff.prices));
                two = std::min(two, std::max(one, least));
                one = std::min(one, least);
            }
            tariff.one.push_back(one);
            tariff.two.push_back(one + two);
        }
        return tariff;
    }

    void begin_with_greedy() {
        Settings settings = settings_;
        settings.refinement = Refinement::none;
        settings.limits = meter_.share(0.1);
        const Embedding found = greedy(problem_, settings).solution.embedding;
        best_.division.step_time = infinity;
        if (settings_.paths == PathChoice::all) evaluate(found);
        evaluate(embed(problem_, found.order));
    }

    // Rings, by depth-first search: order_ begins with its lowest host.

    void put(Host host) {
        order_.push_back(host);
        used_[host] = 1;
    }
    void take_back() {
        used_[order_.back()] = 0;
        order_.pop_back();
    }

    void grow() {
        constexpr std::uint64_t steps = 20;
        if (!go_on(steps * (order_.size() + hosts())) || !is_worth_growing()) return;
        if (order_.size() >= 3 && order_[1] < order_.back()) try_ring(order_);
        std::vector<Host> next;
        for (Host host = order_.front() + 1; host < hosts(); ++host)
            if (used_[host] == 0) next.push_back(host);
        const auto& costs = tariffs_.back().costs;
        std::ranges::stable_sort(next, {}, [&](Host host) {
            return costs(order_.back(), host) + costs(host, order_.back());
        });
        for (const Host host : next) {
            put(host);
            grow();
            take_back();
        }
    }

    /// Whether some ring of three or more that contains order_ as it is may do the work in less
    /// than limit(), as far as prices tell: hosts that may follow come in where they are worth more
    /// than their messages cost at least.
    [[nodiscard]] bool is_worth_growing() const {
        return std::ranges::all_of(tariffs_, [&](const Tariff& tariff) {
            const auto& [prices, paid, costs, one, two] = tariff;
            double work = paid - one[order_.front()] - one[order_.back()];
            for (Host host = order_.front(); host < hosts(); ++host) {
                const double worth = limit() * prices.speeds[host];
                work += used_[host] != 0 ? worth : std::max(0.0, worth - two[host]);
            }
            for (std::size_t place = 1; place < order_.size(); ++place)
                work -= costs(order_[place - 1], order_[place]) +
                        costs(order_[place], order_[place - 1]);
            return work >= problem_.work;
        });
    }

    // Paths of one ring, by depth-first search.

    void try_ring(const std::vector<Host>& order) {
        ring_ = {order, std::vector<PooledRing::Joint>(order.size())};
        for (std::size_t path = 0; path < 2 * order.size(); ++path) {
            const auto [from, to] = ends_of(path);
            at(path) = any_(from, to);
        }
        choose_paths(0);
    }

    [[nodiscard]] PathId& at(std::size_t path) {
        auto& joint = ring_.joints[path / 2];
        return path % 2 == 0 ? joint.there : joint.back;
    }
    [[nodiscard]] std::pair<Host, Host> ends_of(std::size_t path) const {
        const Host one = ring_.order[path / 2];
        const Host other = ring_.order[ring_.after(path / 2)];
        return path % 2 == 0 ? std::pair(one, other) : std::pair(other, one);
    }

    void choose_paths(std::size_t first) {
        Prices prices = tariffs_.back().prices;
        const auto estimate =
            pricer_.price(ring_, prices, {.rounds = 100, .precision = precision}, limit());
        if (!go_on(pricer_.take_steps()) || estimate.at_least > limit()) return;
        for (std::size_t path = first; path < 2 * ring_.size(); ++path) {
            const auto [from, to] = ends_of(path);
            const PathId any = at(path);
            if (menu_(from, to).size() == 1) continue;
            for (const PathId one : menu_(from, to)) {
                at(path) = one;
                choose_paths(path + 1);
            }
            at(path) = any;
            return;
        }
        evaluate(unpooled(pool_, ring_));
    }

    void evaluate(Embedding embedding) {
        constexpr std::uint64_t steps_of_rates = 20000;
        meter_.spend(steps_of_rates);
        Optimum optimum = optimal_rates(problem_, embedding, precision);
        if (optimum.division.step_time >= best_.division.step_time) return;
        best_ = {std::move(embedding), std::move(optimum.rates), std::move(optimum.division)};
        Prices prices = pricer_.no_prices();
        pricer_.price(pooled(pool_, best_.embedding), prices, {.rounds = 200, .precision = 1e-6});
        tariffs_.resize(1);
        tariffs_.push_back(tariff_of(std::move(prices)));
    }

    const Problem& problem_;
    const Settings& settings_;
    Meter meter_;
    PathPool pool_;
    Pricer pricer_;
    Matrix<std::vector<PathId>> menu_;  ///< the paths that may be chosen
    Matrix<PathId> any_;                ///< what stands in for one that is not chosen yet
    std::vector<Tariff> tariffs_;       ///< for messages without prices, and at those of the best
    Solution best_;

    std::vector<Host> order_;
    std::vector<char> used_;
    PooledRing ring_;
    bool stopped_ = false;  ///< before all were seen
};

}  // namespace

Found optimal(const Problem& problem, const Settings& settings) {
    return Search(problem, settings).run();
}

}  // namespace espalier::ring
