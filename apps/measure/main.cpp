#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "measure/measure.hpp"
#include "measure/method/findings.hpp"
#include "network/json.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <functional>
#include <optional>
#include <string>

namespace {

using espalier::Error;
using espalier::ExitStatus;
using espalier::InputError;

struct Command {
    espalier::measure::Options options;
    std::string output;
    bool json = false;
    bool help = false;
    std::string help_text;
};

/// What the command line asks for. Throws InputError.
Command parse(int argc, char** argv) {
    Command command;
    std::string budget = "10s";
    std::string tolerance = "0.2";
    CLI::App app{"Measures the network under an MPI job: run it with every rank of the job.",
                 "espalier measure"};
    app.add_option("-o,--output", command.output, "network file to write; - is standard output")
        ->type_name("NET.json");
    app.add_option("--budget", budget, "what the measuring may take, such as 10s")
        ->type_name("TIME")
        ->capture_default_str();
    app.add_option("--tolerance", tolerance, "by how much latencies in one cluster may differ")
        ->type_name("NUMBER")
        ->capture_default_str();
    app.add_flag("--symmetric", command.options.symmetric,
                 "measure one direction of each link between clusters, for both");
    app.add_flag("--json", command.json, "print the network on standard output");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        command.help = true;
        command.help_text = app.help();
    } catch (const CLI::ParseError& error) {
        throw InputError(error.what());
    }
    command.options.budget = espalier::parse_seconds(budget, "--budget");
    command.options.tolerance = espalier::parse_number(tolerance, "--tolerance");
    if (command.json && command.output.empty()) command.output = "-";
    return command;
}

/// Does something on rank 0, which may fail; every rank returns how it ended.
int on_first_rank(int rank, const std::function<void()>& action) {
    int status = 0;
    if (rank == 0) {
        try {
            action();
        } catch (const Error& error) {
            fmt::print(stderr, "espalier: {}\n", error.what());
            status = static_cast<int>(error.status());
        }
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

void write(const Command& command, const espalier::network::Network& network) {
    if (!command.output.empty()) espalier::network::write_network(network, command.output);
    if (command.json && command.output != "-") espalier::network::write_network(network, "-");
    for (const auto& warning : network.measured().at("warnings"))
        fmt::print(stderr, "espalier: warning: {}\n", warning.get<std::string>());
    fmt::print(stderr, "espalier: {}\n", espalier::measure::summary(network));
}

int run(int argc, char** argv) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // Every rank reads the same command line; one of them speaks about it.
    std::optional<Command> command;
    std::string complaint;
    try {
        command = parse(argc, argv);
    } catch (const InputError& error) {
        complaint = error.what();
    }
    const int bad = on_first_rank(rank, [&] {
        if (!command) throw InputError(complaint);
        if (command->help) fmt::print("{}", command->help_text);
        if (!command->output.empty()) espalier::require_writable(command->output);
    });
    if (bad != 0 || !command || command->help) return bad;

    espalier::measure::ProgressBar bar(stderr);
    const bool watched = ::isatty(STDERR_FILENO) == 1;
    try {
        const auto network = espalier::measure::measure_network(MPI_COMM_WORLD, command->options,
                                                                watched ? &bar : nullptr);
        return on_first_rank(rank, [&] { write(*command, network); });
    } catch (const InputError& error) {
        // Options that make no sense: every rank found that out.
        return on_first_rank(rank, [&] { throw error; });
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int status = static_cast<int>(ExitStatus::internal_fault);
    try {
        status = run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "espalier: {}\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    MPI_Finalize();
    return status;
}
