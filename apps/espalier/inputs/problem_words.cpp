#include "inputs/problem_words.hpp"

#include "core/table.hpp"
#include "frontend/known_algorithms.hpp"
#include "inputs/block_row.hpp"
#include "inputs/node_matrix.hpp"
#include "schedule/json.hpp"

#include <fmt/ranges.h>

namespace espalier::cli {

namespace {

/// The numbers of a CSV, in which 0 is a number like any other.
frontend::PairNumbers numbers_of(const std::string& file, network::StatedCells cells) {
    return {file, [file, cells](const std::vector<std::string>& nodes) {
                return read_stated_matrix(file, nodes, cells);
            }};
}

}  // namespace

void add_problem_options(CLI::App& app, ProblemWords& words) {
    frontend::ProblemOptions& asked = words.options;
    const std::vector<std::string> collectives = frontend::planned_collectives();
    app.add_option("COLLECTIVE", asked.collective, listed(collectives, collectives.size()))
        ->type_name(fmt::format("{}", fmt::join(collectives, "|")))
        ->required();
    app.add_option("NETWORK", words.network, "a network file (JSON), or a directory")
        ->type_name("")
        ->required();
    add_source_options(app, words.source);
    app.add_option("--root", asked.root,
                   "a cluster's or a node's name; a node stands for its cluster (the first one; "
                   "on sender networks any for a broadcast, the slowest for a reduction)")
        ->type_name("NAME");
    app.add_option("--bytes", asked.bytes, "message size, of one rank's operand: 512, 64KiB, 4MB")
        ->type_name("SIZE");
    app.add_option("--sizes", words.sizes,
                   "what each node (row) has for each other (column), in bytes, for alltoall; a "
                   "row with each node's block for scatter, gather, allgather and reduce-scatter")
        ->type_name("SIZES.csv");
    app.add_option("--critical", asked.critical,
                   "the node whose own messages are to be over as early as possible, for alltoall")
        ->type_name("NAME");
    app.add_option("--deadlines", words.deadlines,
                   "by when each message (row to column) is due: 0.5, 10ms; empty: never; for "
                   "alltoall")
        ->type_name("MATRIX.csv");
    app.add_option("--priorities", words.priorities,
                   "what missing each deadline counts (1), for alltoall")
        ->type_name("MATRIX.csv");
    app.add_flag("--relays", asked.relays,
                 "messages may go through other nodes also where no deadline asks for it, for "
                 "alltoall");
    app.add_option("--reception", asked.reception,
                   "how a node takes in messages that arrive together: one after the other "
                   "(serial), interleaved:OVERHEAD, or buffered:SIZE, for alltoall (serial)")
        ->type_name("MODE");
    app.add_option("--refine", words.refine,
                   "adapt this earlier schedule to the network as it is now, in place of planning "
                   "anew, for alltoall")
        ->type_name("OLD.json");
    app.add_option("--segment", asked.segment,
                   "none, auto, or the size of a segment (auto for auto, else none)")
        ->type_name("none|auto|SIZE");
    app.add_option("--local", asked.local, "algorithm inside clusters, or auto (the default)")
        ->type_name("NAME");
    app.add_option(
           "--ports", asked.ports,
           "how many messages a node sends, or receives, at once (auto: one, or several where "
           "the network says what nodes send and receive in all)")
        ->type_name("COUNT|auto");
    app.add_option("--time-limit", asked.time_limit,
                   "for each algorithm that searches: 10ms, 2s (10s)")
        ->type_name("TIME");
    app.add_option("--robust", asked.robust,
                   "plans are compared by this percentile of the makespan, over what costs may be, "
                   "in place of the makespan at stated costs")
        ->type_name("p50..p99");
    app.add_option("--without", asked.without,
                   "a technique that paper-search does without; may be repeated")
        ->type_name("TECHNIQUE");
}

frontend::ProblemOptions options_of(const ProblemWords& words) {
    using Nodes = std::vector<std::string>;
    frontend::ProblemOptions options = words.options;
    options.network = {words.network,
                       [words] { return read_network(words.network, words.source); }};
    const auto of_file = [](const auto& read, const std::string& file) {
        return [read, file](const Nodes& nodes) { return read(file, nodes); };
    };
    options.sizes = {words.sizes, of_file(read_node_matrix, words.sizes),
                     of_file(read_block_row, words.sizes)};
    options.deadlines = numbers_of(words.deadlines, network::StatedCells::times);
    options.priorities = numbers_of(words.priorities, network::StatedCells::numbers);
    options.refine = {words.refine, [file = words.refine] {
                          return schedule::read_schedule(file).plan.schedule;
                      }};
    return options;
}

}  // namespace espalier::cli
