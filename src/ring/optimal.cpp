#include "ring/optimal.hpp"

#include "core/meter.hpp"
#include "ring/allocation.hpp"
#include "ring/greedy.hpp"
#include "ring/path_menu.hpp"

#include <algorithm>
#include <limits>

namespace espalier::ring {
namespace {

/// A shorter step by less than this is none.
constexpr double precision = 1e-9;

class Search {
public:
    Search(const Problem& problem, const Settings& settings)
        : problem_(problem),
          settings_(settings),
          menu_(problem, settings.paths),
          sharing_(problem),
          meter_(settings.limits),
          used_(problem.platform.hosts(), 0) {
        for (Host host = 0; host < hosts(); ++host) {
            std::vector<double> times;
            for (Host other = 0; other < hosts(); ++other)
                if (other != host) times.push_back(menu_.least_time(host, other));
            std::ranges::sort(times);
            // In a ring of three or more a host has two different neighbours.
            least_communication_.push_back(times.size() < 2 ? 0 : times[0] + times[1]);
        }
    }

    Found run() {
        begin_with_greedy();
        for (Host host = 0; host < hosts(); ++host) offer_ring({host});
        for (Host a = 0; a < hosts(); ++a)
            for (Host b = a + 1; b < hosts(); ++b) offer_ring({a, b});
        for (Host first = 0; first < hosts() && !meter_.over(); ++first) {
            put(first);
            grow();
            take_back();
        }
        try_waiting();
        const bool complete = !stopped_ && !meter_.over();
        // Rings by other paths are another matter, where there are any.
        const bool covers_all =
            settings_.paths == PathChoice::all || problem_.platform.has_routes();
        return {best_, complete,
                complete && covers_all ? best_.division.step_time * (1 - 2 * precision) : 0};
    }

private:
    /// A ring, and what its T is at least.
    struct Ring {
        double bound = 0;
        std::vector<Host> order;
    };
    static constexpr std::size_t most_waiting = 20000;
    static constexpr std::uint64_t steps_of_a_bound = 20;
    static constexpr std::uint64_t steps_of_rates = 20000;

    [[nodiscard]] std::size_t hosts() const { return problem_.platform.hosts(); }
    [[nodiscard]] double speed(Host host) const { return 1 / problem_.platform.cycle_time(host); }
    /// A step has to be shorter than this to be worth anything.
    [[nodiscard]] double limit() const { return best_.division.step_time * (1 - precision); }

    void begin_with_greedy() {
        Settings settings = settings_;
        settings.refine = nullptr;
        settings.limits = meter_.share(0.1);
        best_ = greedy(problem_, settings).solution;
        const Embedding found = best_.embedding;
        if (settings_.paths == PathChoice::all)
            evaluate(found);
        else  // its paths are not the routes
            best_.division.step_time = std::numeric_limits<double>::infinity();
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
        meter_.spend(steps_of_a_bound * (order_.size() + hosts()));
        if (meter_.over()) stopped_ = true;
        if (stopped_ || !is_worth_growing()) return;
        if (order_.size() >= 3 && order_[1] < order_.back()) offer_ring(order_);
        std::vector<Host> next;
        for (Host host = order_.front() + 1; host < hosts(); ++host)
            if (used_[host] == 0) next.push_back(host);
        std::ranges::stable_sort(next, {}, [&](Host host) {
            return menu_.least_time(order_.back(), host) + menu_.least_time(host, order_.back());
        });
        for (const Host host : next) {
            put(host);
            grow();
            take_back();
        }
    }

    /// Whether some ring that contains order_ as it is may do the work in less than limit().
    [[nodiscard]] bool is_worth_growing() {
        double work = 0;
        for (Host host = order_.front(); host < hosts(); ++host)
            if (used_[host] == 0)
                work += std::max(0.0, (limit() - least_communication_[host]) * speed(host));
        if (order_.size() == 1) return work + limit() * speed(order_.front()) >= problem_.work;
        messages_.clear();
        for (std::size_t place = 0; place < order_.size(); ++place) {
            const Host host = order_[place];
            work += limit() * speed(host);
            double time = 0;
            if (place > 0) {
                time += menu_.least_time(host, order_[place - 1]);
                messages_.push_back({&menu_.any(host, order_[place - 1]), speed(host)});
            }
            if (place + 1 < order_.size()) {
                time += menu_.least_time(host, order_[place + 1]);
                messages_.push_back({&menu_.any(host, order_[place + 1]), speed(host)});
            }
            if (time > limit()) return false;
        }
        // The two ends send to neighbours that are still open, or to each other.
        for (const Host host : {order_.front(), order_.back()})
            work -= least_time(host) * speed(host);
        return work - sharing_.cost(messages_) >= problem_.work;
    }

