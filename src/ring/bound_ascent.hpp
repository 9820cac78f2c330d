#pragma once

#include "core/meter.hpp"
#include "ring/bound_relaxation.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace espalier::ring {

/// Looks for multipliers whose relaxation needs a long step: gradient steps on all of them at once,
/// each scaled by its own recent slopes (the rule known as Adam), on softened choices that get
/// sharper while the steps get smaller. Every multiplier met gives a sound bound, so nothing here
/// needs to be exact.
class BoundAscent {
public:
    BoundAscent(const Problem& problem, schedule::RingSharing sharing);

    /// A step that all rings of three hosts or more need, at most `enough`. Begins with prices of
    /// links that are given, or others if they are better.
    [[nodiscard]] double run(Meter& meter, std::span<const double> prices, double enough);
    [[nodiscard]] const PathCosts& costs() const { return costs_; }
    /// A step that a ring of these two needs, given the best multipliers that `run` met.
    [[nodiscard]] double step_time_of_two(Host one, Host other) const {
        return relaxation_.step_time_of_two(one, other);
    }

private:
    /// What Adam knows of one multiplier.
    struct Trend {
        double mean = 0;
        double square = 0;
        int steps = 0;
        double move(double slope);
    };
    struct Trends {
        std::vector<Trend> prices;
        std::vector<Trend> speeds;
        std::vector<Trend> potentials;
        std::vector<Trend> crossings;
        std::vector<Trend> cuts;
    };

    void begin();
    [[nodiscard]] std::vector<double> expected_prices() const;
    double choose_prices(std::span<const double> given, double longest);
    void choose_potentials(double longest);
    void move(double rate);
    /// Sets of hosts that the averaged edges enter less than a ring would.
    void add_cuts();
    void drop_cuts();
    void average();

    const Problem& problem_;
    schedule::RingSharing sharing_;
    Host hosts_;
    double unit_;  ///< W / hosts
    CutTree tree_;
    PathCosts costs_;
    Relaxation relaxation_;
    Multipliers now_;
    Multipliers best_;
    Trends trends_;
    Relaxation::Choice choice_;
    std::vector<double> mean_hosts_;
    Matrix<double> mean_edges_;
};

}  // namespace espalier::ring
