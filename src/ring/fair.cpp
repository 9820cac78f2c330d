#include "ring/fair.hpp"

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "core/random.hpp"
#include "ring/elite.hpp"
#include "ring/fair_share.hpp"
#include "ring/greedy.hpp"
#include "ring/moves.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace espalier::ring {

namespace {

/// A ring with its shares, by host of the platform; 0: not in the ring.
struct Candidate {
    std::vector<Host> order;
    std::vector<double> shares;
    double step_time = infinity;

    [[nodiscard]] bool is_like(const Candidate& other) const { return order == other.order; }
};

class Search {
public:
    Search(const Problem& problem, const Settings& settings)
        : problem_(problem),
          hosts_(problem.platform.hosts()),
          judge_(problem),
          meter_(settings.limits),
          random_(settings.seed),
          moves_(problem, random_) {}

    Solution run(std::span<const std::vector<Host>> starts, Settings settings) {
        try_ring({problem_.platform.fastest()}, careful);
        for (const auto& start : starts) try_ring(start, careful);
        settings.paths = PathChoice::shortest;  // the problem's routes
        settings.limits = meter_.share(0.1);
        try_ring(greedy(problem_, settings).solution.embedding.order, careful);
        if (hosts_ > 1) anneal();
        return polish();
    }

private:
    static constexpr Balancing careful{12, {4, 6}};
    /// How well a ring is balanced if it begins with the shares of a neighbouring ring.
    static constexpr Balancing onward{3, {3, 5}};
    /// The part of the limits that searching may use up; the rest is for balancing thoroughly.
    static constexpr double searching = 0.75;

    Candidate try_ring(const std::vector<Host>& order, const Balancing& balancing,
                       const std::vector<double>& start = {}) {
        const std::uint64_t before = judge_.spent();
        const Solution solution = judge_.divide(order, balancing, start);
        meter_.spend(judge_.spent() - before);
        Candidate candidate{solution.embedding.order, std::vector<double>(hosts_, 0),
                            solution.division.step_time};
        for (std::size_t place = 0; place < candidate.order.size(); ++place)
            candidate.shares[candidate.order[place]] = solution.division.shares[place];
        best_.offer(candidate);
        return candidate;
    }

    void anneal() {
        constexpr double first_temperature = 0.01;  // parts of the step time
        constexpr double last_temperature = 1e-4;
        const double begun = meter_.used();
        if (begun >= searching) return;
        Candidate ring = best_.members().front();
        std::size_t fruitless = 0;
        for (double used = begun; used < searching; used = meter_.used()) {
            const double progress = (used - begun) / (searching - begun);
            const double temperature =
                first_temperature * std::pow(last_temperature / first_temperature, progress);
            const std::vector<Host>& order = moves_.next(ring.order);
            if (order == ring.order) continue;
            const double best = best_.members().front().step_time;
            std::vector<double> start = ring.shares;
            for (const Host host : order)  // newcomers have little at first
                if (start[host] == 0) start[host] = 0.3 / static_cast<double>(order.size());
            Candidate next = try_ring(order, onward, start);
            fruitless = next.step_time < best ? 0 : fruitless + 1;
            // Every ring of a platform of very few hosts has been seen soon.
            if (fruitless > 200 * hosts_ * hosts_) return;
            const double worse = next.step_time / ring.step_time - 1;
            if (worse <= 0 || random_.uniform() < std::exp(-worse / temperature))
                ring = std::move(next);
        }
    }

    /// The best of those that were kept, once they are thoroughly balanced.
    Solution polish() {
        std::optional<Solution> best;
        for (const Candidate& candidate : best_.members()) {
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
    Moves moves_;
    /// Several rings are kept, because quick balancing may rank them wrongly.
    Elite<Candidate> best_{6};
};

}  // namespace

Found plan_fair(const Problem& problem, const Settings& settings,
                std::span<const std::vector<Host>> starts) {
    return {Search(problem, settings).run(starts, settings), problem.platform.hosts() == 1};
}

}  // namespace espalier::ring
