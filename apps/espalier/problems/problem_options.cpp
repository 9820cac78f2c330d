#include "problems/problem_options.hpp"

#include "core/table.hpp"
#include "core/text.hpp"
#include "problems/known_algorithms.hpp"

#include <algorithm>
#include <set>

namespace espalier::cli {

namespace {

/// The names of the collectives that are planned, for people.
std::string collectives() {
    std::set<schedule::Kind> kinds;
    for (const AlgorithmEntry* algorithm : known_algorithms())
        kinds.insert(algorithm->collectives.begin(), algorithm->collectives.end());
    std::vector<std::string> names;
    for (const schedule::Kind kind : kinds) names.emplace_back(name_of(kind));
    return listed(names, names.size());
}

}  // namespace

void add_problem_options(CLI::App& app, ProblemOptions& options) {
    app.add_option("COLLECTIVE", options.collective, collectives())->type_name("")->required();
    app.add_option("NETWORK", options.network, "a network file (JSON), or a directory")
        ->type_name("")
        ->required();
    add_source_options(app, options.source);
    app.add_option("--root", options.root,
                   "a cluster's or a node's name; a node stands for its cluster (the first one; "
                   "on sender networks any for a broadcast, the slowest for a reduction)")
        ->type_name("NAME");
    app.add_option("--bytes", options.bytes, "message size, of one rank's operand: 512, 64KiB, 4MB")
        ->type_name("SIZE");
    app.add_option("--sizes", options.sizes,
                   "what each node (row) has for each other (column), in bytes, for alltoall; a "
                   "row with each node's block for scatter, gather, allgather and reduce-scatter")
        ->type_name("SIZES.csv");
    app.add_option("--critical", options.critical,
                   "the node whose own messages are to be over as early as possible, for alltoall")
        ->type_name("NAME");
    app.add_option("--deadlines", options.deadlines,
                   "by when each message (row to column) is due: 0.5, 10ms; empty: never; for "
                   "alltoall")
        ->type_name("MATRIX.csv");
    app.add_option("--priorities", options.priorities,
                   "what missing each deadline counts (1), for alltoall")
        ->type_name("MATRIX.csv");
    app.add_flag("--relays", options.relays,
                 "messages may go through other nodes also where no deadline asks for it, for "
                 "alltoall");
    app.add_option("--reception", options.reception,
                   "how a node takes in messages that arrive together: one after the other "
                   "(serial), interleaved:OVERHEAD, or buffered:SIZE, for alltoall (serial)")
        ->type_name("MODE");
    app.add_option("--refine", options.refine,
                   "adapt this earlier schedule to the network as it is now, in place of planning "
                   "anew, for alltoall")
        ->type_name("OLD.json");
    app.add_option("--segment", options.segment,
                   "none, auto, or the size of a segment (auto for auto, else none)")
        ->type_name("none|auto|SIZE");
    app.add_option("--local", options.local, "algorithm inside clusters, or auto (the default)")
        ->type_name("NAME");
    app.add_option(
           "--ports", options.ports,
           "how many messages a node sends, or receives, at once (auto: one, or several where "
           "the network says what nodes send and receive in all)")
        ->type_name("COUNT|auto");
    app.add_option("--time-limit", options.time_limit,
                   "for each algorithm that searches: 10ms, 2s (10s)")
        ->type_name("TIME");
    app.add_option("--robust", options.robust,
                   "plans are compared by this percentile of the makespan, over what costs may be, "
                   "in place of the makespan at stated costs")
        ->type_name("p50|…|p99");
    app.add_option("--without", options.without,
                   "a technique that paper-search does without; may be repeated")
        ->type_name("TECHNIQUE");
}

Limits limits_of(const ProblemOptions& options) {
    Limits limits;
    constexpr Seconds longest(1e9);  // what a clock can add
    if (!options.time_limit.empty())
        limits.time = std::min(parse_seconds(options.time_limit, "--time-limit"), longest);
    return limits;
}

}  // namespace espalier::cli
