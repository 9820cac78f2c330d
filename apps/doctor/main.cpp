#include "core/error.hpp"
#include "core/files.hpp"
#include "core/progress_bar.hpp"
#include "core/subprocess.hpp"
#include "doctor/meeting.hpp"
#include "doctor/report.hpp"
#include "doctor/this_host.hpp"
#include "launcher.hpp"
#include "line/doctor_words.hpp"
#include "line/message.hpp"
#include "line/read_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace {

using espalier::Error;
using espalier::ExitStatus;
using espalier::InputError;
using espalier::apps::Launcher;
using espalier::line::DoctorWords;
namespace doctor = espalier::doctor;

/// The first rank: invites the others, and says what came of it.
void lead(const DoctorWords& words, const doctor::Host& here, Launcher& launcher) {
    const espalier::ProgressBar bar;
    const doctor::Meeting meeting = doctor::open_meeting(here);
    espalier::Subprocess own_part(
        [&] { return doctor::attend_meeting(meeting.invitation, 0, here) ? 0 : 1; }, SIGKILL);
    launcher.leave(doctor::card_of(here), meeting.invitation.text());
    // Not before, since the others wait for that.
    if (!words.output.empty()) espalier::require_writable(words.output);
    const doctor::Facts facts = doctor::hold_meeting(
        meeting, launcher.ranks(), [&](std::size_t rank) { return launcher.word_of(rank); },
        [&](const char* stage, double part) { bar.show(part, stage); });
    own_part.wait();
    if (facts.hosts.size() < 2)
        throw InputError("doctor", "",
                         "all ranks are on one host; start one on each host: mpirun -n 8 "
                         "--hostfile HOSTS espalier doctor");
    doctor::deliver(facts, words.output, words.json);
}

/// The others do what the first asks for.
void follow(const doctor::Host& here, Launcher& launcher) {
    launcher.leave(doctor::card_of(here), {});
    if (const auto invitation = doctor::Invitation::parse(launcher.for_all()))
        (void)doctor::attend_meeting(*invitation, launcher.rank(), here);
}

int run(int argc, char** argv, Launcher& launcher) {
    const bool is_first = launcher.rank() == 0;
    try {
        DoctorWords words;
        const auto help = espalier::line::read_line(
            argc, argv, "espalier doctor",
            "Looks for faults of the network under an MPI job: run it with a rank on each host.",
            [&](CLI::App& app) { add_doctor_options(app, words); });
        if (help) {
            if (is_first) fmt::print("{}", *help);
            return 0;
        }
        const doctor::Host here = doctor::describe_this_host();
        if (is_first)
            lead(words, here, launcher);
        else
            follow(here, launcher);
    } catch (const Error& error) {
        // Every rank reads the same command line; one of them speaks about it.
        if (!is_first) return 0;
        espalier::line::complain(error.what());
        return static_cast<int>(error.status());
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    int status = static_cast<int>(ExitStatus::internal_fault);
    try {
        std::unique_ptr<Launcher> launcher = espalier::apps::hydra_launcher();
        if (!launcher) launcher = espalier::apps::mpi_launcher(argc, argv);
        status = run(argc, argv, *launcher);
        (void)std::fflush(stdout);
    } catch (const std::exception& error) {
        espalier::line::complain(error.what());
    }
    return status;
}
