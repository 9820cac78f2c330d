#include "commands/all.hpp"
#include "commands/mpi_flavour.hpp"
#include "core/command.hpp"
#include "core/error.hpp"
#include "line/measure_words.hpp"

#include <memory>
#include <optional>
#include <string>

namespace espalier::cli {

namespace {

void measure(const Passed& passed) {
    if (!is_under_launcher())
        throw InputError("measure", "",
                         "not under an MPI launcher; call it as mpirun -n 8 espalier measure -o "
                         "NET.json");
    Words options = passed.options;
    const auto stated = take_mpi_option(options);
    Words words{find_mpi_program("measure", stated ? *stated : flavour_at_hand("measure"))};
    words.insert(words.end(), options.begin(), options.end());
    become(words);
}

}  // namespace

Split split_measure(const Words& words) {
    // Under a launcher the measuring program explains itself.
    const bool help = !is_under_launcher() && words.size() == 1 &&
                      (words.front() == "--help" || words.front() == "-h");
    return help ? Split{words, {}} : Split{{}, {words, {}}};
}

Action add_measure(CLI::App& app) {
    // They are read by the program that it becomes.
    const auto words = std::make_shared<line::MeasureWords>();
    add_measure_options(app, *words);
    const auto flavour = std::make_shared<std::string>();
    app.add_option("--mpi", *flavour, "under srun, which starts programs of any MPI: whose ranks")
        ->type_name("openmpi|mpich");
    app.footer(
        "Every rank takes part: call it under mpirun, on the hosts to be measured, or as srun -n N "
        "espalier measure --mpi openmpi|mpich. It becomes the measuring program of the launcher's "
        "MPI: espalier-measure-openmpi or -mpich. Under "
        "SimGrid, give smpirun the program espalier-measure-smpi itself.");
    return [words, flavour](const Passed& passed) { measure(passed); };
}

}  // namespace espalier::cli
