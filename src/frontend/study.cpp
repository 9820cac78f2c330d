#include "frontend/study.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "frontend/all_nodes.hpp"
#include "frontend/drawn_network.hpp"
#include "frontend/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::frontend {

namespace {

/// The names that may be roots: clusters where trees between them are planned, else nodes.
std::vector<std::string> all_roots(const ProblemOptions& problem, const network::Network& network) {
    const bool by_trees = problem.collective == "broadcast" || problem.collective == "reduce";
    const auto* const grid = network.grid();
    if (grid == nullptr || !by_trees || problem.ranks) return AllNodes(network).names();
    std::vector<std::string> names;
    for (const network::Cluster& cluster : grid->clusters) names.push_back(cluster.name);
    return names;
}

std::vector<std::string> roots_of(const StudyOptions& options, const network::Network& network) {
    if (options.roots.empty()) return {options.problem.root};
    const auto kind = schedule::find_kind(options.problem.collective);
    if (kind && !schedule::has_root(*kind))
        throw InputError("--roots", "", fmt::format("{} has no root", options.problem.collective));
    if (!options.problem.root.empty())
        throw InputError("--root", "", "--roots says already from where");
    return options.roots == "all" ? all_roots(options.problem, network)
                                  : split_list(options.roots, "--roots");
}

/// As `--bytes` has them; one that was not given where there are none.
std::vector<std::optional<Bytes>> sizes_of(const StudyOptions& options) {
    if (options.problem.bytes.empty()) return {std::nullopt};
    const std::vector<Bytes> sizes = parse_sizes(options.problem.bytes, "--bytes");
    return {sizes.begin(), sizes.end()};
}

std::vector<std::optional<std::uint64_t>> seeds_of(const StudyOptions& options) {
    const bool varies = depends_on_seed(options.problem.network.name);
    if (options.seeds.empty()) {
        if (varies && !is_drawn(options.problem.network.name))
            throw InputError("--seeds", "", "needed, for {seed} in the network's name");
        return {varies ? std::optional<std::uint64_t>(1) : std::nullopt};
    }
    if (!varies)
        throw InputError("--seeds", "",
                         fmt::format("{} is the same for each; generate:grid and a name with "
                                     "{{seed}} in it are not",
                                     options.problem.network.name));
    const std::vector<std::uint64_t> seeds = parse_seeds(options.seeds, "--seeds");
    return {seeds.begin(), seeds.end()};
}

}  // namespace

bool StudyOptions::is_several() const {
    return !roots.empty() || !seeds.empty() || depends_on_seed(problem.network.name) ||
           problem.bytes.find(',') != std::string::npos ||
           problem.bytes.find("..") != std::string::npos;
}

Study make_study(const StudyOptions& options, const StudyTurn& turn) {
    Study study{options.problem.collective, options.problem.network.name, {}, {}};
    const auto sizes = sizes_of(options);
    const auto seeds = seeds_of(options);
    std::size_t begun = 0;
    for (const auto seed : seeds) {
        const network::Network network =
            seed ? options.network_of_seed(*seed) : options.problem.network.read();
        const std::vector<std::string> roots = roots_of(options, network);
        const std::size_t cells = sizes.size() * seeds.size() * roots.size();
        for (const std::string& root : roots) {
            for (const auto size : sizes) {
                ProblemOptions asked = options.problem;
                asked.network.read = [&network] { return network::Network(network); };
                asked.root = root;
                // A size that is said once may be said in any way.
                if (sizes.size() > 1) asked.bytes = fmt::format("{}", size->value);
                const auto problem = make_problem(asked);
                ++begun;
                const auto tell = [&](const std::string& algorithm, std::size_t at,
                                      std::size_t all) {
                    const double part = static_cast<double>(at - 1) / static_cast<double>(all);
                    turn(algorithm, begun, cells,
                         (static_cast<double>(begun - 1) + part) / static_cast<double>(cells));
                };
                study.cells.push_back(
                    {size, root, seed,
                     compare(*problem, limits_of(asked).time, tell, options.only)});
                for (const std::string& line : problem->assumptions())
                    if (std::ranges::find(study.assumptions, line) == study.assumptions.end())
                        study.assumptions.push_back(line);
            }
        }
    }
    return study;
}

Json to_json(const Study& study) {
    Json cells = Json::array();
    for (const Study::Cell& cell : study.cells) {
        Json one = Json::object();
        if (cell.bytes) one["bytes"] = cell.bytes->value;
        if (!cell.root.empty()) one["root"] = cell.root;
        if (cell.seed) one["seed"] = *cell.seed;
        one["comparison"] = to_json(cell.comparison);
        cells.push_back(std::move(one));
    }
    Json means = Json::array();
    for (const Average& each : averages(study)) {
        Json one{{"algorithm", each.algorithm}, {"plans", each.plans},
                 {"mean", each.mean.value},     {"over_best", each.over_best},
                 {"at_most", each.at_most},     {"best", each.best}};
        if (each.bytes) one["bytes"] = each.bytes->value;
        if (each.off) one["off"] = each.off->value;
        if (each.bound.value > 0) one["lower_bound"] = each.bound.value;
        means.push_back(std::move(one));
    }
    Json document{{"format", "espalier-study"},     {"version", 1},
                  {"collective", study.collective}, {"network", study.network},
                  {"cells", std::move(cells)},      {"averages", std::move(means)}};
    if (!study.command.empty()) document["command"] = study.command;
    return document;
}

Study read_study(const JsonValue& document) {
    require_format(document, "espalier-study");
    Study study{document.at("collective").string(), document.at("network").string(), {}, {}};
    if (const auto command = document.find("command")) study.command = command->string();
    for (const JsonValue& one : document.at("cells").array()) {
        Study::Cell cell{{}, "", {}, read_comparison(one.at("comparison"))};
        if (const auto bytes = one.find("bytes")) cell.bytes = Bytes(bytes->count());
        if (const auto root = one.find("root")) cell.root = root->string();
        if (const auto seed = one.find("seed")) cell.seed = seed->count();
        study.cells.push_back(std::move(cell));
    }
    if (study.cells.empty()) document.at("cells").fail("has no comparison");
    return study;
}

}  // namespace espalier::frontend
