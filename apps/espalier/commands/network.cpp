#include "network/network.hpp"

#include "commands/all.hpp"
#include "core/json_reader.hpp"
#include "core/prose.hpp"
#include "frontend/input.hpp"
#include "inputs/network_source.hpp"
#include "outputs/command_words.hpp"
#include "outputs/network_drawing.hpp"
#include "outputs/result.hpp"
#include "overview/text.hpp"

#include <unistd.h>

#include <iostream>
#include <memory>

namespace espalier::cli {

namespace {

struct NetworkOptions {
    std::string input;
    std::string unit;
    std::string drawing;
    SourceOptions source;
    ResultOptions result;
};

network::Network read(const NetworkOptions& options) {
    const frontend::Input input =
        frontend::read_input(options.input, options.unit, options.source, warn);
    if (const auto* table = std::get_if<network::PairTable>(&input.content))
        return network::Network(to_pairwise(*table, input.unit), options.input);
    return std::get<network::Network>(input.content);
}

void run_network(const NetworkOptions& options, const std::string& made) {
    if (!options.drawing.empty()) check_network_drawing(options.drawing);
    const overview::Overview overview = overview::overview_of(read(options));
    if (!options.drawing.empty()) draw_network(options.drawing, overview, options.input, made);
    deliver(options.result, to_json(overview), [&] {
        return options.drawing.empty() ? to_text(overview, columns_of_tables(STDOUT_FILENO))
                                       : describe_network_drawing(options.drawing, overview);
    });
}

}  // namespace

Action add_network(CLI::App& app) {
    auto options = std::make_shared<NetworkOptions>();
    app.add_option("NETWORK", options->input,
                   "a network (JSON), a table of latencies (CSV) or a directory")
        ->type_name("")
        ->required();
    app.add_option("--unit", options->unit, "of a CSV's latencies: us (the default), ms or s")
        ->type_name("us|ms|s");
    app.add_option("-o,--output", options->drawing,
                   "draw it, too: a map, matrices and shared capacities")
        ->type_name("OUT.svg|OUT.html");
    add_source_options(app, options->source);
    add_json_option(app, options->result);
    return [options, &app](const Passed&) { run_network(*options, made_by(app)); };
}

}  // namespace espalier::cli
