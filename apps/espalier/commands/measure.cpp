#include "commands/all.hpp"
#include "commands/mpi_flavour.hpp"
#include "core/command.hpp"
#include "core/error.hpp"

#include <fmt/format.h>

namespace espalier::cli {

namespace {

void measure(const Passed& passed) {
    const auto flavour = flavour_of_launcher();
    if (!flavour)
        throw InputError("measure", "",
                         "not under an MPI launcher; call it as mpirun -n 8 espalier measure -o "
                         "NET.json");
    const std::string name = fmt::format("espalier-measure-{}", name_of(*flavour));
    const auto program = find_companion(name);
    if (!program)
        throw InputError(
            name, "",
            fmt::format("not found beside espalier (was it built with {}?)", title_of(*flavour)));
    Words words{*program};
    words.insert(words.end(), passed.options.begin(), passed.options.end());
    become(words);
}

}  // namespace

Split split_measure(const Words& words) {
    // Under a launcher the measuring program explains itself.
    const bool help = !flavour_of_launcher() && words.size() == 1 &&
                      (words.front() == "--help" || words.front() == "-h");
    return help ? Split{words, {}} : Split{{}, {words, {}}};
}

Action add_measure(CLI::App& app) {
    app.footer(
        "mpirun -n N espalier measure [-o NET.json] [--into DIR.db] [--budget 10s]\n\n"
        "Every rank takes part: call it under mpirun, on the hosts to be measured. It becomes the\n"
        "measuring program of the launcher's MPI: espalier-measure-openmpi or -mpich. Under\n"
        "SimGrid, give smpirun the program espalier-measure-smpi itself.");
    return measure;
}

}  // namespace espalier::cli
