#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/prose.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "demands/algorithms.hpp"
#include "demands/objective.hpp"
#include "demands/rehearsal.hpp"
#include "frontend/exchange_problem.hpp"
#include "frontend/problem.hpp"
#include "inputs/problem_words.hpp"
#include "outputs/result.hpp"
#include "plan/algorithm.hpp"
#include "plan/exchange/bound.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace espalier::cli {

namespace {

using namespace demands;
using frontend::ExchangeProblem;
using frontend::PlanningProblem;

struct RehearseOptions {
    ProblemWords problem;
    std::string truth;
    std::string noise;
    std::string seed;
    std::string algorithm = "open-shop";
    std::string checkpoints = "all";
    std::string knowledge = "all";
    std::string threshold = "0";
    ResultOptions result;
};

/// The enumerators that an option asks for: one of them, or all.
template <typename Enum, std::size_t Count>
std::vector<Enum> asked(const std::string& word, const char* option,
                        const std::array<Enum, Count>& known) {
    std::vector<Enum> found;
    std::vector<std::string> names;
    for (const Enum one : known) {
        names.emplace_back(name_of(one));
        if (word == "all" || word == names.back()) found.push_back(one);
    }
    if (!found.empty()) return found;
    names.emplace_back("all");
    throw InputError(option, "",
                     fmt::format("'{}' is none of {}", word, listed(names, names.size())));
}

constexpr std::array all_checkpoints{Checkpoints::never, Checkpoints::half, Checkpoints::every};
constexpr std::array all_knowledge{Knowledge::progress, Knowledge::directory};

std::vector<Policy> policies_of(const RehearseOptions& options, const Limits& limits) {
    const double threshold = parse_number(options.threshold, "--threshold");
    if (threshold < 0) throw InputError("--threshold", "", "it is negative");
    const auto knowledge = asked(options.knowledge, "--knowledge", all_knowledge);
    std::vector<Policy> policies;
    for (const Checkpoints checkpoints :
         asked(options.checkpoints, "--checkpoints", all_checkpoints))
        for (const Knowledge known : knowledge) {
            // Who never looks knows nothing.
            if (checkpoints == Checkpoints::never && known != knowledge.front()) continue;
            policies.push_back({checkpoints, known, threshold, limits});
        }
    return policies;
}

/// The exchange that was asked for; with the same options on another network.
std::unique_ptr<ExchangeProblem> exchange_of(ProblemWords words, const std::string& network) {
    words.network = network;
    const frontend::ProblemOptions options = options_of(words);
    if (options.collective != "alltoall")
        throw InputError(options.collective, "", "only alltoall is rehearsed");
    const auto refuse = [](bool given, const char* option) {
        if (given) throw InputError(option, "", "a rehearsal is about the makespan");
    };
    refuse(!options.critical.empty(), "--critical");
    refuse(!options.deadlines.empty(), "--deadlines");
    refuse(options.relays, "--relays");
    if (!options.refine.empty()) throw InputError("--refine", "", "a rehearsal plans anew");
    return frontend::make_exchange(options);
}

/// The problem that was asked for, at the costs of a network.
Problem exchange_on(const simulate::Fabric& fabric, const ExchangeProblem& asked_for,
                    const std::string& source) {
    try {
        return make_exchange_problem(fabric, asked_for.request());
    } catch (const InputError& error) {
        throw InputError(source, "", error.what());
    }
}

void require_queues(const Problem& problem, const std::string& source) {
    if (!only_queues(problem))
        throw InputError(source, "",
                         "a rehearsal knows messages that only queue for ports: no shared "
                         "capacities, no egress or ingress, and serial reception");
}

struct Row {
    Policy policy;
    Rehearsal rehearsal;
    Seconds replayed;  ///< what the simulator makes of the order that was performed
};

struct Result {
    std::string algorithm;
    double foretold = 0;     ///< what the first plan was thought to take
    double clairvoyant = 0;  ///< the makespan of planning with the true times
    double bound = 0;
    std::vector<Row> rows;
};

Row rehearse_with(const Policy& policy, const Problem& estimate, const Problem& truth,
                  const Planner& planner, const ExchangeProblem& exchange) {
    Row row{policy, rehearse(estimate, truth, planner, policy), Seconds(0)};
    auto schedule = make_schedule(truth, {.order = row.rehearsal.order});
    schedule.nodes = exchange.names();
    if (const auto violation = schedule::find_violation(schedule))
        throw Error(ExitStatus::internal_fault, violation->what);
    row.replayed = simulate::simulate(schedule, *truth.fabric).makespan;
    return row;
}

Json rehearsal_json(const Result& result) {
    Json policies = Json::array();
    for (const Row& row : result.rows)
        policies.push_back({{"checkpoints", name_of(row.policy.checkpoints)},
                            {"knowledge", name_of(row.policy.knowledge)},
                            {"threshold", row.policy.threshold},
                            {"makespan", row.rehearsal.makespan},
                            {"replayed_makespan", row.replayed.value},
                            {"checkpoints_met", row.rehearsal.checkpoints},
                            {"reschedulings", row.rehearsal.reschedulings},
                            {"changes", row.rehearsal.changes},
                            {"plan_s", row.rehearsal.planning}});
    return {{"format", "espalier-rehearsal"},
            {"version", 1},
            {"algorithm", result.algorithm},
            {"estimated_makespan", result.foretold},
            {"clairvoyant_makespan", result.clairvoyant},
            {"lower_bound", result.bound},
            {"policies", std::move(policies)}};
}

std::string rehearsal_text(const Result& result) {
    using enum Table::Align;
    Table table({{"checkpoints"},
                 {"known"},
                 {"makespan", right},
                 {"over bound", right},
                 {"met", right},
                 {"replans", right},
                 {"changed", right},
                 {"planning", right}});
    const auto over = [&](double time) {
        return result.bound > 0 ? fmt::format("{:.1f}%", 100 * (time / result.bound - 1)) : "-";
    };
    for (const Row& row : result.rows) {
        const Rehearsal& rehearsal = row.rehearsal;
        const bool never = row.policy.checkpoints == Checkpoints::never;
        table.add({std::string(name_of(row.policy.checkpoints)),
                   never ? "-" : std::string(name_of(row.policy.knowledge)),
                   format_seconds(Seconds(rehearsal.makespan)), over(rehearsal.makespan),
                   fmt::format("{}", rehearsal.checkpoints),
                   fmt::format("{}", rehearsal.reschedulings), fmt::format("{}", rehearsal.changes),
                   format_seconds(Seconds(rehearsal.planning))});
    }
    return wrapped(
               fmt::format("Alltoall by {}, planned by estimates\nforetold {} · planned with the "
                           "true times {} ({} over the bound) · lower bound {}\n\n",
                           result.algorithm, format_seconds(Seconds(result.foretold)),
                           format_seconds(Seconds(result.clairvoyant)), over(result.clairvoyant),
                           format_seconds(Seconds(result.bound))),
               columns_of_output(STDOUT_FILENO), 2) +
           table.text(columns_of_tables(STDOUT_FILENO));
}

/// The network with the true times, from a file or by drawing them.
class Truth {
public:
    Truth(const RehearseOptions& options, const ExchangeProblem& estimate) {
        if (options.truth.empty() == options.noise.empty())
            throw InputError("--truth", "",
                             "give either it, the network as it truly is, or --noise to draw that");
        if (!options.seed.empty() && options.noise.empty())
            throw InputError("--seed", "", "it is for --noise");
        if (!options.noise.empty()) {
            const double noise = parse_number(options.noise, "--noise");
            if (noise < 0) throw InputError("--noise", "", "it is negative");
            const auto seed = options.seed.empty() ? 1 : parse_count(options.seed, "--seed");
            drawn_ = with_noise(estimate.fabric(), noise, seed);
            fabric_ = drawn_.get();
            return;
        }
        read_ = exchange_of(options.problem, options.truth);
        if (read_->names() != estimate.names())
            throw InputError(options.truth, "nodes",
                             fmt::format("they are not those of {}, in the same order",
                                         options.problem.network));
        fabric_ = &read_->fabric();
    }

