#include "commands/all.hpp"
#include "commands/directory_add.hpp"
#include "commands/directory_show.hpp"
#include "core/error.hpp"
#include "core/json_text.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "directory/assemble.hpp"
#include "directory/open_source.hpp"
#include "directory/sqlite_directory.hpp"
#include "directory/time.hpp"
#include "frontend/input.hpp"
#include "inputs/network_source.hpp"
#include "network/json.hpp"
#include "outputs/result.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>

namespace espalier::cli {

namespace {

using directory::SqliteDirectory;

struct ExportOptions {
    std::string directory;
    SourceOptions source;
    std::string model;
    std::string tolerance = "0.2";
    ResultOptions result;
};

struct PruneOptions {
    std::string directory;
    std::string before;
    std::string older_than;
    std::string wait;
    ResultOptions result;
};

/// The action of the command below `directory` that was chosen.
using Chosen = std::shared_ptr<std::function<void()>>;

void export_network(const ExportOptions& options) {
    require_writable(options.result);
    directory::AssembleOptions wanted;
    wanted.rule = frontend::rule_of(options.source);
    if (!options.model.empty()) wanted.model = directory::parse_model(options.model, "--model");
    wanted.tolerance = frontend::parse_fraction(options.tolerance, "--tolerance");
    const network::Network network =
        frontend::read_source(options.directory, frontend::time_of(options.source), wanted, warn);
    deliver_file(options.result, to_text(to_json(network)),
                 fmt::format("{}: a {} network of {}\n", options.result.file, network.model_name(),
                             counted(size(network), network.grid() ? "cluster" : "node")));
}

void prune(const PruneOptions& options) {
    if (options.before.empty() == options.older_than.empty())
        throw InputError("directory prune", "", "one of --before and --older-than is needed");
    const directory::Time present = directory::now();
    const directory::Time time =
        options.before.empty()
            ? directory::before(present, parse_seconds(options.older_than, "--older-than"))
            : directory::parse_time(options.before, "--before", present);
    const Seconds wait = directory_wait(options.wait);
    // Pruning makes no directory.
    { const SqliteDirectory exists(options.directory, SqliteDirectory::Access::read, wait); }
    SqliteDirectory target(options.directory, SqliteDirectory::Access::write, wait);
    const std::size_t gone = target.prune(time);
    deliver(options.result, {{"format", "espalier-directory"}, {"version", 1}, {"pruned", gone}},
            [&] {
                return fmt::format("{}: {} from before {} removed\n", options.directory,
                                   counted(gone, "measurement"), directory::format_time(time));
            });
}

void add_directory_argument(CLI::App& app, std::string& directory, const std::string& what) {
    app.add_option("DIRECTORY", directory, what)->type_name("")->required();
}

void add_wait_option(CLI::App& app, std::string& wait) {
    app.add_option("--wait", wait, "how long to wait for others that hold the file (10s)")
        ->type_name("TIME");
}

void declare_add(CLI::App& app, const Chosen& chosen) {
    auto options = std::make_shared<DirectoryAddOptions>();
    add_directory_argument(app, options->directory, "a directory file; made where there is none");
    app.add_option("FILES", options->files,
                   "networks or measurements (JSON), measurements or latencies (CSV), or other "
                   "directories")
        ->type_name("");
    app.add_option("--from", options->from, "one measurement: who sent")->type_name("NODE");
    app.add_option("--to", options->to,
                   "who received (the sender itself: between processes there); a bandwidth "
                   "without one of both ends is a node's total")
        ->type_name("NODE");
    app.add_option("--latency", options->latency, "such as 10ms")->type_name("TIME");
    app.add_option("--bandwidth", options->bandwidth, "such as 1MB/s, or bytes per second")
        ->type_name("RATE");
    app.add_option("--gap", options->gap, "how long a message keeps its sender's port busy")
        ->type_name("TIME");
    app.add_option("--bytes", options->bytes, "size of the messages; needed for a gap")
        ->type_name("SIZE");
    app.add_option("--while", options->meanwhile, "who else was sending all the while")
        ->type_name("C:D,E:F");
    app.add_option("--by", options->by, "who measured (the file, or this user)")->type_name("NAME");
    app.add_option("--at", options->at,
                   "when: a time (UTC), or so long ago (what files say, or now)")
        ->type_name("TIME|-2h|now");
    app.add_option("--unit", options->unit, "of a CSV's latencies: us (the default), ms or s")
        ->type_name("us|ms|s");
    add_wait_option(app, options->wait);
    add_json_option(app, options->result);
    app.final_callback([=] { *chosen = [=] { add_to_directory(*options); }; });
}

void declare_show(CLI::App& app, const Chosen& chosen) {
    auto options = std::make_shared<DirectoryShowOptions>();
    add_directory_argument(app, options->directory, "a directory file");
    app.add_option("--pair", options->pair, "all that was ever measured of this pair")
        ->type_name("A:B");
    app.add_option("--at", options->at, "nothing that is newer")->type_name("TIME|-2h|now");
    add_wait_option(app, options->wait);
    add_file_option(app, options->result, "MEASUREMENTS.json");
    add_json_option(app, options->result);
    app.final_callback([=] { *chosen = [=] { show_directory(*options); }; });
}

void declare_export(CLI::App& app, const Chosen& chosen) {
    auto options = std::make_shared<ExportOptions>();
    add_directory_argument(app, options->directory,
                           "a directory file, or the URL of a Prometheus server");
    add_source_options(app, options->source);
    app.add_option("--model", options->model, "pairwise or grid (whichever says it all)")
        ->type_name("MODEL");
    app.add_option("--tolerance", options->tolerance,
                   "how much latencies inside a cluster may differ: 0.2 or 20%")
        ->type_name("NUMBER")
        ->capture_default_str();
    add_file_option(app, options->result, "NET.json");
    add_json_option(app, options->result);
    app.final_callback([=] { *chosen = [=] { export_network(*options); }; });
}

void declare_prune(CLI::App& app, const Chosen& chosen) {
    auto options = std::make_shared<PruneOptions>();
    add_directory_argument(app, options->directory, "a directory file");
    app.add_option("--before", options->before, "forget what was measured before this time")
        ->type_name("TIME|-2h|now");
    app.add_option("--older-than", options->older_than, "forget what is older, such as 30d")
        ->type_name("TIME");
    add_wait_option(app, options->wait);
    add_json_option(app, options->result);
    app.final_callback([=] { *chosen = [=] { prune(*options); }; });
}

}  // namespace

Action add_directory(CLI::App& app) {
    auto chosen = std::make_shared<std::function<void()>>();
    app.require_subcommand(1);
    const auto declare = [&](const char* name, const char* summary, const auto& options) {
        options(*app.add_subcommand(name, summary), chosen);
    };
    declare("add", "add measurements, all or none", declare_add);
    declare("show", "what is known of each pair, or was of one", declare_show);
    declare("export", "write the network as it was known at a time", declare_export);
    declare("prune", "forget old measurements", declare_prune);
    return [chosen](const Passed&) { (*chosen)(); };
}

}  // namespace espalier::cli
