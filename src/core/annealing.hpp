#pragma once

#include "core/meter.hpp"
#include "core/random.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

namespace espalier {

/// Temperatures at the beginning and at the end, as parts of what is minimized: by so much longer
/// is what is accepted with a probability of 1/e.
struct Cooling {
    double first = 0;
    double last = 0;
};

/// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) until the meter is over or the cost at
/// most `enough`. The temperature falls geometrically with what is used of the meter, so that any
/// budget sees all of them. A walk has
///
///     double cost();                              // where it is
///     std::optional<double> change(Random&);      // at random: the cost then, or that it can't be
///     void keep();                                // what was changed last
///     void take_back();                           // likewise, also where it could not be
///     void remember();                            // as the best so far
///     std::uint64_t steps() const;                // of the meter, of one change
template <typename Walk>
void anneal(Walk& walk, const Cooling& cooling, Random& random, Meter& meter, double enough = 0) {
    constexpr std::uint64_t between_looks = 64;
    constexpr double least_gain = 1e-9;
    double cost = walk.cost();
    double least = cost;
    double temperature = 0;
    walk.remember();
    for (std::uint64_t n = 0; least > enough; ++n) {
        if (n % between_looks == 0) {
            const double used = meter.used();
            if (used >= 1) return;
            cost = walk.cost();
            temperature = cost * cooling.first * std::pow(cooling.last / cooling.first, used);
        }
        meter.spend(walk.steps());
        const std::optional<double> changed = walk.change(random);
        if (!changed ||
            (*changed > cost && *changed - cost > -temperature * std::log(1 - random.uniform()))) {
            walk.take_back();
            continue;
        }
        walk.keep();
        cost = *changed;
        if (cost >= least * (1 - least_gain)) continue;
        least = cost;
        walk.remember();
    }
}

}  // namespace espalier
