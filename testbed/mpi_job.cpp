#include "testbed/mpi_job.hpp"

#include "core/command.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "testbed/client.hpp"
#include "testbed/tun.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

namespace espalier::testbed {

namespace {

std::uint64_t number_in(const std::string& option, const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end)
        throw InputError(option, "", fmt::format("{:?} is not a whole number", text));
    return number;
}

std::uint64_t positive_in(const std::string& option, const std::string& text) {
    const std::uint64_t number = number_in(option, text);
    if (number == 0) throw InputError(option, "", "at least 1 was expected");
    return number;
}

std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> names;
    std::istringstream rest(text);
    for (std::string name; std::getline(rest, name, ',');) names.push_back(name);
    return names;
}

/// Those that the job asks for, all of which are there.
std::vector<std::string> hosts_to_use(const MpiJob& job, const std::vector<HostEntry>& hosts) {
    std::vector<std::string> names;
    for (const HostEntry& host : hosts) names.push_back(host.name);
    if (job.hosts.empty()) return names;
    for (const std::string& name : job.hosts)
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw InputError("--hosts", "", fmt::format("no host {:?}", name));
    return job.hosts;
}

std::string patient_library() {
    if (const auto file = find_companion("libespalier-patient.so")) return *file;
    throw InputError("libespalier-patient.so", "", "not found; --eager does without it");
}

/// The program, with the shim before whatever else is preloaded into the ranks.
std::vector<std::string> patient(std::vector<std::string> program) {
    std::vector<std::string> words{"/bin/sh", "-c",
                                   R"(LD_PRELOAD=$0${LD_PRELOAD:+:$LD_PRELOAD} exec "$@")",
                                   patient_library()};
    words.insert(words.end(), std::make_move_iterator(program.begin()),
                 std::make_move_iterator(program.end()));
    return words;
}

std::vector<std::string> launcher_words(MpiJob::Flavour flavour, const std::string& hosts,
                                        const std::string& ranks, const std::string& agent) {
    if (flavour == MpiJob::Flavour::mpich)
        return {"mpiexec.mpich", "-launcher", "ssh",       "-launcher-exec",
                agent,           "-iface",    device_name, "-hosts",
                hosts,           "-n",        ranks};
    return {"mpirun.openmpi", "--mca", "plm_rsh_agent", agent, "--mca", "plm_rsh_no_tree_spawn",
            "1", "--mca", "btl", "tcp,self", "--mca", "pml", "ob1", "--mca", "btl_tcp_if_include",
            device_name, "--mca", "oob_tcp_if_include", device_name, "--mca", "mpi_yield_when_idle",
            "1",
            // poll() looks at every connection each time; many hosts share few processors.
            "--mca", "opal_event_include", "epoll", "--bind-to", "none", "--map-by", "slot",
            "--host", hosts, "-n", ranks};
}

std::vector<std::string> environment_of(MpiJob::Flavour flavour, const State& state) {
    std::vector<std::string> variables = environment_on(state);
    if (flavour == MpiJob::Flavour::mpich) {
        variables.emplace_back("UCX_TLS=tcp,self");
        variables.push_back(fmt::format("UCX_NET_DEVICES={}", device_name));
    }
    return variables;
}

}  // namespace

MpiJob parse_mpi_job(const std::vector<std::string>& words,
                     const std::vector<std::string>& program) {
    MpiJob job;
    job.program = program;
    if (words.empty() || (words[0] != "openmpi" && words[0] != "mpich"))
        throw InputError("mpirun", "", "openmpi or mpich was expected");
    if (program.empty()) throw InputError("mpirun", "", "no program: -- PROGRAM was expected");
    if (words[0] == "mpich") job.flavour = MpiJob::Flavour::mpich;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        const auto value = [&] {
            if (i + 1 == words.size()) throw InputError(word, "", "a value was expected");
            return words[++i];
        };
        if (word == "-n" || word == "-np")
            job.ranks = number_in(word, value());
        else if (word == "--hosts")
            job.hosts = split_at_commas(value());
        else if (word == "--ranks-per-host")
            job.ranks_per_host = positive_in(word, value());
        else if (word == "--shuffled")
            job.shuffled = number_in(word, value());
        else if (word == "--name")
            job.name = value();
        else if (word == "--eager")
            job.eager = true;
        else
            job.options.push_back(word);
    }
    return job;
}

std::vector<std::string> hosts_of_job(const MpiJob& job, const std::vector<HostEntry>& hosts) {
    std::vector<std::string> names = hosts_to_use(job, hosts);
    const std::size_t each = job.ranks_per_host;
    const std::size_t ranks = job.ranks.value_or(names.size() * each);
    if (ranks < 1 || (ranks - 1) / each >= names.size())
        throw InputError("-n", "",
                         fmt::format("{} ranks on {} hosts, {} on each", ranks, names.size(),
                                     each == 1 ? "one" : std::to_string(each)));
    names.resize((ranks - 1) / each + 1);
    if (job.shuffled) {
        Random random(*job.shuffled);
        for (std::size_t i = names.size(); i > 1; --i)
            std::swap(names[i - 1], names[random.below(i)]);
    }
    return names;
}

int run_mpi_job(const MpiJob& job) {
    const State state(name_of_testbed(job.name));
    const std::vector<std::string> hosts = hosts_of_job(job, state.hosts());
    const std::size_t each = job.ranks_per_host;
    const std::string separator = each == 1 ? "," : fmt::format(":{},", each);
    std::string listed = fmt::format("{}", fmt::join(hosts, separator));
    if (each > 1) listed += fmt::format(":{}", each);
    std::vector<std::string> words =
        launcher_words(job.flavour, listed, std::to_string(job.ranks.value_or(hosts.size() * each)),
                       state.agent());
    words.insert(words.end(), job.options.begin(), job.options.end());
    const std::vector<std::string> program = job.eager ? job.program : patient(job.program);
    words.insert(words.end(), program.begin(), program.end());
    // On the host of rank 0: Open MPI puts its own host first.
    return run_on_host(state, hosts.front(), words, environment_of(job.flavour, state));
}

}  // namespace espalier::testbed
