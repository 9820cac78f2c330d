#include "commands/mpi_flavour.hpp"

#include "core/command.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

namespace espalier::cli {

namespace {

constexpr std::array flavours{MpiFlavour::openmpi, MpiFlavour::mpich};

/// The dynamic loader that a 64-bit program asks for; empty for any other file.
std::string loader_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    Elf64_Ehdr header{};
    if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
        return {};
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment{};
        file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
        if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
        constexpr std::size_t longest_path = 4096;
        if (segment.p_type != PT_INTERP || segment.p_filesz > longest_path) continue;
        std::string loader(segment.p_filesz, '\0');
        file.seekg(static_cast<std::streamoff>(segment.p_offset));
        file.read(loader.data(), static_cast<std::streamsize>(loader.size()));
        return loader.substr(0, loader.find('\0'));
    }
    return {};
}

std::optional<MpiFlavour> flavour_of_library(std::string_view name) {
    if (name.starts_with("libmpich.so")) return MpiFlavour::mpich;
    // The number is that of the common ABI of MPICH and its kin; Open MPI has others.
    if (name == "libmpi.so.12") return MpiFlavour::mpich;
    if (name.starts_with("libmpi.so")) return MpiFlavour::openmpi;
    return std::nullopt;
}

/// What a file is to the command that is to be run.
enum class Role { program, argument };

/// Asks the loader, who knows every library that a program needs, whichever way. That of a program
/// is run with it in any case; what an argument names may be anything, and is asked only if its
/// loader is this program's own.
std::optional<MpiFlavour> flavour_of_binary(const std::string& path, Role role) {
    const std::string loader = loader_of(path);
    if (loader.empty()) return std::nullopt;
    if (role == Role::argument && loader != loader_of("/proc/self/exe")) return std::nullopt;
    std::istringstream libraries(run_command({loader, "--list", path}).output);
    for (std::string line; std::getline(libraries, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        if (const auto flavour = flavour_of_library(name)) return flavour;
    }
    return std::nullopt;
}

/// The words of a script's first line, such as `/usr/bin/env` and `python3`; empty for any other
/// file.
std::vector<std::string> interpreter_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    if (file.get() != '#' || file.get() != '!' || !std::getline(file, line)) return {};
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    return words;
}

std::optional<MpiFlavour> flavour_of_file(const std::string& path, Role role) {
    if (const auto flavour = flavour_of_binary(path, role)) return flavour;
    for (const std::string& word : interpreter_of(path))
        if (const auto program = find_program(word))
            if (const auto flavour = flavour_of_binary(*program, role)) return flavour;
    return std::nullopt;
}

std::string program_for(std::string_view command, MpiFlavour flavour) {
    return fmt::format("espalier-{}-{}", command, name_of(flavour));
}

bool is_set(const char* name) { return !environment(name).value_or("").empty(); }

}  // namespace

std::string_view name_of(MpiFlavour flavour) {
    return flavour == MpiFlavour::openmpi ? "openmpi" : "mpich";
}

std::string_view title_of(MpiFlavour flavour) {
    return flavour == MpiFlavour::openmpi ? "Open MPI" : "MPICH";
}

MpiFlavour parse_mpi_flavour(std::string_view text, const std::string& where) {
    for (const MpiFlavour flavour : flavours)
        if (text == name_of(flavour)) return flavour;
    throw InputError(where, "", fmt::format("'{}' is not openmpi or mpich", text));
}

std::optional<MpiFlavour> take_mpi_option(std::vector<std::string>& words) {
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

bool is_under_launcher() {
    return std::ranges::any_of(std::array{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                          "PMI_SIZE", "PMI_FD", "MPI_LOCALNRANKS"},
                               is_set);
}

std::optional<MpiFlavour> flavour_of_launcher() {
    if (is_set("OMPI_COMM_WORLD_SIZE")) return MpiFlavour::openmpi;
    if (is_set("MPI_LOCALNRANKS")) return MpiFlavour::mpich;
    // Slurm starts programs of either by any of its plug-ins.
    if (is_set("SLURM_STEP_ID") || !is_under_launcher()) return std::nullopt;
    return is_set("PMIX_RANK") ? MpiFlavour::openmpi : MpiFlavour::mpich;
}

std::string find_mpi_program(std::string_view command, MpiFlavour flavour) {
    const std::string name = program_for(command, flavour);
    if (const auto program = find_companion(name)) return *program;
    throw InputError(
        name, "",
        fmt::format("not found beside espalier (was it built with {}?)", title_of(flavour)));
}

MpiFlavour flavour_at_hand(std::string_view command) {
    if (const auto flavour = flavour_of_launcher()) return *flavour;
    std::optional<MpiFlavour> only;
    for (const MpiFlavour flavour : flavours) {
        if (!find_companion(program_for(command, flavour))) continue;
        if (only)
            throw InputError(std::string(command), "",
                             "started by srun, which starts programs of any MPI: say which with "
                             "--mpi openmpi|mpich");
        only = flavour;
    }
    return only.value_or(MpiFlavour::openmpi);
}

std::optional<MpiFlavour> flavour_of_program(const std::vector<std::string>& command) {
    const auto program = find_program(command.front());
    if (!program) throw InputError(command.front(), "", "no such program");
    if (const auto flavour = flavour_of_file(*program, Role::program)) return flavour;
    for (std::size_t i = 1; i < command.size(); ++i)
        if (const auto argument = find_program(command[i]))
            if (const auto flavour = flavour_of_file(*argument, Role::argument)) return flavour;
    return std::nullopt;
}

std::string find_launcher(MpiFlavour flavour) {
    const std::array<const char*, 2> own = flavour == MpiFlavour::openmpi
                                               ? std::array{"mpirun.openmpi", "orterun"}
                                               : std::array{"mpiexec.mpich", "mpiexec.hydra"};
    for (const char* name : own)
        if (const auto found = find_program(name)) return *found;
    const std::string_view mark = flavour == MpiFlavour::openmpi ? "Open MPI" : "HYDRA";
    for (const char* name : {"mpirun", "mpiexec"}) {
        const auto found = find_program(name);
        if (found && run_command({*found, "--version"}).output.find(mark) != std::string::npos)
            return *found;
    }
    throw InputError(fmt::format(
        "no launcher of {} was found (mpirun){}", title_of(flavour),
        is_set("SLURM_JOB_ID") ? "; srun starts programs with LD_PRELOAD set as well" : ""));
}

}  // namespace espalier::cli
