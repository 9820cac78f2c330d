#include "demands/staging.hpp"

#include "demands/due_date_search.hpp"
#include "schedule/demands.hpp"

#include <algorithm>

namespace espalier::demands {

namespace {

/// Those that are late take the quickest way, again until nothing gets better.
void relay_the_late(const Problem& problem, DueDateSearch& search, Staged& best) {
    while (best.score.missed > 0 && !search.over()) {
        Precedence next = best.precedence;
        if (next.relayed.empty()) next.relayed.assign(problem.messages.size(), 0);
        for (std::size_t m = 0; m < problem.messages.size(); ++m)
            if (schedule::is_late(best.ends[m], problem.due(m).deadline)) next.relayed[m] = 1;
        Staged staged = search.build(std::move(next));
        if (!better(staged.score, best.score)) return;
        best = std::move(staged);
    }
}

/// Each late message for itself: all at once may stand in each other's way.
void relay_one_by_one(const Problem& problem, DueDateSearch& search, Staged& best) {
    for (std::size_t m = 0; m < problem.messages.size() && !search.over(); ++m) {
        if (!schedule::is_late(best.ends[m], problem.due(m).deadline)) continue;
        Precedence next = best.precedence;
        if (next.relayed.empty()) next.relayed.assign(problem.messages.size(), 0);
        next.relayed[m] = 1;
        Staged staged = search.build(std::move(next));
        if (better(staged.score, best.score)) best = std::move(staged);
    }
}

/// By message: how many times as long the direct way takes as the quickest, on idle ports.
std::vector<double> detour_gains(const Problem& problem) {
    Ways ways(problem);
    const Calendar idle(problem);
    std::vector<double> gains;
    for (std::size_t m = 0; m < problem.messages.size(); ++m)
        gains.push_back(problem.messages[m].duration() / ways.quickest(idle, m).back().end());
    return gains;
}

/// For the makespan: those that gain the most may go round, how many of them is tried; they choose
/// their places first, or in their turn.
void relay_the_slow(const Problem& problem, DueDateSearch& search, Staged& best) {
    const auto gains = detour_gains(problem);
    const auto base = best.precedence;
    for (const double least : {1.01, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0})
        for (const bool first : {false, true}) {
            if (search.over()) return;
            Precedence next = base;
            next.relayed.assign(problem.messages.size(), 0);
            for (std::size_t m = 0; m < gains.size(); ++m)
                if (gains[m] >= least) next.relayed[m] = 1;
            if (first)
                std::stable_partition(next.sequence.begin(), next.sequence.end(),
                                      [&](std::size_t m) { return next.relayed[m] != 0; });
            Staged staged = search.build(std::move(next));
            if (better(staged.score, best.score)) best = std::move(staged);
        }
}

}  // namespace

Found staged(const Problem& problem, const Limits& limits) {
    Meter meter(limits);
    DueDateSearch search(problem, meter, true);
    Staged best = search.best_by_rules();
    relay_the_late(problem, search, best);
    relay_one_by_one(problem, search, best);
    if (problem.relays) relay_the_slow(problem, search, best);
    if (problem.relays || best.score.missed > 0) search.improve(best);
    return {.order = std::move(best.order)};
}

}  // namespace espalier::demands
