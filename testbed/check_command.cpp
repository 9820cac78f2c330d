#include "testbed/check_command.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/text.hpp"
#include "testbed/check.hpp"
#include "testbed/read_topology.hpp"
#include "testbed/supervisor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace espalier::testbed {

namespace {

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

Seconds window_of(const CheckOptions& options) {
    const Seconds window = parse_seconds(options.window, "--time");
    if (!(window > Seconds(0))) throw InputError("--time", "", "0 where a time was expected");
    return window;
}

}  // namespace

int check_testbed(const CheckOptions& options, const Settings& settings) {
    if (options.file == "-")
        throw InputError(options.file, "", "it is read twice, so that a file is needed");
    (void)window_of(options);
    const State state(fmt::format("check-{}", getpid()));
    std::vector<std::string> words{this_program(), "check-running", options.file, "--time",
                                   options.window};
    if (options.json) words.emplace_back("--json");
    return run_in_testbed(read_topology(options.file), settings, state, words);
}

int check_running(const CheckOptions& options) {
    const std::string& file = options.file;
    const Topology topology = read_topology(file);
    if (topology.hosts.size() < 2) throw InputError(file, "", "one host has nobody to send to");
    const State state(name_of_testbed(std::nullopt));
    if (state.hosts().size() != topology.hosts.size())
        throw InputError(file, "", fmt::format("testbed {} has other hosts", state.name()));
    const Findings findings = check(topology, state, this_program(), window_of(options));
    if (options.json)
        fmt::print("{}", espalier::to_text(to_json(findings)));
    else
        fmt::print("{}", to_text(findings));
    return static_cast<int>(findings.good() ? ExitStatus::done : ExitStatus::found_invalid);
}

}  // namespace espalier::testbed
