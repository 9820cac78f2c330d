#include "runtime/logic/planning_account.hpp"

#include "runtime/logic/planning_effort.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::runtime {

namespace {

/// So many plans may be made before it is known whether plans pay.
constexpr double plans_on_credit = 2;

}  // namespace

void PlanningAccount::charge(Seconds& debt, Seconds cost) {
    spent_ += cost;
    ++charges_;
    owe(debt, cost);
}

void PlanningAccount::pay(Seconds& debt, Seconds gain) { owe(debt, gain * -1); }

void PlanningAccount::owe(Seconds& debt, Seconds more) {
    const Seconds before = std::max(debt, Seconds(0));
    debt += more;
    owed_ += std::max(debt, Seconds(0)) - before;
}

void PlanningAccount::add(Seconds time) {
    taken_ += time;
    ++calls_;
}

void PlanningAccount::compare(Seconds predicted, Seconds time) {
    predicted_ += predicted;
    seen_ += time;
}

Seconds PlanningAccount::as_seen(Seconds predicted) const {
    return seen_ < predicted_ ? predicted * (seen_ / predicted_) : predicted;
}

std::uint64_t PlanningAccount::pause() const {
    if (charges_ == 0) return 0;
    const Seconds credit = spent_ / static_cast<double>(charges_) * plans_on_credit;
    const Seconds over = owed_ - credit - taken_ / planning_charge;
    if (over <= Seconds(0)) return 0;
    const auto most = static_cast<double>(std::max<std::uint64_t>(calls_, 1));
    const double calls = over * planning_charge / (taken_ / most);
    return static_cast<std::uint64_t>(std::clamp(std::ceil(calls), 1.0, most));
}

}  // namespace espalier::runtime
