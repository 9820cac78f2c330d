#include "ring/greedy.hpp"

#include <limits>
#include <utility>

namespace espalier::ring {

GreedyGrowth::GreedyGrowth(const Problem& problem, const Settings& settings)
    : problem_(problem), settings_(settings), meter_(settings.limits) {
    Host fastest = 0;
    for (Host host = 1; host < problem.platform.hosts(); ++host)
        if (problem.platform.cycle_time(host) < problem.platform.cycle_time(fastest))
            fastest = host;
    set({{{fastest}, {}, {}}, {}, {}});
    best_ = now_;
}

bool GreedyGrowth::grow() {
    if (now_.embedding.size() == problem_.platform.hosts()) return false;
    return now_.embedding.size() == 1 ? take_pair() : take_one_more();
}

/// The best of all pairs, whose four paths are the routes between them.
bool GreedyGrowth::take_pair() {
    constexpr std::uint64_t pair_steps = 100;
    const std::size_t hosts = problem_.platform.hosts();
    std::vector<double> left;
    for (LinkId link = 0; link < problem_.platform.links(); ++link)
        left.push_back(problem_.platform.link(link).bandwidth);
    FourPaths sharing(problem_.platform);
    const auto pair = [&](Host a, Host b) {
        Solution solution{embed(problem_, {a, b}), {}, {}};
        const auto& [order, onwards, back] = solution.embedding;
        const double speed_a = 1 / problem_.platform.cycle_time(a);
        const double speed_b = 1 / problem_.platform.cycle_time(b);
        const FourRates rates = sharing.divide(left, {&onwards[0], &back[0], &onwards[1], &back[1]},
                                               {speed_a, speed_a, speed_b, speed_b});
        solution.rates = {{rates[0], rates[2]}, {rates[1], rates[3]}};
        solution.division = divide_work(problem_, solution.embedding, solution.rates);
        return solution;
    };
    Solution least;
    least.division.step_time = std::numeric_limits<double>::infinity();
    for (Host a = 0; a < hosts; ++a) {
        for (Host b = a + 1; b < hosts; ++b) {
            Solution solution = pair(a, b);
            if (solution.division.step_time < least.division.step_time * (1 - tie))
                least = std::move(solution);
        }
        meter_.spend(hosts * pair_steps);
        if (meter_.over()) return false;
    }
    set(std::move(least));
    return true;
}

bool GreedyGrowth::take_one_more() {
    if (!insertions_)
        insertions_.emplace(
            problem_, problem_.platform.has_routes() || settings_.paths == PathChoice::shortest);
    const auto insertion = insertions_->find_best(now_.embedding, now_.rates, meter_);
    if (!insertion) return false;
    insert(*insertion, now_.embedding, now_.rates);
    set(std::move(now_));
    return true;
}

void GreedyGrowth::set(Solution solution) {
    const auto keep = [&] {
        now_.division = divide_work(problem_, now_.embedding, now_.rates);
        if (now_.division.step_time < best_.division.step_time) best_ = now_;
    };
    now_ = std::move(solution);
    if (best_.embedding.order.empty())
        best_.division.step_time = std::numeric_limits<double>::infinity();
    keep();
    if (settings_.refine == nullptr || now_.embedding.size() < 2) return;
    if (auto rates = settings_.refine(problem_, now_.embedding, now_.rates)) {
        now_.rates = std::move(*rates);
        keep();
    }
}

Found greedy(const Problem& problem, const Settings& settings) {
    GreedyGrowth growth(problem, settings);
    while (growth.grow()) {
    }
    return {growth.best(), false, 0};
}

}  // namespace espalier::ring
