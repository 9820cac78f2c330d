#pragma once

#include "plan/ring/planner.hpp"

#include <memory>

namespace espalier::plan::ring {

/// Grows a ring greedily (legrand-2003, 4.1 and 4.2): from the best pair of hosts, by one host at a
/// time, each put where the step becomes least; with `settings.refine`, all bandwidths are computed
/// anew after each (4.3). Hands out the best ring of all sizes, a single host among them. New paths
/// are the widest in what the others leave, but for listed routes and where the settings ask for
/// shortest paths: then the problem's routes are taken. Stops growing when time is over. Of
/// insertions that tie, the host with the lowest number is taken, in the first place.
[[nodiscard]] Found greedy(const Problem& problem, const Settings& settings);

/// Step by step, to see T for each size.
class GreedyGrowth {
public:
    GreedyGrowth(const Problem& problem, const Settings& settings);
    ~GreedyGrowth();
    GreedyGrowth(const GreedyGrowth&) = delete;
    GreedyGrowth& operator=(const GreedyGrowth&) = delete;
    GreedyGrowth(GreedyGrowth&&) = delete;
    GreedyGrowth& operator=(GreedyGrowth&&) = delete;

    /// One host more. false: there is none, none can be put anywhere, or time is over.
    bool grow();
    /// The ring as it is: the fastest host at first.
    [[nodiscard]] const Solution& solution() const;
    /// The best that there was, before and after refining.
    [[nodiscard]] const Solution& best() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace espalier::plan::ring
