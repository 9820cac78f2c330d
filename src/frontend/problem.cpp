#include "frontend/problem.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/nearest_word.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "frontend/collective_problem.hpp"
#include "frontend/exchange_problem.hpp"
#include "frontend/sender_problem.hpp"
#include "schedule/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

namespace espalier::frontend {

namespace {

bool is_planned(schedule::Kind kind) {
    return std::ranges::any_of(known_algorithms(), [&](const AlgorithmEntry* algorithm) {
        return serves(*algorithm, kind);
    });
}

schedule::Kind read_kind(const std::string& collective) {
    const auto kind = schedule::find_kind(collective);
    if (!kind) {
        const std::vector<std::string> names = planned_collectives();
        const std::string near = did_you_mean(collective, {names.begin(), names.end()});
        throw InputError(collective, "",
                         "is not a collective operation" +
                             (near.empty() ? "; there are " + listed(names, names.size()) : near));
    }
    if (!is_planned(*kind))
        throw InputError(collective, "", "no algorithm here plans this collective");
    return *kind;
}

/// The algorithms that work between clusters, nodes or ranks; on a network of one cluster, those
/// that work inside it in place of those between clusters.
std::vector<const AlgorithmEntry*> applicable(const network::Network& network, schedule::Kind kind,
                                              const std::string& source) {
    std::vector<const AlgorithmEntry*> found;
    std::set<std::string> models;
    for (const AlgorithmEntry* algorithm : known_algorithms()) {
        if (!serves(*algorithm, kind)) continue;
        models.insert(algorithm->models.begin(), algorithm->models.end());
        if (std::ranges::count(algorithm->models, network.model_name()) > 0)
            found.push_back(algorithm);
    }
    const auto count = [&](Family family) {
        return std::ranges::count(found, family, &AlgorithmEntry::family);
    };
    const bool inside = size(network) == 1 && count(Family::local) > 0;
    const auto other = inside ? Family::grid : Family::local;
    std::erase_if(found, [&](const AlgorithmEntry* one) { return one->family == other; });
    if (found.empty())
        throw InputError(source, "model",
                         fmt::format("no algorithm plans any {} on a {} network; on {} there are",
                                     name_of(kind), network.model_name(),
                                     listed({models.begin(), models.end()}, models.size())));
    return found;
}

/// The setting with only the algorithms of some families.
PlanningProblem::Setting only(PlanningProblem::Setting setting,
                              std::initializer_list<Family> families) {
    std::erase_if(setting.algorithms, [&](const AlgorithmEntry* algorithm) {
        return std::ranges::find(families, algorithm->family) == families.end();
    });
    return setting;
}

void refuse_demands(const ProblemOptions& options) {
    const auto refuse = [](bool given, const char* option) {
        if (given) throw InputError(option, "", "only for alltoall");
    };
    refuse(!options.critical.empty(), "--critical");
    refuse(!options.deadlines.empty(), "--deadlines");
    refuse(!options.priorities.empty(), "--priorities");
    refuse(options.relays, "--relays");
    refuse(!options.reception.empty(), "--reception");
    refuse(!options.refine.empty(), "--refine");
}

/// Whether more is asked of an exchange than to be over soon.
bool has_demands(const ProblemOptions& asked) {
    return asked.relays || !asked.critical.empty() || !asked.deadlines.empty() ||
           !asked.priorities.empty() || !asked.refine.empty() ||
           !(asked.reception.empty() || asked.reception == "serial");
}

PlanningProblem::Setting read_setting(const ProblemOptions& options) {
    const schedule::Kind kind = read_kind(options.collective);
    network::Network network = options.network.read();
    auto algorithms = applicable(network, kind, options.network.name);
    if (kind != schedule::Kind::alltoall) {
        refuse_demands(options);
        if (!options.sizes.empty() && !has_blocks(kind))
            throw InputError("--sizes", "",
                             "only for alltoall, scatter, gather, allgather and reduce-scatter");
    }
    return {options, kind, std::move(network), std::move(algorithms)};
}

}  // namespace

std::string Answer::certificate() const {
    throw InputError(
        "--certificate", "",
        fmt::format("{} proves nothing that a certificate could hold", headline().algorithm));
}

std::string answer_json(const Answer& answer, bool explained) {
    const plan::Presumption* presumption = answer.presumption();
    if (!explained && presumption == nullptr) return to_json_text(answer.plan());
    Json document = to_json(answer.plan());
    if (presumption != nullptr) document["x-presumption"] = plan::to_json(*presumption);
    if (explained) document["x-candidates"] = plan::to_json(answer.considered());
    return to_text(document);
}

PlanningProblem::PlanningProblem(Setting setting)
    : options_(std::move(setting.options)),
      kind_(setting.kind),
      network_(std::move(setting.network)),
      algorithms_(std::move(setting.algorithms)),
      limits_(limits_of(options_)) {
    if (!options_.ports.empty() && options_.ports != "auto")
        ports_ = parse_count(options_.ports, "--ports", 1);
}

void PlanningProblem::require_algorithm(const std::string& name) const {
    if (name != "auto" && std::ranges::count(algorithms_, name, &AlgorithmEntry::name) == 0)
        throw InputError("--algorithm", "",
                         fmt::format("'{}' is none of {}{}", name, names_of(algorithms_),
                                     suggestion(name, algorithms_)));
}

std::unique_ptr<PlanningProblem> make_problem(const ProblemOptions& options) {
    PlanningProblem::Setting setting = read_setting(options);
    if (!options.robust.empty() && setting.network.sender() != nullptr)
        throw InputError("--robust", "", "the times of a sender network have no spread");
    if (!options.robust.empty() && has_demands(options))
        throw InputError("--robust", "", "only where nothing else is asked of the exchange");
    if (setting.network.sender() != nullptr)
        return std::make_unique<SenderProblem>(std::move(setting));
    std::unique_ptr<ExchangeProblem> exchange;
    if (setting.kind == schedule::Kind::alltoall)
        exchange =
            std::make_unique<ExchangeProblem>(only(setting, {Family::exchange, Family::demands}));
    if (has_demands(options)) return exchange;
    return std::make_unique<CollectiveProblem>(std::move(setting), std::move(exchange));
}

std::unique_ptr<ExchangeProblem> make_exchange(const ProblemOptions& options) {
    return std::make_unique<ExchangeProblem>(
        only(read_setting(options), {Family::exchange, Family::demands}));
}

std::string suggestion(const std::string& name,
                       const std::vector<const AlgorithmEntry*>& algorithms) {
    std::vector<std::string_view> known{"auto"};
    for (const auto* algorithm : algorithms) known.emplace_back(algorithm->name);
    return did_you_mean(name, known);
}

std::string names_of(const std::vector<const AlgorithmEntry*>& algorithms) {
    std::vector<std::string> names{"auto"};
    for (const auto* algorithm : algorithms) names.emplace_back(algorithm->name);
    return listed(names, names.size());
}

}  // namespace espalier::frontend
