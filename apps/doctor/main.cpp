#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/progress_bar.hpp"
#include "core/prose.hpp"
#include "core/subprocess.hpp"
#include "doctor/meeting.hpp"
#include "doctor/report.hpp"
#include "doctor/this_host.hpp"
#include "line/doctor_words.hpp"
#include "line/help.hpp"
#include "line/suggest.hpp"
#include "rendezvous.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <string>

namespace {

using espalier::Error;
using espalier::ExitStatus;
using espalier::InputError;
namespace doctor = espalier::doctor;

constexpr const char* invitation_name = "espalier-doctor";
constexpr double patience_s = 5;

std::string card_name(std::size_t rank) { return fmt::format("{}-{}", invitation_name, rank); }

struct Command {
    espalier::line::DoctorWords words;
    std::string help_text;  ///< where it was asked for
};

/// Parses the command line. Throws InputError.
Command parse(int argc, char** argv) {
    Command command;
    CLI::App app{
        "Looks for faults of the network under an MPI job: run it with a rank on each host.",
        "espalier doctor"};
    espalier::line::use_columns(app);
    espalier::line::add_doctor_options(app, command.words);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        command.help_text = app.help();
    } catch (const CLI::ParseError& error) {
        espalier::line::refuse_left_over(app);
        throw InputError(error.what());
    }
    if (command.words.json && command.words.output.empty()) command.words.output = "-";
    return command;
}

void write(const Command& command, const doctor::Facts& facts) {
    const auto findings = doctor::diagnose(facts);
    const std::string document = espalier::to_text(doctor::to_json(facts, findings));
    if (!command.words.output.empty()) espalier::write_file(command.words.output, document);
    if (command.words.json && command.words.output != "-") espalier::write_file("-", document);
    if (!command.words.json)
        fmt::print("{}",
                   doctor::to_text(facts, findings, espalier::columns_of_output(STDOUT_FILENO)));
}

/// The first rank: invites the others, and says what came of it.
void lead(const Command& command, const doctor::Host& here, std::size_t ranks) {
    if (!command.words.output.empty()) espalier::require_writable(command.words.output);
    const espalier::ProgressBar bar;
    const doctor::Meeting meeting = doctor::open_meeting(here);
    espalier::Subprocess own_part(
        [&] { return doctor::attend_meeting(meeting.invitation, 0, here) ? 0 : 1; }, SIGKILL);
    if (!espalier::apps::leave_word(invitation_name, meeting.invitation.text()))
        (void)espalier::apps::tell_all(meeting.invitation.text());
    const doctor::Facts facts = doctor::hold_meeting(
        meeting, ranks,
        [](std::size_t rank) { return espalier::apps::find_word(card_name(rank), 0); },
        [&](const char* stage, double part) { bar.show(part, stage); });
    own_part.wait();
    if (facts.hosts.size() < 2)
        throw InputError("doctor", "",
                         "all ranks are on one host; start one on each host: mpirun -n 8 "
                         "--hostfile HOSTS espalier doctor");
    write(command, facts);
}

/// The others do what the first asks for.
void follow(const doctor::Host& here, std::size_t rank) {
    std::string word = espalier::apps::find_word(invitation_name, patience_s);
    if (word.empty()) word = espalier::apps::tell_all({});
    if (const auto invitation = doctor::Invitation::parse(word))
        (void)doctor::attend_meeting(*invitation, rank, here);
}

int run(int argc, char** argv) {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    try {
        const Command command = parse(argc, argv);
        if (!command.help_text.empty()) {
            if (rank == 0) fmt::print("{}", command.help_text);
            return 0;
        }
        const doctor::Host here = doctor::describe_this_host();
        (void)espalier::apps::leave_word(card_name(static_cast<std::size_t>(rank)),
                                         doctor::card_of(here));
        if (rank == 0)
            lead(command, here, static_cast<std::size_t>(ranks));
        else
            follow(here, static_cast<std::size_t>(rank));
    } catch (const Error& error) {
        // Every rank reads the same command line; one of them speaks about it.
        if (rank == 0) fmt::print(stderr, "espalier: {}\n", error.what());
        return rank == 0 ? static_cast<int>(error.status()) : 0;
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int status = static_cast<int>(ExitStatus::internal_fault);
    try {
        status = run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "espalier: {}\n", error.what());
    }
    (void)std::fflush(stdout);
    MPI_Finalize();
    return status;
}
