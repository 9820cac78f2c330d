#include "libraries/host_files.hpp"

#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "core/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace espalier::libraries {

namespace {

using Names = std::vector<std::string>;

/// One line for each rank: of one for each host, Open MPI would put the host that it is started on
/// first.
std::string openmpi_hosts(const Names& hosts, std::size_t slots) {
    std::string text;
    for (const std::string& host : hosts)
        for (std::size_t slot = 0; slot < slots; ++slot) text += host + " slots=1\n";
    return text;
}

std::string openmpi_ranks(const Names& hosts, std::size_t slots) {
    std::string text;
    std::size_t rank = 0;
    for (const std::string& host : hosts)
        for (std::size_t slot = 0; slot < slots; ++slot)
            text += fmt::format("rank {}={} slot={}\n", rank++, host, slot);
    return text;
}

std::string mpich_hosts(const Names& hosts, std::size_t slots) {
    std::string text;
    for (const std::string& host : hosts) text += fmt::format("{}:{}\n", host, slots);
    return text;
}

/// One line for each task.
std::string slurm_hosts(const Names& hosts, std::size_t slots) {
    std::string text;
    for (const std::string& host : hosts)
        for (std::size_t slot = 0; slot < slots; ++slot) text += host + "\n";
    return text;
}

std::string torchrun_hosts(const Names& hosts, std::size_t slots) {
    std::string text;
    for (std::size_t node = 0; node < hosts.size(); ++node)
        text += fmt::format(
            "{} --nnodes={} --node_rank={} --nproc_per_node={} --master_addr={} "
            "--master_port=29500\n",
            hosts[node], hosts.size(), node, slots, hosts.front());
    return text;
}

constexpr std::array known_host_files{
    HostFile{"openmpi", "openmpi", "mpirun --map-by seq --hostfile FILE PROGRAM", openmpi_hosts},
    HostFile{"openmpi-rankfile", "openmpi", "mpirun --rankfile FILE PROGRAM", openmpi_ranks},
    HostFile{"mpich", "mpich", "mpiexec -f FILE PROGRAM", mpich_hosts},
    HostFile{"slurm", "openmpi", "SLURM_HOSTFILE=FILE srun --distribution=arbitrary PROGRAM",
             slurm_hosts},
    HostFile{"torchrun", "gloo",
             "while read -r host options; do ssh -n \"$host\" torchrun $options PROGRAM & done < "
             "FILE; wait",
             torchrun_hosts},
};

}  // namespace

std::span<const HostFile> host_files() { return known_host_files; }

const HostFile& find_host_file(std::string_view name, const std::string& where) {
    const auto* const found = std::ranges::find(known_host_files, name, &HostFile::name);
    if (found != known_host_files.end()) return *found;
    std::vector<std::string> names;
    for (const HostFile& file : known_host_files) names.emplace_back(file.name);
    throw InputError(where, "",
                     fmt::format("'{}' is none of {}{}", name, listed(names, names.size()),
                                 did_you_mean(std::string(name), {names.begin(), names.end()})));
}

}  // namespace espalier::libraries
