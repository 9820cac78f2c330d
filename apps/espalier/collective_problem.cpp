#include "collective_problem.hpp"

#include "block_row.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "exchange_problem.hpp"
#include "grid_options.hpp"
#include "network/json.hpp"
#include "schedule_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace espalier::cli {

namespace {

bool carries_data(schedule::Kind kind) { return kind != schedule::Kind::barrier; }

}  // namespace

CollectiveProblem::CollectiveProblem(Setting setting, std::unique_ptr<PlanningProblem> special)
    : PlanningProblem(std::move(setting)),
      special_(std::move(special)),
      grid_(as_grid(network())),
      view_(grid_),
      job_(plan::Job::everywhere(view_)) {
    refuse_what_does_not_apply();
    request_ = read_request();
}

void CollectiveProblem::refuse_what_does_not_apply() const {
    const auto refuse = [](bool given, const std::string& option, const std::string& reason) {
        if (given) throw InputError(option, "", reason);
    };
    const std::string_view name = name_of(kind());
    refuse(!options().root.empty() && !has_root(kind()), "--root",
           fmt::format("{} has no root", name));
    refuse(!options().local.empty(), "--local",
           fmt::format("{} is planned between all nodes at once", name));
    refuse(!options().without.empty(), "--without",
           "only paper-search has techniques to do without");
    if (carries_data(kind())) return;
    for (const auto& [option, value] :
         {std::pair("--bytes", &options().bytes), std::pair("--segment", &options().segment)})
        refuse(!value->empty(), option, fmt::format("{} carries no data", name));
}

plan::CollectiveRequest CollectiveProblem::read_request() const {
    plan::CollectiveRequest request;
    request.kind = kind();
    if (has_root(kind())) request.root = read_root(options(), view_);
    if (!options().sizes.empty())
        read_sizes(request);
    else if (carries_data(kind()))
        request.bytes = read_bytes(options(), grid_);
    if (const auto segmenting = read_segmenting(options())) request.segmenting = *segmenting;
    request.ports = stated_ports();
    request.limits = limits();
    return request;
}

void CollectiveProblem::read_sizes(plan::CollectiveRequest& request) const {
    if (const auto* exchange = dynamic_cast<const ExchangeProblem*>(special_.get())) {
        request.sizes = exchange->request().sizes;
        for (std::size_t i = 0; i < request.sizes->rows(); ++i)
            request.bytes = std::max(request.bytes, std::ranges::max(request.sizes->row(i)));
        return;
    }
    if (!options().bytes.empty())
        throw InputError("--bytes", "", "--sizes says already what the blocks are");
    std::vector<Bytes> blocks = read_block_row(options().sizes, rank_names(job_));
    request.bytes = std::ranges::max(blocks);
    request.blocks = std::make_shared<const std::vector<Bytes>>(std::move(blocks));
}

bool CollectiveProblem::has_demands() const {
    const ProblemOptions& asked = options();
    return asked.relays || !asked.critical.empty() || !asked.deadlines.empty() ||
           !asked.refine.empty() || !(asked.reception.empty() || asked.reception == "serial");
}

void CollectiveProblem::require_algorithm(const std::string& name) const {
    PlanningProblem::require_algorithm(name);
    if (has_demands() && is_composed(name))
        throw InputError("--algorithm", "",
                         fmt::format("{} knows neither demands nor ways to receive", name));
}

bool CollectiveProblem::shows(const plan::Algorithm& algorithm) const {
    if (algorithm.family == plan::Family::composed) return !has_demands();
    return special_ ? special_->shows(algorithm) : PlanningProblem::shows(algorithm);
}

std::unique_ptr<Answer> CollectiveProblem::plan(const std::string& algorithm) const {
    if (!special_) return plan_composed(algorithm);
    if (algorithm == "auto") return plan_best();
    return is_composed(algorithm) ? plan_composed(algorithm) : special_->plan(algorithm);
}

std::unique_ptr<Answer> CollectiveProblem::plan_composed(const std::string& algorithm) const {
    plan::CollectiveRequest request = request_;
    request.algorithm = algorithm;
    try {
        schedule::Plan plan = plan_collective(job_, request);
        plan.schedule.network = network::fingerprint(network());
        return std::make_unique<ScheduleAnswer>(std::move(plan), lane_groups(view_));
    } catch (const InputError& error) {
        // The planner knows the network, but not the file it came from.
        throw InputError(options().network, "", error.what());
    }
}

/// What the family of its own finds, unless something composed is faster.
std::unique_ptr<Answer> CollectiveProblem::plan_best() const {
    std::unique_ptr<Answer> best = special_->plan("auto");
    if (has_demands()) return best;
    for (const plan::Algorithm* algorithm : algorithms()) {
        if (algorithm->family != plan::Family::composed || !algorithm->by_default) continue;
        try {
            auto other = plan_composed(std::string(algorithm->name));
            if (other->headline().makespan < best->headline().makespan) best = std::move(other);
        } catch (const InputError&) {
            // What one algorithm can't take, another may.
        }
    }
    return best;
}

}  // namespace espalier::cli
