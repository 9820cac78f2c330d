#pragma once

#include "core/meter.hpp"
#include "ring/insertions.hpp"
#include "ring/planner.hpp"

#include <optional>

namespace espalier::ring {

/// Grows a ring greedily (legrand-2003, 4.1 and 4.2): from the best pair of hosts, by one host at a
/// time, each put where the step becomes least; with `settings.refinement`, all bandwidths are
/// computed anew after each (4.3). Hands out the best ring of all sizes, a single host among them.
/// New paths are the widest in what the others leave, but for listed routes and where the settings
/// ask for shortest paths: then the problem's routes are taken. Stops growing when time is over. Of
/// insertions that tie, the host with the lowest number is taken, in the first place.
[[nodiscard]] Found greedy(const Problem& problem, const Settings& settings);

/// Step by step, to see T for each size. `problem` must outlive it.
class GreedyGrowth {
public:
    GreedyGrowth(const Problem& problem, const Settings& settings);

    /// Adds one host to the ring; false if there is none, none can be put anywhere, or time is
    /// over.
    bool grow();
    /// The ring as it is: the fastest host at first.
    [[nodiscard]] const Solution& solution() const { return now_; }
    /// The best that there was, before and after refining.
    [[nodiscard]] const Solution& best() const { return best_; }

private:
    bool take_pair();
    bool take_one_more();
    /// Refines it, and keeps it if it is the best.
    void set(Solution solution);

    const Problem& problem_;
    Settings settings_;
    Meter meter_;
    Solution now_;
    Solution best_;
    std::optional<Insertions> insertions_;  ///< not needed for two hosts
};

}  // namespace espalier::ring