    [[nodiscard]] const simulate::Fabric& fabric() const { return *fabric_; }

private:
    std::unique_ptr<ExchangeProblem> read_;
    std::unique_ptr<const simulate::Fabric> drawn_;
    const simulate::Fabric* fabric_ = nullptr;
};

/// The planner of one of the exchanges in the table.
Planner planner_of(const RehearseOptions& options, const PlanningProblem& problem,
                   const Problem& exchange) {
    if (options.algorithm == "auto")
        throw InputError("--algorithm", "", "a rehearsal is of one algorithm, not of auto");
    problem.require_algorithm(options.algorithm);
    return planners(options.algorithm, exchange).front().make;
}

Result rehearse_all(const RehearseOptions& options) {
    const auto problem = exchange_of(options.problem, options.problem.network);
    const ExchangeProblem& exchange = *problem;
    const Truth true_network(options, exchange);
    const Problem estimate = exchange_on(exchange.fabric(), exchange, options.problem.network);
    const Planner planner = planner_of(options, exchange, estimate);
    const std::string& source = options.truth.empty() ? options.problem.network : options.truth;
    const Problem truth = exchange_on(true_network.fabric(), exchange, source);
    require_queues(estimate, options.problem.network);
    require_queues(truth, source);

    const Limits limits = limits_of(options.problem.options);
    const auto makespan = [&](const Problem& planned) {
        return score_of(planned, ends_of(planned, planner(planned, limits).order)).makespan;
    };
    Result result{options.algorithm,
                  makespan(estimate),
                  makespan(truth),
                  plan::exchange::exchange_bound(truth),
                  {}};
    for (const Policy& policy : policies_of(options, limits))
        result.rows.push_back(rehearse_with(policy, estimate, truth, planner, exchange));
    return result;
}

}  // namespace

Action add_rehearse(CLI::App& app) {
    auto options = std::make_shared<RehearseOptions>();
    add_problem_options(app, options->problem);
    app.add_option("--truth", options->truth, "the network as it truly is (JSON)")
        ->type_name("TRUE.json");
    app.add_option("--noise", options->noise,
                   "in place of --truth: each pair's times are drawn up to so much off, 0.5 for "
                   "between 1/1.5 and 1.5 times the estimate")
        ->type_name("NUMBER");
    app.add_option("--seed", options->seed, "of --noise: one seed, one result (1)")
        ->type_name("NUMBER");
    app.add_option("--algorithm", options->algorithm, "a name from espalier algorithms")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--checkpoints", options->checkpoints,
                   "when what has not started is scheduled anew: never, half, every or all three")
        ->type_name("WHEN")
        ->capture_default_str();
    app.add_option("--knowledge", options->knowledge,
                   "what is known then: progress (estimates stay), directory (the true times of "
                   "the rest) or all")
        ->type_name("WHAT")
        ->capture_default_str();
    app.add_option("--threshold", options->threshold,
                   "only where a message ended so much off its time: 0.1 for 10%")
        ->type_name("NUMBER")
        ->capture_default_str();
    add_file_option(app, options->result, "REHEARSAL.json");
    add_json_option(app, options->result);
    return [options](const Passed&) {
        require_writable(options->result);
        const Result result = rehearse_all(*options);
        deliver(options->result, rehearsal_json(result), [&] { return rehearsal_text(result); });
    };
}

}  // namespace espalier::cli