    /// To whomever it is.
    [[nodiscard]] double least_time(Host host) const {
        double least = std::numeric_limits<double>::infinity();
        for (Host other = 0; other < hosts(); ++other)
            if (other != host) least = std::min(least, menu_.least_time(host, other));
        return least;
    }

    void offer_ring(std::vector<Host> order) {
        meter_.spend(steps_of_a_bound * order.size());
        const double bound = bound_of(order);
        if (bound >= limit()) return;
        waiting_.push_back({bound, std::move(order)});
        if (waiting_.size() >= most_waiting) try_waiting();
    }

    double bound_of(const std::vector<Host>& order) {
        double all_speeds = 0;
        double longest = 0;
        messages_.clear();
        for (std::size_t place = 0; place < order.size(); ++place) {
            const Host host = order[place];
            all_speeds += speed(host);
            if (order.size() == 1) continue;
            double time = 0;
            for (const std::size_t to :
                 {(place + 1) % order.size(), (place + order.size() - 1) % order.size()}) {
                time += menu_.least_time(host, order[to]);
                messages_.push_back({&menu_.any(host, order[to]), speed(host)});
            }
            longest = std::max(longest, time);
        }
        return std::max((problem_.work + sharing_.cost(messages_)) / all_speeds, longest);
    }

    /// The most promising ones first.
    void try_waiting() {
        std::vector<Ring> rings = std::move(waiting_);
        waiting_.clear();
        std::ranges::stable_sort(rings, {}, &Ring::bound);
        for (const Ring& ring : rings) {
            if (ring.bound >= limit()) break;
            if (meter_.over()) stopped_ = true;
            if (stopped_) return;
            try_ring(ring.order);
        }
    }

    // Paths of one ring, by depth-first search: those to successors and predecessors in turn.

    void try_ring(const std::vector<Host>& order) {
        chosen_ = {order, std::vector<Path>(order.size() > 1 ? order.size() : 0),
                   std::vector<Path>(order.size() > 1 ? order.size() : 0)};
        if (order.size() == 1) return evaluate(chosen_);
        outlines_.clear();
        all_speeds_ = 0;
        for (std::size_t path = 0; path < 2 * order.size(); ++path) {
            const auto [from, to] = ends_of(path);
            outlines_.push_back({&menu_.any(from, to), speed(from)});
            if (path % 2 == 0) all_speeds_ += speed(from);
        }
        choose_path(0);
    }

    [[nodiscard]] std::pair<Host, Host> ends_of(std::size_t path) const {
        const std::size_t place = path / 2;
        return {chosen_.order[place],
                chosen_.order[path % 2 == 0 ? chosen_.after(place) : chosen_.before(place)]};
    }

    void choose_path(std::size_t path) {
        meter_.spend(steps_of_a_bound * chosen_.size());
        if (meter_.over()) stopped_ = true;
        if (stopped_ || !are_paths_promising()) return;
        if (path == 2 * chosen_.size()) return evaluate(chosen_);
        const auto [from, to] = ends_of(path);
        Path& place =
            path % 2 == 0 ? chosen_.to_successor[path / 2] : chosen_.to_predecessor[path / 2];
        for (const PathMenu::Item& item : menu_.between(from, to)) {
            place = item.path;
            outlines_[path].path = &item.outline;
            choose_path(path + 1);
        }
        outlines_[path].path = &menu_.any(from, to);
    }

    [[nodiscard]] bool are_paths_promising() {
        for (std::size_t path = 0; path < outlines_.size(); path += 2)
            if (outlines_[path].path->least_time(problem_.exchange) +
                    outlines_[path + 1].path->least_time(problem_.exchange) >=
                limit())
                return false;
        return (problem_.work + sharing_.cost(outlines_)) / all_speeds_ < limit();
    }

    void evaluate(Embedding embedding) {
        meter_.spend(steps_of_rates);
        Optimum optimum = optimal_rates(problem_, embedding, precision);
        if (optimum.division.step_time >= best_.division.step_time) return;
        best_ = {std::move(embedding), std::move(optimum.rates), std::move(optimum.division)};
    }

    const Problem& problem_;
    const Settings& settings_;
    PathMenu menu_;
    SharingBound sharing_;
    Meter meter_;
    Solution best_;
    std::vector<double> least_communication_;

    std::vector<Host> order_;
    std::vector<char> used_;
    std::vector<SharingBound::Message> messages_;
    std::vector<Ring> waiting_;
    bool stopped_ = false;  ///< before all were seen

    Embedding chosen_;
    std::vector<SharingBound::Message> outlines_;  ///< of the paths chosen, and of those to choose
    double all_speeds_ = 0;
};

}  // namespace

Found optimal(const Problem& problem, const Settings& settings) {
    return Search(problem, settings).run();
}

}  // namespace espalier::ring
