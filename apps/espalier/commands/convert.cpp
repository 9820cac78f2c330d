#include "frontend/converting.hpp"

#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/table.hpp"
#include "inputs/import_options.hpp"
#include "inputs/network_source.hpp"
#include "inputs/node_matrix.hpp"
#include "network/json.hpp"
#include "network/simgrid_xml.hpp"
#include "outputs/result.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace espalier::cli {

namespace {

using network::Network;

struct ConvertWords {
    std::string input;
    frontend::ConvertOptions convert;
    std::string bandwidth;
    std::string hostfile;
    ResultOptions result;
};

/// A platform that SimGrid reads, and its hosts for smpirun.
void write_platform(const Network& from, const ConvertWords& options) {
    const auto* links = from.links();
    if (links == nullptr)
        throw InputError(
            options.input, "model",
            fmt::format("SimGrid platforms are made of 'links', not of '{}'", from.model_name()));
    const std::string platform = to_simgrid_xml(*links);
    if (!options.hostfile.empty()) write_file(options.hostfile, to_hostfile(*links));
    deliver_file(options.result, platform,
                 fmt::format("{}: a SimGrid platform of {}\n", options.result.file,
                             counted(links->hosts().size(), "host")));
}

void run_convert(const ConvertWords& options) {
    require_writable(options.result);
    frontend::ConvertOptions convert = options.convert;
    const bool to_simgrid = convert.to == "simgrid";
    if (!to_simgrid && !options.hostfile.empty())
        throw InputError("--hostfile", "", "only beside --to simgrid");
    if (!options.hostfile.empty()) espalier::require_writable(options.hostfile);
    if (to_simgrid && options.result.json)
        throw InputError("--json", "", "a SimGrid platform is XML");
    convert.bandwidth = {options.bandwidth, [&](const std::vector<std::string>& nodes) {
                             return read_node_matrix(options.bandwidth, nodes);
                         }};
    const auto from = frontend::read_any(options.input, convert, warn);
    if (to_simgrid) {
        frontend::refuse_cycle_time(from, convert);
        write_platform(from.network, options);
        return;
    }
    const Network result = frontend::convert(from, options.input, convert, warn);
    const std::size_t parts = result.links() ? result.links()->nodes.size() : size(result);
    deliver_file(options.result, to_text(to_json(result)),
                 fmt::format("{}: a {} network of {}\n", options.result.file, result.model_name(),
                             counted(parts, result.grid() ? "cluster" : "node")));
}

}  // namespace

Action add_convert(CLI::App& app) {
    auto options = std::make_shared<ConvertWords>();
    app.add_option("FILE", options->input,
                   "a network (JSON), a latency matrix (CSV), GraphML or a directory")
        ->type_name("")
        ->required();
    app.add_option(
           "--to", options->convert.to,
           "model of the result: sender, pairwise, grid or links; or simgrid, a platform (XML)")
        ->type_name("MODEL");
    app.add_option("--hostfile", options->hostfile,
                   "where the hosts' names go, one a line, beside a SimGrid platform")
        ->type_name("HOSTS.txt");
    app.add_option("--bytes", options->convert.bytes,
                   "message size, where the result is for one size: from a grid, or to sender")
        ->type_name("SIZE");
    app.add_option("--unit", options->convert.unit,
                   "of a CSV's latencies: us (the default), ms or s")
        ->type_name("us|ms|s");
    app.add_flag("--rtt", options->convert.round_trips,
                 "the CSV's cells are round trips; half of one is a latency");
    app.add_option("--bandwidth", options->bandwidth,
                   "bandwidths between the same nodes, beside a CSV of latencies")
        ->type_name("BANDWIDTH.csv");
    app.add_option(
           "--bandwidth-unit", options->convert.bandwidth_unit,
           "of its cells: bps (bits; the default), kbps, Mbps, Gbps, or Bps (bytes), kBps, …")
        ->type_name("UNIT");
    app.add_flag("--caps", options->convert.caps,
                 "a node sends, and receives, in all no more than the greatest of its bandwidths");
    app.add_flag("--in-flight", options->convert.in_flight,
                 "latencies pass while neither end is busy, so that the result is a grid of single "
                 "nodes; without it they are start-ups, which keep both ends busy");
    add_import_options(app, options->convert.import);
    add_source_options(app, options->convert.source);
    add_file_option(app, options->result, "NET.json");
    add_json_option(app, options->result);
    return [options](const Passed&) { run_convert(*options); };
}

}  // namespace espalier::cli
