#pragma once

#include "core/meter.hpp"
#include "core/random.hpp"
#include "ring/elite.hpp"
#include "ring/path_pool.hpp"
#include "ring/planner.hpp"

#include <cstdint>

namespace espalier::ring {

/// What searches for rings have in common: limits, known paths, the best rings so far, and in the
/// end the best bandwidths of each of them.
class Portfolio {
public:
    Portfolio(const Problem& problem, const Settings& settings);

    /// Adds rings of the hosts nearest to a fast one, more of them or less, in the order of a tour
    /// through all.
    void tour();
    /// Adds the greedy rings: as they grow, and with each refinement; a part of the time each, and
    /// no more of them once one has not had the time to end.
    void grow();
    /// Adds the best of all rings along the problem's routes, if there are few hosts.
    void enumerate();
    /// Goes on from the best ring until no change helps.
    void descend_from_best();
    /// Anneals from several rings, then again from the best, until the limits are used up.
    void anneal();

    /// The best so far.
    [[nodiscard]] Found result();

private:
    void add(const Solution& solution);
    void add_exact(const Embedding& embedding);

    const Problem& problem_;
    Settings settings_;
    Meter meter_;
    Random random_;
    PathPool pool_;
    Elite elite_;
    PooledRing toured_;  ///< the best of tours
    Solution best_;
    bool proven_ = false;
    double lower_bound_ = 0;
};

/// The best of a portfolio: every ring of a small platform; the greedy rings with each refinement;
/// local search; simulated annealing, from several rings and again from the best. Seeded: the same
/// problem and `limits.work` give the same ring on every machine, unless `limits.time` cuts the
/// search short. Never worse than greedy with any refinement that had the time to end.
[[nodiscard]] Found automatic(const Problem& problem, const Settings& settings);

/// Simulated annealing alone.
[[nodiscard]] Found annealing(const Problem& problem, const Settings& settings);

}  // namespace espalier::ring
