#include "commands/all.hpp"
#include "commands/mpi_flavour.hpp"
#include "core/command.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"
#include "directory/open_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace espalier::cli {

namespace {

struct RunOptions {
    std::string ranks;
    std::string mpi;
};

MpiFlavour choose_flavour(const RunOptions& options, const Words& program) {
    std::optional<MpiFlavour> stated;
    if (!options.mpi.empty()) stated = parse_mpi_flavour(options.mpi, "--mpi");
    const std::optional<MpiFlavour> linked = flavour_of_program(program);
    if (!stated && !linked)
        throw InputError(program.front(), "",
                         "is not linked with Open MPI or MPICH as far as can be seen; say which "
                         "it loads with --mpi openmpi|mpich");
    if (stated && linked && *stated != *linked)
        throw InputError("--mpi", "",
                         fmt::format("'{}' is linked with {}", program.front(), title_of(*linked)));
    return stated ? *stated : *linked;
}

/// NAME=value of all that concerns us in this process's environment.
Words own_variables() {
    Words found;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (text.starts_with("ESPALIER=") || text.starts_with("ESPALIER_"))
            found.emplace_back(text);
    }
    std::ranges::sort(found);
    return found;
}

/// The launcher's words that set a variable in every rank's environment.
Words setting(MpiFlavour flavour, const std::string& assignment) {
    if (flavour == MpiFlavour::openmpi) return {"-x", assignment};
    const std::size_t equals = assignment.find('=');
    return {"-genv", assignment.substr(0, equals), assignment.substr(equals + 1)};
}

std::string preload_list(MpiFlavour flavour) {
    const std::string name = fmt::format("libespalier-{}.so", name_of(flavour));
    const auto library = find_companion(name);
    if (!library)
        throw InputError(name, "",
                         fmt::format("not found beside espalier or in its library folder (was it "
                                     "built with {}?)",
                                     title_of(flavour)));
    const std::string others = environment("LD_PRELOAD").value_or("");
    return others.empty() ? *library : *library + ":" + others;
}

/// What mpirun says of a missing file of hosts is long, and not of the file.
void require_host_files(const Words& options) {
    constexpr std::array names{"hostfile", "machinefile", "default-hostfile", "f"};
    for (std::size_t i = 0; i + 1 < options.size(); ++i) {
        const std::string_view word = options[i];
        if (!word.starts_with('-')) continue;
        const std::string_view name = word.substr(word.starts_with("--") ? 2 : 1);
        if (std::ranges::find(names, name) != names.end()) (void)read_file(options[i + 1]);
    }
}

void run_run(const RunOptions& options, const Passed& passed) {
    if (passed.program.empty())
        throw InputError("run", "",
                         passed.options.empty()
                             ? "no program; call it as espalier run -n 4 ./program"
                             : fmt::format("no program; -- stands between mpirun's options, such "
                                           "as {}, and the program",
                                           passed.options.front()));
    // Ranks may run where the directory is not, and read a network of one time.
    if (const std::string network = environment("ESPALIER_NETWORK").value_or("");
        directory::is_source(network))
        throw InputError("ESPALIER_NETWORK", "",
                         fmt::format("{} is a directory of measurements; espalier directory "
                                     "export writes the network of a time, for a program",
                                     network));
    if (!options.ranks.empty()) (void)parse_count(options.ranks, "-n", 1);
    require_host_files(passed.options);
    const MpiFlavour flavour = choose_flavour(options, passed.program);
    Words words{find_launcher(flavour)};
    const auto append = [&](const Words& more) {
        words.insert(words.end(), more.begin(), more.end());
    };
    if (!options.ranks.empty()) append({"-n", options.ranks});
    for (const std::string& assignment : own_variables()) append(setting(flavour, assignment));
    if (!environment("ESPALIER_REPORT")) append(setting(flavour, "ESPALIER_REPORT=summary"));
    append(setting(flavour, "LD_PRELOAD=" + preload_list(flavour)));
    append(passed.options);
    append(passed.program);
    become(words);
}

/// `--mpi=x` as two words; nullopt where the word is something else.
std::optional<Words> assigned(const std::string& word) {
    const std::string prefix = "--mpi=";
    if (!word.starts_with(prefix)) return std::nullopt;
    return Words{"--mpi", word.substr(prefix.size())};
}

}  // namespace

Split split_run(const Words& words) {
    Split split;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        // Behind an option of mpirun a word may be its value.
        const bool is_program = split.passed.options.empty() && !word.starts_with('-');
        if (word == "--" || is_program) {
            const auto first = words.begin() + static_cast<std::ptrdiff_t>(i);
            split.passed.program.assign(is_program ? first : first + 1, words.end());
            break;
        }
        const bool is_count = word == "-n" || word == "-np" || word == "--np";
        if (word == "-h" || word == "--help") {
            split.own.push_back("--help");
        } else if (is_count || word == "--mpi") {
            split.own.push_back(is_count ? "-n" : word);
            if (i + 1 < words.size()) split.own.push_back(words[++i]);
        } else if (const auto pair = assigned(word)) {
            split.own.insert(split.own.end(), pair->begin(), pair->end());
        } else {
            split.passed.options.push_back(word);
        }
    }
    return split;
}

Action add_run(CLI::App& app) {
    auto options = std::make_shared<RunOptions>();
    app.add_option("-n,--np", options->ranks, "number of processes")->type_name("N");
    app.add_option("--mpi", options->mpi,
                   "the MPI of the program: openmpi or mpich (told from the program)")
        ->type_name("openmpi|mpich");
    app.footer(
        "  espalier run [-n N] [--mpi openmpi|mpich] PROGRAM ...\n"
        "  espalier run [-n N] [--mpi openmpi|mpich] [mpirun's options] -- PROGRAM ...\n\n"
        "Starts PROGRAM under its own MPI's mpirun with the library preloaded, and ends with its "
        "exit status. Words before -- that are not listed here go to mpirun as they are; "
        "variables that begin with ESPALIER go to every rank. Without ESPALIER_NETWORK the network "
        "is measured when PROGRAM starts for the first time on its hosts, and kept. When PROGRAM "
        "ends, a few lines on stderr say what it gained (ESPALIER_REPORT).");
    return [options](const Passed& passed) { run_run(*options, passed); };
}

}  // namespace espalier::cli
