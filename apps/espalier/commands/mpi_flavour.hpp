#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::cli {

/// The MPI libraries whose programs run here.
enum class MpiFlavour { openmpi, mpich };
[[nodiscard]] std::string_view name_of(MpiFlavour flavour);
/// The usual spelling of its name.
[[nodiscard]] std::string_view title_of(MpiFlavour flavour);
/// `openmpi` or `mpich`; throws InputError that names `where`.
[[nodiscard]] MpiFlavour parse_mpi_flavour(std::string_view text, const std::string& where);

/// Takes `--mpi NAME` out of words for a program that knows no such option. Throws InputError.
[[nodiscard]] std::optional<MpiFlavour> take_mpi_option(std::vector<std::string>& words);

/// Whether some launcher of MPI programs started this process.
[[nodiscard]] bool is_under_launcher();
/// The MPI whose launcher started this process; nullopt if none did, or one of several MPIs, as
/// Slurm's srun is.
[[nodiscard]] std::optional<MpiFlavour> flavour_of_launcher();

/// The MPI that a command is linked with: its program, the interpreter of a script, or else the
/// first of its arguments that is a program linked with one (`nice ./solver`, `valgrind ./solver`).
/// Programs that load MPI only while they run can't be told. Throws InputError if the program does
/// not exist.
[[nodiscard]] std::optional<MpiFlavour> flavour_of_program(const std::vector<std::string>& command);

/// The program that a command becomes under an MPI: espalier-measure-openmpi. Throws InputError if
/// it is not there.
[[nodiscard]] std::string find_mpi_program(std::string_view command, MpiFlavour flavour);
/// The MPI of the launcher that started this process, or else the only one there is such a program
/// for. Throws InputError where several are.
[[nodiscard]] MpiFlavour flavour_at_hand(std::string_view command);

/// The path of its mpirun. Throws InputError if it is not installed.
[[nodiscard]] std::string find_launcher(MpiFlavour flavour);

}  // namespace espalier::cli
