#include "sender/result.hpp"

#include <algorithm>
#include <utility>

namespace espalier::sender {

namespace {

/// A bound on the relative rounding errors of a sum of times, of the makespan and of the bound.
constexpr double rounding = 2e-12;

}  // namespace

void Result::offer(const Problem& problem, Sequence other) {
    const double reached = makespan_of(problem, other);
    if (reached >= makespan) return;
    makespan = reached;
    sequence = std::move(other);
    raise_bound(lower_bound);
}

void Result::raise_bound(double bound) {
    lower_bound = std::max(lower_bound, bound);
    optimal = optimal || makespan <= lower_bound * (1 + rounding);
    if (optimal) lower_bound = makespan;
}

void Result::offer(Proof other) {
    raise_bound(other.bound());
    if (!proof || proof->bound() < other.bound()) proof = std::move(other);
}

}  // namespace espalier::sender
