#include "commands/all.hpp"
#include "commands/mpi_flavour.hpp"
#include "core/command.hpp"
#include "core/error.hpp"
#include "line/measure_words.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace espalier::cli {

namespace {

std::string program_for(MpiFlavour flavour) {
    return fmt::format("espalier-measure-{}", name_of(flavour));
}

/// Takes `--mpi NAME` out of the words, which the measuring program does not know.
std::optional<MpiFlavour> take_stated(Words& words) {
    const std::string option = "--mpi";
    for (auto word = words.begin(); word != words.end(); ++word) {
        const bool is_alone = *word == option;
        if (!is_alone && !word->starts_with(option + "=")) continue;
        if (is_alone && word + 1 == words.end())
            throw InputError(option, "", "openmpi or mpich was expected");
        const std::string name = is_alone ? *(word + 1) : word->substr(option.size() + 1);
        words.erase(word, word + (is_alone ? 2 : 1));
        return parse_mpi_flavour(name, option);
    }
    return std::nullopt;
}

/// That of the launcher, or the only one there is a measuring program for.
MpiFlavour flavour_at_hand() {
    if (const auto flavour = flavour_of_launcher()) return *flavour;
    std::optional<MpiFlavour> only;
    for (const MpiFlavour flavour : {MpiFlavour::openmpi, MpiFlavour::mpich}) {
        if (!find_companion(program_for(flavour))) continue;
        if (only)
            throw InputError("measure", "",
                             "started by srun, which starts programs of any MPI: say which with "
                             "--mpi openmpi|mpich");
        only = flavour;
    }
    return only.value_or(MpiFlavour::openmpi);
}

void measure(const Passed& passed) {
    if (!is_under_launcher())
        throw InputError("measure", "",
                         "not under an MPI launcher; call it as mpirun -n 8 espalier measure -o "
                         "NET.json");
    Words options = passed.options;
    const auto stated = take_stated(options);
    const MpiFlavour flavour = stated ? *stated : flavour_at_hand();
    const std::string name = program_for(flavour);
    const auto program = find_companion(name);
    if (!program)
        throw InputError(
            name, "",
            fmt::format("not found beside espalier (was it built with {}?)", title_of(flavour)));
    Words words{*program};
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
        ->option_text("openmpi|mpich");
    app.footer(
        "Every rank takes part: call it under mpirun, on the hosts to be measured, or as srun -n N "
        "espalier measure --mpi openmpi|mpich. It becomes the measuring program of the launcher's "
        "MPI: espalier-measure-openmpi or -mpich. Under "
        "SimGrid, give smpirun the program espalier-measure-smpi itself.");
    return [words, flavour](const Passed& passed) { measure(passed); };
}

}  // namespace espalier::cli
