#include "core/error.hpp"
#include "frontend/checking.hpp"
#include "handles.hpp"
#include "plan/check_plan.hpp"
#include "schedule/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

using namespace espalier;
using c::guarded;
using c::required;

namespace {

bool yes_or_no(const std::string& value, const std::string& option) {
    if (value == "yes") return true;
    if (value == "no") return false;
    throw InputError(option, "", fmt::format("'{}' is neither yes nor no", value));
}

void set_option(frontend::ProblemOptions& options, const std::string& name,
                const std::string& value) {
    const std::string option = "--" + name;
    if (value.empty()) throw InputError(option, "", "it is empty");
    std::string field = name;
    std::replace(field.begin(), field.end(), '-', '_');
    if (const auto word = frontend::find_word_option(field))
        options.*word = value;
    else if (name == "ranks")
        options.ranks = yes_or_no(value, option);
    else if (name == "relays")
        options.relays = yes_or_no(value, option);
    else
        throw InputError(option, "", "there is no such option");
}

const schedule::Schedule& schedule_of(const espalier_plan* self) { return self->plan.schedule; }

}  // namespace

espalier_status espalier_plan_make(const espalier_network* network, const char* collective,
                                   const espalier_option* options, size_t count,
                                   espalier_plan** result) {
    return guarded([&] {
        const espalier_network& on = required(network, "network");
        frontend::ProblemOptions asked;
        asked.collective = &required(collective, "collective");
        asked.network = {on.name, [&] { return on.network; }};
        std::string algorithm = "auto";
        for (std::size_t i = 0; i < count; ++i) {
            const espalier_option& option = (&required(options, "options"))[i];
            const std::string name = &required(option.name, "options");
            const std::string value = &required(option.value, "options");
            if (name == "algorithm")
                algorithm = value;
            else
                set_option(asked, name, value);
        }
        espalier_plan*& place = required(result, "plan");
        const auto problem = frontend::make_problem(asked);
        problem->require_algorithm(algorithm);
        const auto answer = problem->plan(algorithm);
        place = new espalier_plan{answer->plan(), answer_json(*answer, false), "plan"};
    });
}

espalier_status espalier_plan_parse(const char* json, const char* name, espalier_plan** result) {
    return guarded([&] {
        espalier_plan*& place = required(result, "plan");
        const std::string called = name == nullptr ? "plan" : name;
        schedule::StatedPlan stated = schedule::parse_schedule(&required(json, "json"), called);
        if (!stated.has_times) throw InputError(called, "transfers", "they have no times");
        frontend::complete_times(stated);
        place = new espalier_plan{std::move(stated.plan), json, called};
    });
}

void espalier_plan_free(espalier_plan* self) { delete self; }

const char* espalier_plan_collective(const espalier_plan* self) {
    return self == nullptr ? nullptr : self->collective.c_str();
}

const char* espalier_plan_algorithm(const espalier_plan* self) {
    return self == nullptr ? nullptr : schedule_of(self).algorithm.c_str();
}

size_t espalier_plan_nodes(const espalier_plan* self) {
    return self == nullptr ? 0 : schedule_of(self).nodes.size();
}

const char* espalier_plan_node(const espalier_plan* self, size_t node) {
    return node < espalier_plan_nodes(self) ? schedule_of(self).nodes[node].c_str() : nullptr;
}

size_t espalier_plan_root(const espalier_plan* self) {
    if (self == nullptr) return 0;
    const schedule::Collective& collective = schedule_of(self).collective;
    return has_root(collective.kind) ? collective.root : espalier_plan_nodes(self);
}

double espalier_plan_makespan(const espalier_plan* self) {
    return self == nullptr ? std::numeric_limits<double>::quiet_NaN()
                           : self->plan.timeline.makespan.value;
}

double espalier_plan_lower_bound(const espalier_plan* self) {
    return self == nullptr ? std::numeric_limits<double>::quiet_NaN()
                           : self->plan.lower_bound.value;
}

const char* espalier_plan_bound_scope(const espalier_plan* self) {
    return self == nullptr ? nullptr : self->scope.c_str();
}

int espalier_plan_optimal(const espalier_plan* self) {
    return self != nullptr && self->plan.optimal ? 1 : 0;
}

size_t espalier_plan_transfers(const espalier_plan* self) {
    return self == nullptr ? 0 : schedule_of(self).transfers.size();
}

espalier_status espalier_plan_transfer(const espalier_plan* self, size_t index,
                                       espalier_transfer* result) {
    return guarded([&] {
        const schedule::Plan& plan = required(self, "plan").plan;
        espalier_transfer& place = required(result, "transfer");
        if (index >= plan.schedule.transfers.size())
            throw InputError(
                "index", "",
                fmt::format("{} is none of {} transfers", index, plan.schedule.transfers.size()));
        const schedule::Transfer& transfer = plan.schedule.transfers[index];
        const schedule::Timeline::Times& times = plan.timeline.transfers[index];
        place = {transfer.from,
                 transfer.to,
                 transfer.chunk,
                 transfer.chunks,
                 transfer.op == schedule::Op::combine ? 1 : 0,
                 plan.schedule.bytes_of(transfer).value,
                 plan.schedule.segments_of(transfer),
                 times.start.value,
                 times.sent.value,
                 times.arrival.value,
                 times.end.value};
    });
}

const char* espalier_plan_json(const espalier_plan* self) {
    return self == nullptr ? nullptr : self->json.c_str();
}

espalier_status espalier_plan_check(const espalier_plan* self, const espalier_network* network,
                                    double* makespan) {
    return guarded([&] {
        const espalier_plan& checked = required(self, "plan");
        const auto stated = schedule::parse_schedule(checked.json, checked.name);
        const auto found =
            plan::check_plan(stated, required(network, "network").network, checked.name);
        if (found.violation)
            throw InvalidError(fmt::format("{}: {}", checked.name, *found.violation));
        if (makespan != nullptr) *makespan = found.timeline.makespan.value;
    });
}
