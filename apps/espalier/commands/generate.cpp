#include "frontend/generating.hpp"

#include "commands/all.hpp"
#include "commands/generate_options.hpp"
#include "core/error.hpp"
#include "core/json_text.hpp"
#include "core/table.hpp"
#include "frontend/all_nodes.hpp"
#include "network/json.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace espalier::cli {

namespace {

/// A few words on a network, beside the file that it is in.
std::string words_on(const network::Network& network) {
    if (const auto* grid = network.grid()) return "a grid of " + counted(grid->size(), "cluster");
    if (const auto* links = network.links()) {
        const std::size_t hosts = links->hosts().size();
        return fmt::format("a platform of {}, {} and {}", counted(hosts, "host"),
                           counted(links->nodes.size() - hosts, "router"),
                           counted(links->links.size(), "link"));
    }
    return "a network of " +
           counted(size(network), network.sender() == nullptr ? "node" : "sender");
}

void random_network(const GenerateWords& words) {
    const network::Network network = frontend::generate_network(words.kind, words.options);
    deliver_file(words.result, to_text(to_json(network)),
                 fmt::format("{}: {}\n", words.result.file, words_on(network)));
}

void expanded_table(const GenerateWords& words) {
    if (words.options.sizes.empty())
        throw InputError("--sizes", "", "needed: how many machines each cluster has");
    const network::PairTable machines =
        frontend::generate_machines(network::read_pair_table(words.expand), words.options);
    const std::string& stated = words.options.unit;
    const auto unit = network::parse_time_unit(stated.empty() ? "us" : stated, "--unit");
    const bool as_network = words.result.json || words.result.file.ends_with(".json");
    deliver_file(words.result,
                 as_network ? to_text(to_json(network::Network(to_pairwise(machines, unit))))
                            : to_csv(machines),
                 fmt::format("{}: latencies between {}\n", words.result.file,
                             counted(machines.size(), "machine")));
}

void random_sizes(const GenerateWords& words) {
    if (words.result.json)
        throw InputError("--json", "", "sizes are a CSV; without it, they are printed as one");
    std::vector<std::string> nodes;
    if (!words.network.empty())
        nodes = frontend::AllNodes(read_network(words.network, words.source)).names();
    const network::PairTable sizes = frontend::generate_sizes(std::move(nodes), words.options);
    deliver_file(words.result, to_csv(sizes),
                 fmt::format("{}: sizes of the messages between {}\n", words.result.file,
                             counted(sizes.size(), "node")));
}

/// The options that were given, by their names.
std::vector<std::string> given_options(const CLI::App& app) {
    std::vector<std::string> given;
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0) given.push_back(option->get_name());
    return given;
}

void run_generate(const GenerateWords& words, const CLI::App& app) {
    require_writable(words.result);
    frontend::require_generate_kind(words.kind, given_options(app));
    if (words.kind == "sizes")
        random_sizes(words);
    else if (!words.expand.empty())
        expanded_table(words);
    else
        random_network(words);
}

}  // namespace

Action add_generate(CLI::App& app) {
    auto words = std::make_shared<GenerateWords>();
    add_generate_options(app, *words);
    return [words, &app](const Passed&) { run_generate(*words, app); };
}

}  // namespace espalier::cli
