#include "testbed/check_command.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "testbed/check.hpp"
#include "testbed/read_topology.hpp"
#include "testbed/supervisor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace espalier::testbed {

namespace {

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

}  // namespace

int check_testbed(const std::string& file, const Settings& settings, bool json) {
    if (file == "-") throw InputError(file, "", "it is read twice, so that a file is needed");
    const State state(fmt::format("check-{}", getpid()));
    std::vector<std::string> words{this_program(), "check-running", file};
    if (json) words.emplace_back("--json");
    return run_in_testbed(read_topology(file), settings, state, words);
}

int check_running(const std::string& file, bool json) {
    const Topology topology = read_topology(file);
    if (topology.hosts.size() < 2) throw InputError(file, "", "one host has nobody to send to");
    const State state(name_of_testbed(std::nullopt));
    if (state.hosts().size() != topology.hosts.size())
        throw InputError(file, "", fmt::format("testbed {} has other hosts", state.name()));
    const Findings findings = check(topology, state, this_program());
    if (json)
        fmt::print("{}", espalier::to_text(to_json(findings)));
    else
        fmt::print("{}", to_text(findings));
    return static_cast<int>(findings.good() ? ExitStatus::done : ExitStatus::found_invalid);
}

}  // namespace espalier::testbed
