#include "commands/all.hpp"
#include "commands/mpi_flavour.hpp"
#include "core/command.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "doctor/report.hpp"
#include "frontend/host_list.hpp"
#include "line/doctor_words.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace espalier::cli {

namespace {

struct DoctorOptions {
    line::DoctorWords words;
    std::string hosts;
    std::string mpi;
    std::string from;
};

/// What was seen before is judged anew.
void judge_file(const DoctorOptions& options) {
    Json storage;
    const JsonValue document = JsonValue::parse(options.from, read_file(options.from), storage);
    doctor::deliver(doctor::read_document(document), options.words.output, options.words.json);
}

/// The launcher's words for one process on each host of a file.
Words launcher_of(const DoctorOptions& options, MpiFlavour flavour) {
    const std::string count = std::to_string(frontend::hosts_in_file(options.hosts).size());
    if (flavour == MpiFlavour::mpich)
        return {find_launcher(flavour), "-f", options.hosts, "-ppn", "1", "-n", count};
    return {find_launcher(flavour), "--hostfile", options.hosts, "--map-by",
            "ppr:1:node",           "-n",         count};
}

MpiFlavour flavour_to_launch(const DoctorOptions& options) {
    if (!options.mpi.empty()) return parse_mpi_flavour(options.mpi, "--mpi");
    const std::string of_mpich = fmt::format("espalier-doctor-{}", name_of(MpiFlavour::mpich));
    const std::string of_openmpi = fmt::format("espalier-doctor-{}", name_of(MpiFlavour::openmpi));
    return find_companion(of_mpich) && !find_companion(of_openmpi) ? MpiFlavour::mpich
                                                                   : MpiFlavour::openmpi;
}

void launch(const DoctorOptions& options) {
    if (options.hosts.empty())
        throw InputError("doctor", "",
                         "not under an MPI launcher, and no --hostfile; call it as mpirun -n 8 "
                         "espalier doctor or as espalier doctor --hostfile HOSTS");
    const MpiFlavour flavour = flavour_to_launch(options);
    Words words = launcher_of(options, flavour);
    words.push_back(find_mpi_program("doctor", flavour));
    if (!options.words.output.empty()) {
        words.emplace_back("-o");
        words.push_back(options.words.output);
    }
    if (options.words.json) words.emplace_back("--json");
    become(words);
}

/// Under a launcher the program reads the options, since one of its ranks may speak for all.
void join(Words options) {
    const auto stated = take_mpi_option(options);
    Words words{find_mpi_program("doctor", stated ? *stated : flavour_at_hand("doctor"))};
    words.insert(words.end(), options.begin(), options.end());
    become(words);
}

void run_doctor(const DoctorOptions& options, const Passed& passed) {
    if (is_under_launcher()) return join(passed.options);
    if (options.from.empty()) return launch(options);
    if (!options.hosts.empty())
        throw InputError("--hostfile", "", "makes no sense with --from, which looks at nothing");
    judge_file(options);
}

}  // namespace

Split split_doctor(const Words& words) {
    return is_under_launcher() ? Split{{}, {words, {}}} : Split{words, {}};
}

Action add_doctor(CLI::App& app) {
    const auto options = std::make_shared<DoctorOptions>();
    app.add_option("--hostfile", options->hosts,
                   "hosts to look at, one a line: a process is started on each by mpirun")
        ->type_name("HOSTS");
    line::add_doctor_options(app, options->words);
    app.add_option("--from", options->from, "judge what a file of -o holds, and look at nothing")
        ->type_name("DOCTOR.json");
    app.add_option("--mpi", options->mpi,
                   "whose mpirun, or under srun, whose ranks (the launcher's, else that which "
                   "there is)")
        ->type_name("openmpi|mpich");
    app.footer(
        "Call it under mpirun with a rank on each host, or with --hostfile. Hosts send each other "
        "datagrams for some seconds, on every interface that they have in common, and compare "
        "settings, names and speed. What is unlike its peers is a fault, with the evidence and the "
        "setting or command that mends it; what would be better everywhere is advice. Faults do "
        "not "
        "change the exit status: --json says which were found.");
    return [options](const Passed& passed) { run_doctor(*options, passed); };
}

}  // namespace espalier::cli
