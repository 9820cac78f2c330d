#include "ring/greedy.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace espalier::ring {

GreedyGrowth::GreedyGrowth(const Problem& problem, const Settings& settings)
    : problem_(problem), settings_(settings), meter_(settings.limits) {
    set({{{problem.platform.fastest()}, {}, {}}, {}, {}});
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
    Solution least;
    least.division.step_time = infinity;
    const auto beats = [&](const Solution& solution) {
        return solution.division.step_time < least.division.step_time * (1 - tie);
    };
    const auto rate = [&](Solution& solution, const FourRates& rates) {
        solution.rates = {{rates[0], rates[2]}, {rates[1], rates[3]}};
        solution.division = divide_work(problem_, solution.embedding, solution.rates);
    };
    const auto pair = [&](Host a, Host b) {
        Solution solution{embed(problem_, {a, b}), {}, {}};
        const auto& [order, onwards, back] = solution.embedding;
        const std::array<const Path*, 4> paths{&onwards[0], &back[0], &onwards[1], &back[1]};
        // As if they shared nothing: mostly enough to see that it is not the best pair.
        FourRates widths;
        std::ranges::transform(paths, widths.begin(),
                               [&](const Path* path) { return problem_.width(*path); });
        rate(solution, widths);
        if (!beats(solution)) return solution;
        const double speed_a = 1 / problem_.platform.cycle_time(a);
        const double speed_b = 1 / problem_.platform.cycle_time(b);
        rate(solution, four_rates(problem_.platform, problem_.platform.bandwidths(), paths,
                                  {speed_a, speed_a, speed_b, speed_b}));
        return solution;
    };
    for (Host a = 0; a < hosts; ++a) {
        for (Host b = a + 1; b < hosts; ++b) {
            Solution solution = pair(a, b);
            if (beats(solution)) least = std::move(solution);
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
    if (best_.embedding.order.empty()) best_.division.step_time = infinity;
    keep();
    if (settings_.refinement == Refinement::none || now_.embedding.size() < 2) return;
    constexpr double tolerance = 1e-8;
    now_.rates = settings_.refinement == Refinement::max_min
                     ? max_min_rates(problem_, now_.embedding)
                     : optimal_rates(problem_, now_.embedding, tolerance, &now_.rates).rates;
    keep();
}

Found greedy(const Problem& problem, const Settings& settings) {
    GreedyGrowth growth(problem, settings);
    while (growth.grow()) {
    }
    return {growth.best(), false};
}

}  // namespace espalier::ring
