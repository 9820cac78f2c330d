#include "runtime/logic/found_plan.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/gather/bound.hpp"
#include "plan/gather_plan.hpp"
#include "plan/overhead.hpp"
#include "runtime/logic/shared_links.hpp"
#include "simulate/rank_fabric.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace espalier::runtime {

namespace {

/// More messages than that are not simulated for a ring: round 128 ranks, and to each from each.
constexpr std::size_t most_simulated = 16'256;

std::vector<FoundPlan> planned(const PlanQuestion& question,
                               const plan::CollectiveRequest& request) {
    const Seconds message_time = question.job.view->grid().message_time;
    std::vector<FoundPlan> found;
    for (schedule::Plan& plan : plan::plan_collectives(question.job, request, question.shortlist)) {
        const Seconds predicted =
            plan.timeline.makespan + plan::processor_time(plan.schedule, message_time);
        found.push_back(
            {std::move(plan.schedule), predicted, plan.lower_bound, std::move(plan.timeline)});
    }
    return found;
}

std::vector<FoundPlan> only(FoundPlan plan) {
    std::vector<FoundPlan> plans;
    plans.push_back(std::move(plan));
    return plans;
}

bool is_ring(const std::string& name) {
    return plan::find_algorithm(plan::Family::allgather, name) != nullptr;
}

struct Ring {
    FoundPlan plan;
    Seconds least;  ///< what it takes at least: a round of the slowest step for each block
};

Ring unsimulated_ring(const PlanQuestion& question, const std::string& name) {
    const auto fabric = simulate::make_rank_fabric(*question.job.view, question.job.places);
    const Bytes block = question.signature.bytes;
    const plan::Algorithm* algorithm = plan::find_algorithm(plan::Family::allgather, name);
    const plan::gather::Problem problem = plan::gather::make_problem(*fabric, block);
    const plan::gather::Order order =
        std::get<plan::gather::Planner>(algorithm->make)(problem, planning_limits).order;
    const std::size_t ranks = fabric->nodes();
    Ring ring;
    schedule::Schedule& schedule = ring.plan.schedule;
    schedule = plan::make_ring_schedule(order, block, std::vector<std::string>(ranks));
    schedule.algorithm = name;
    schedule.ports = fabric->ports();
    schedule.spaced = question.policy.spaced;
    ring.plan.bound = Seconds(plan::gather::all_gather_bound(*fabric, block, 1));
    ring.least =
        Seconds(plan::gather::value_of(problem, order).slowest * static_cast<double>(ranks - 1));
    return ring;
}

/// The best of what is composed; nothing where no such algorithm can plan it.
std::optional<FoundPlan> composed_all_gather(const PlanQuestion& question) {
    std::optional<FoundPlan> best;
    for (const plan::Algorithm& algorithm : plan::algorithms()) {
        if (algorithm.family != plan::Family::composed || !algorithm.by_default ||
            !plan::serves(algorithm, schedule::Kind::allgather))
            continue;
        plan::CollectiveRequest request = question.request();
        request.algorithm = algorithm.name;
        try {
            FoundPlan plan = std::move(planned(question, request).front());
            if (!best || plan.predicted < best->predicted) best = std::move(plan);
        } catch (const InputError&) {
            continue;  // the ring is there anyway
        }
    }
    return best;
}

/// Scatters and gathers, which heed that long blocks share links.
std::vector<FoundPlan> find_rooted_blocks(const PlanQuestion& question) {
    std::vector<FoundPlan> found = planned(question, question.request());
    const AlgorithmChoice& choice = question.policy.choice;
    const bool open = choice.name == "auto" && !choice.ports && !question.direct;
    if (!open || question.signature.bytes.value <= most_queued ||
        question.job.view->shared().empty())
        return found;
    plan::CollectiveRequest request = question.request();
    if (question.signature.kind == schedule::Kind::scatter) {
        if (!near_ones_hold_up_far_ones(question.job, request, *found.front().predicted))
            return found;
        request.algorithm = for_one_sender;
        request.ports = ports_of_one_sender;
    } else {
        request.algorithm = for_crowds;
    }
    try {
        heed_links(found, std::move(planned(question, request).front()), question.shortlist,
                   question.shortlist.within, question.shortlist.most);
    } catch (const InputError&) {
        // There is no such plan; the others are.
    }
    return found;
}

}  // namespace

plan::CollectiveRequest PlanQuestion::request() const {
    plan::CollectiveRequest request;
    request.kind = signature.kind;
    request.root = static_cast<std::size_t>(signature.root);
    request.bytes = sizes.of_ranks ? std::ranges::max(*sizes.of_ranks) : signature.bytes;
    request.blocks = sizes.of_ranks;
    request.sizes = sizes.of_pairs;
    request.ordered = signature.ordered;
    request.algorithm = policy.choice.name;
    request.direct = direct;
    request.ports = policy.choice.ports;
    request.segmenting = policy.choice.effective_segmenting();
    request.spaced = policy.spaced;
    request.hurried = true;
    request.bounded = policy.bounded;
    request.limits = signature.exact ? planning_limits : repeatable_limits;
    return request;
}

std::vector<FoundPlan> find_all_gathers(const PlanQuestion& question) {
    const std::size_t ranks = question.job.places.size();
    const std::string& name = question.policy.choice.name;
    const bool any = name == "auto";
    if (ranks * (ranks - 1) <= most_simulated || !(any || is_ring(name)))
        return planned(question, question.request());
    Ring ring = unsimulated_ring(question, any ? "ring" : name);
    if (!any) return only(std::move(ring.plan));
    auto composed = composed_all_gather(question);
    return only(composed && *composed->predicted < ring.least ? *std::move(composed)
                                                              : std::move(ring.plan));
}

std::vector<FoundPlan> find_plans(const PlanQuestion& question) {
    switch (question.signature.kind) {
        case schedule::Kind::alltoall:
            return find_exchanges(question);
        case schedule::Kind::allgather:
            return find_all_gathers(question);
        case schedule::Kind::scatter:
        case schedule::Kind::gather:
            return find_rooted_blocks(question);
        default:
            return planned(question, question.request());
    }
}

}  // namespace espalier::runtime
