#include "runtime/plan_under_way.hpp"

#include "runtime/process.hpp"

#include <utility>

namespace espalier::runtime {

namespace {

/// `variant`, or MPI's own where ranks have to wait for each other on the way.
Bandit::Variant without_waiting(const Plans::Plan& plan, Bandit::Variant variant) {
    const bool waits = variant != Bandit::native && !plan.of(variant).program.barriers.empty();
    return waits ? Bandit::native : variant;
}

Bandit::Variant predicted_best(const PlannedCollective& share) {
    if (!share.is_left_to_calls()) return share.is_native() ? Bandit::native : 0;
    return Bandit({share.priors(), *share.library, share.agreement, share.agreeing}).next();
}

}  // namespace

Way Way::predicted(std::shared_ptr<const Plans::Plan> plan) {
    const Bandit::Variant variant = without_waiting(*plan, predicted_best(plan->share));
    return {std::move(plan), variant};
}

Way Way::of(const Signature& signature, const Plans::Entry& entry) {
    // Of results that depend on the order of operands later runs have to decide alike, however
    // many calls were blocking until then.
    if (!signature.exact) return predicted(entry.plan);
    return {entry.plan, without_waiting(*entry.plan, entry.bandit.best())};
}

void PlanUnderWay::begin(const Way& way, const Seat& seat, const Operands& operands,
                         Process& process) {
    const RankProgram& program = way.plan->of(way.variant).program;
    buffers_.emplace(operands, process.device_memory(), seat);
    layout_.emplace(buffers_->operands(), program, way.plan->written[way.variant], seat,
                    process.staging());
    executor_.begin(program, *layout_, process.staging());
}

bool PlanUnderWay::poll() {
    if (!executor_.poll()) return false;
    layout_->finish();
    buffers_->finish();
    return true;
}

void PlanUnderWay::end() {
    if (layout_ && layout_->is_abandoned()) buffers_->abandon();
    layout_.reset();
    buffers_.reset();
}

}  // namespace espalier::runtime
