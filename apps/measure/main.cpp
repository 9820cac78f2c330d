#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/progress_bar.hpp"
#include "core/prose.hpp"
#include "core/text.hpp"
#include "directory/sqlite_directory.hpp"
#include "line/measure_words.hpp"
#include "line/message.hpp"
#include "line/read_line.hpp"
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
using espalier::line::MeasureWords;

/// How long to wait for a directory before measuring, when giving up loses nothing.
constexpr espalier::Seconds wait_before{5};
/// How long to wait for a directory afterwards: what was measured may not be lost to a process that
/// keeps the directory locked.
constexpr espalier::Seconds wait_to_write{120};

struct Command {
    MeasureWords words;
    espalier::measure::Options options;
    std::optional<std::string> help;  ///< where it was asked for
};

/// Parses the command line. Throws InputError.
Command parse(int argc, char** argv) {
    Command command;
    MeasureWords& words = command.words;
    command.help = espalier::line::read_line(
        argc, argv, "espalier measure",
        "Measures the network under an MPI job: run it with every rank of the job.",
        [&](CLI::App& app) { add_measure_options(app, words); });
    command.options.symmetric = words.symmetric;
    command.options.compute = words.compute;
    command.options.kernel = words.kernel;
    command.options.budget = espalier::parse_seconds(words.budget, "--budget");
    command.options.tolerance = espalier::parse_number(words.tolerance, "--tolerance");
    if (words.json && words.output.empty()) words.output = "-";
    if (!words.kernel.empty() && !words.compute)
        throw InputError("--kernel", "", "makes no sense without --compute");
    if (words.compute && words.output.empty() && !words.into.empty())
        throw InputError("--compute", "", "a directory keeps no cycle times; give -o, too");
    if (!words.by.empty() && words.into.empty())
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

void require_outputs(const MeasureWords& words) {
    if (!words.output.empty()) espalier::require_writable(words.output);
    // Nothing is added, but in the way that something will be.
    if (!words.into.empty())
        SqliteDirectory(words.into, SqliteDirectory::Access::write, wait_before).add({});
}

void add_to_directory(const MeasureWords& words, const espalier::measure::Findings& findings) {
    const auto record = espalier::measure::to_record(findings, words.by);
    SqliteDirectory(words.into, SqliteDirectory::Access::write, wait_to_write)
        .add(record.measurements, record.hosts);
    fmt::print(stderr, "espalier: {} measurements added to {}\n", record.measurements.size(),
               words.into);
}

void write_network(const MeasureWords& words, const espalier::network::Network& network) {
    if (!words.output.empty()) espalier::network::write_network(network, words.output);
    if (words.json && words.output != "-") espalier::network::write_network(network, "-");
    if (words.table || ::isatty(STDERR_FILENO) == 1)
        // Its last part says what the warnings say.
        fmt::print(stderr, "{}\n",
                   to_text(espalier::overview::overview_of(network),
                           espalier::columns_of_tables(STDERR_FILENO)));
    else
        for (const auto& warning : network.measured().at("warnings"))
            espalier::line::warn(warning.get<std::string>());
    fmt::print(stderr, "espalier: {}\n", espalier::measure::summary(network));
}

void write(const MeasureWords& words, const espalier::measure::Measured& measured) {
    // Where one can't be written, the other is all the more wanted.
    try {
        if (!words.into.empty()) add_to_directory(words, measured.findings);
    } catch (const Error&) {
        write_network(words, measured.network);
        throw;
    }
    write_network(words, measured.network);
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
        if (command->help) fmt::print("{}", *command->help);
        if (!command->help) require_outputs(command->words);
    });
    if (bad != 0 || !command || command->help) return bad;

    try {
        const auto measured = measure(rank, command->options);
        return on_first_rank(rank, [&] { write(command->words, measured); });
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
