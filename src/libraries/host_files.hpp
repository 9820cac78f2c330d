#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::libraries {

/// A file, or lines, by which a launcher numbers the ranks of a job in the order of these hosts.
struct HostFile {
    std::string_view name;     ///< as options say it
    std::string_view library;  ///< whose collectives such jobs usually call
    std::string_view use;      ///< the command that reads it, `FILE` standing for its name
    std::string (*text)(const std::vector<std::string>& hosts, std::size_t slots);
};

/// openmpi (a host file), openmpi-rankfile, mpich (a machine file), slurm (a host file for
/// --distribution=arbitrary) and torchrun (the options for each host).
[[nodiscard]] std::span<const HostFile> host_files();
/// Throws InputError naming `where` for a name of none.
[[nodiscard]] const HostFile& find_host_file(std::string_view name, const std::string& where);

}  // namespace espalier::libraries
