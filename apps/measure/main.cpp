#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/progress_bar.hpp"
#include "core/prose.hpp"
#include "core/text.hpp"
#include "directory/sqlite_directory.hpp"
#include "line/help.hpp"
#include "line/measure_words.hpp"
#include "line/message.hpp"
#include "line/suggest.hpp"
#include "measure/into/measurements.hpp"
#include "measure/measure.hpp"
#include "measure/method/findings.hpp"
#include "network/json.hpp"
#include "overview/text.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

namespace {

using espalier::Error;
using espalier::ExitStatus;
using espalier::InputError;
using espalier::directory::SqliteDirectory;

/// How long to wait for a directory before measuring, when giving up loses nothing.
constexpr espalier::Seconds wait_before{5};
/// How long to wait for a directory afterwards: what was measured may not be lost to a process that
/// keeps the directory locked.
constexpr espalier::Seconds wait_to_write{120};

struct Command {
    espalier::measure::Options options;
    std::string output;
    std::string into;
    std::string by;
    bool json = false;
    bool table = false;
    bool help = false;
    std::string help_text;
};

/// Parses the command line. Throws InputError.
Command parse(int argc, char** argv) {
    Command command;
    CLI::App app{"Measures the network under an MPI job: run it with every rank of the job.",
                 "espalier measure"};
    espalier::line::use_columns(app);
    espalier::line::MeasureWords words;
    espalier::line::add_measure_options(app, words);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        command.help = true;
        command.help_text = app.help();
    } catch (const CLI::ParseError& error) {
        espalier::line::refuse_left_over(app);
        throw InputError(error.what());
    }
    command.output = words.output;
    command.into = words.into;
    command.by = words.by;
    command.json = words.json;
    command.table = words.table;
    command.options.symmetric = words.symmetric;
    command.options.compute = words.compute;
    command.options.kernel = words.kernel;
    command.options.budget = espalier::parse_seconds(words.budget, "--budget");
    command.options.tolerance = espalier::parse_number(words.tolerance, "--tolerance");
    if (command.json && command.output.empty()) command.output = "-";
    if (!command.options.kernel.empty() && !command.options.compute)
        throw InputError("--kernel", "", "makes no sense without --compute");
    if (command.options.compute && command.output.empty() && !command.into.empty())
        throw InputError("--compute", "", "a directory keeps no cycle times; give -o, too");
    if (!command.by.empty() && command.into.empty())
        throw InputError("--by", "", "makes no sense without --into");
    return command;
}

/// Does something on rank 0, which may fail; every rank returns how it ended.
int on_first_rank(int rank, const std::function<void()>& action) {
    int status = 0;
    if (rank == 0) {
        try {
            action();
        } catch (const Error& error) {
            espalier::line::complain(error.what());
            status = static_cast<int>(error.status());
        }
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

void require_outputs(const Command& command) {
    if (!command.output.empty()) espalier::require_writable(command.output);
    // Nothing is added, but in the way that something will be.
    if (!command.into.empty())
        SqliteDirectory(command.into, SqliteDirectory::Access::write, wait_before).add({});
}

void add_to_directory(const Command& command, const espalier::measure::Findings& findings) {
    const auto record = espalier::measure::to_record(findings, command.by);
    SqliteDirectory(command.into, SqliteDirectory::Access::write, wait_to_write)
        .add(record.measurements, record.hosts);
    fmt::print(stderr, "espalier: {} measurements added to {}\n", record.measurements.size(),
               command.into);
}

void write_network(const Command& command, const espalier::network::Network& network) {
    if (!command.output.empty()) espalier::network::write_network(network, command.output);
    if (command.json && command.output != "-") espalier::network::write_network(network, "-");
    if (command.table || ::isatty(STDERR_FILENO) == 1)
        // Its last part says what the warnings say.
        fmt::print(stderr, "{}\n",
                   to_text(espalier::overview::overview_of(network),
                           espalier::columns_of_tables(STDERR_FILENO)));
    else
        for (const auto& warning : network.measured().at("warnings"))
            espalier::line::warn(warning.get<std::string>());
    fmt::print(stderr, "espalier: {}\n", espalier::measure::summary(network));
}

void write(const Command& command, const espalier::measure::Measured& measured) {
    // Where one can't be written, the other is all the more wanted.
    try {
        if (!command.into.empty()) add_to_directory(command, measured.findings);
    } catch (const Error&) {
        write_network(command, measured.network);
        throw;
    }
    write_network(command, measured.network);
}

espalier::measure::Measured measure(int rank, const espalier::measure::Options& options) {
    std::optional<espalier::ProgressBar> bar;
    if (rank == 0) bar.emplace();
    return espalier::measure::measure_in_detail(
        MPI_COMM_WORLD, options, [&](const std::string& stage, double part) {
            bar->show(part,
                      fmt::format("{:3.0f}% of the time: {}", 100 * std::min(part, 1.0), stage));
        });
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
        if (!command->help) require_outputs(*command);
    });
    if (bad != 0 || !command || command->help) return bad;

    try {
        const auto measured = measure(rank, command->options);
        return on_first_rank(rank, [&] { write(*command, measured); });
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
        espalier::line::complain(error.what());
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    MPI_Finalize();
    return status;
}
