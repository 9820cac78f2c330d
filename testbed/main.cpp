#include "core/error.hpp"
#include "core/files.hpp"
#include "line/help.hpp"
#include "line/suggest.hpp"
#include "testbed/agent.hpp"
#include "testbed/check_command.hpp"
#include "testbed/client.hpp"
#include "testbed/describe.hpp"
#include "testbed/kernel_commands.hpp"
#include "testbed/mpi_job.hpp"
#include "testbed/probe.hpp"
#include "testbed/read_topology.hpp"
#include "testbed/supervisor.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>

namespace espalier::testbed {

namespace {

using Words = std::vector<std::string>;

struct Line {
    Words before;   ///< the words before the first `--`
    Words command;  ///< those after it
};

Line split(const Words& words) {
    const auto dashes = std::ranges::find(words, "--");
    Line line{.before = {words.begin(), dashes}, .command = {}};
    if (dashes != words.end()) line.command = {dashes + 1, words.end()};
    return line;
}

struct Options {
    std::string file;
    std::string host;
    std::optional<std::string> name;
    bool json = false;
    Settings settings;
    Words sysctls;
    std::string carrier = "automatic";
    std::string trace;
    bool reset = false;
    Words changes;
};

Carrier carrier_of(const std::string& name) {
    if (name == "automatic") return Carrier::automatic;
    if (name == "kernel") return Carrier::kernel;
    if (name == "emulator") return Carrier::emulator;
    throw InputError("--carrier", "",
                     fmt::format("'{}' is not automatic, kernel or emulator", name));
}

Settings settings_of(const Options& options) {
    Settings settings = options.settings;
    settings.carrier = carrier_of(options.carrier);
    for (const std::string& text : options.sysctls) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            throw InputError("--sysctl", "", fmt::format("{:?} is not KEY=VALUE", text));
        settings.sysctls.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return settings;
}

Settings settings_of(const Options& options, const Topology& topology) {
    Settings settings = settings_of(options);
    if (!options.trace.empty()) settings.trace = read_trace(options.trace, topology);
    return settings;
}

void require_command(const Line& line, const char* verb) {
    if (line.command.empty()) throw InputError(verb, "", "no command: -- COMMAND was expected");
}

void print_hosts(const Options& options) {
    const State state(name_of_testbed(options.name));
    nlohmann::json list = nlohmann::json::array();
    for (const HostEntry& host : state.hosts()) {
        if (options.json)
            list.push_back({{"name", host.name},
                            {"address", host.address},
                            {"cluster", host.cluster},
                            {"site", host.site}});
        else
            fmt::print("{}\t{}\t{}\t{}\n", host.name, host.address, host.cluster, host.site);
    }
    if (options.json) fmt::print("{}\n", list.dump(1));
}

void change_network(const Options& options) {
    const bool trace = !options.trace.empty();
    if ((trace ? 1 : 0) + (options.reset ? 1 : 0) + (options.changes.empty() ? 0 : 1) > 1)
        throw InputError("change", "", "changes, --trace and --reset are each by itself");
    Words words = options.changes;
    if (trace) words = {"--trace", options.trace, read_file(options.trace)};
    if (options.reset) words = {"--reset"};
    fmt::print("{}", change(State(name_of_testbed(options.name)), words));
}

int run(const Line& line) {
    if (!line.before.empty() && line.before.front() == "mpirun")
        return run_mpi_job(
            parse_mpi_job({line.before.begin() + 1, line.before.end()}, line.command));

    Options options;
    int status = 0;
    CLI::App app("Hosts with a network of their own between them, on one machine",
                 "espalier-testbed");
    line::use_columns(app);
    app.set_version_flag("--version", "espalier-testbed " ESPALIER_VERSION);
    app.require_subcommand(1);
    const auto add_name = [&](CLI::App* verb) {
        verb->add_option("--name", options.name, "which testbed ($ESPALIER_TESTBED, or default)");
    };
    const auto add_building = [&](CLI::App* verb) {
        verb->add_option("FILE", options.file, "a description, or a network")->required();
        verb->add_option("--carrier", options.carrier,
                         "what carries the packets: kernel, emulator, or automatic (the kernel "
                         "where it has netem)");
        verb->add_option("--congestion", options.settings.congestion,
                         "the hosts' TCP congestion control");
        verb->add_option("--sysctl", options.sysctls, "KEY=VALUE on every host");
    };

    const auto add_trace = [&](CLI::App* verb) {
        verb->add_option("--trace", options.trace, "a file of changes over time");
    };

    CLI::App* const run = app.add_subcommand("run", "bring hosts up, run a command, take all down");
    add_building(run);
    add_trace(run);
    run->callback([&] {
        require_command(line, "run");
        const State state(fmt::format("run-{}", getpid()));
        const Topology topology = read_topology(options.file);
        status = run_in_testbed(topology, settings_of(options, topology), state, line.command);
    });
    CLI::App* const up = app.add_subcommand("up", "bring hosts up that stay");
    add_building(up);
    add_trace(up);
    add_name(up);
    up->callback([&] {
        const Topology topology = read_topology(options.file);
        bring_up(topology, settings_of(options, topology), State(name_of_testbed(options.name)));
    });
    CLI::App* const on = app.add_subcommand("on", "run a command on a host");
    on->add_option("HOST", options.host)->required();
    add_name(on);
    on->callback([&] {
        require_command(line, "on");
        const State state(name_of_testbed(options.name));
        status = run_on_host(state, options.host, line.command, environment_on(state));
    });
    (void)app.add_subcommand(
        "mpirun",
        "openmpi|mpich [-n N] [--hosts A,B,…] [--ranks-per-host K] [--shuffled "
        "SEED] [--name NAME] [--eager] [its options] -- "
        "PROGRAM: an MPI job, one rank a host or K");
    CLI::App* const hosts = app.add_subcommand("hosts", "names, addresses, clusters, sites");
    add_name(hosts);
    hosts->add_flag("--json", options.json);
    hosts->callback([&] { print_hosts(options); });
    CLI::App* const change =
        app.add_subcommand("change", "change the network while it is up, or say what is changed");
    change->add_option("CHANGE", options.changes,
                       "a queue, a host, a cluster, or the two ends of a path; then rate=, cross=, "
                       "latency=, jitter=, loss= or reset; and so on");
    add_name(change);
    add_trace(change);
    change->add_flag("--reset", options.reset, "all as described, and no trace");
    change->callback([&] { change_network(options); });
    CheckOptions checking;
    const auto add_checking = [&](CLI::App* verb) {
        verb->add_option("--time", checking.window, "how long each flow is counted (1.5s)");
        verb->add_flag("--json", checking.json);
    };
    CLI::App* const check =
        app.add_subcommand("check", "round trips and throughput against what was asked");
    add_building(check);
    add_checking(check);
    check->callback([&] {
        checking.file = options.file;
        status = check_testbed(checking, settings_of(options));
    });
    CLI::App* const check_running = app.add_subcommand("check-running")->group("");
    check_running->add_option("FILE", checking.file)->required();
    add_checking(check_running);
    check_running->callback([&] { status = testbed::check_running(checking); });
    CLI::App* const probe_sockets = app.add_subcommand("probe-sockets")->group("");
    std::string address;
    std::size_t senders = 0;
    probe_sockets->add_option("ADDRESS", address)->required();
    probe_sockets->add_option("SENDERS", senders)->required();
    probe_sockets->callback([&] { give_sockets(STDOUT_FILENO, address, senders); });
    CLI::App* const describe = app.add_subcommand("describe", "what would be built");
    describe->add_option("FILE", options.file, "a description, or a network")->required();
    bool kernel = false;
    describe->add_flag("--kernel", kernel, "the commands that have the kernel be the network");
    describe->callback([&] {
        const Topology topology = read_topology(options.file);
        fmt::print("{}", kernel ? kernel_script(topology) : testbed::describe(topology));
    });
    CLI::App* const down = app.add_subcommand("down", "take a testbed down");
    add_name(down);
    down->callback([&] { take_down(State(name_of_testbed(options.name))); });

    line::add_help_commands(app);
    Words words = line.before;
    if (const auto help = line::asked_help(app, words)) {
        fmt::print("{}", *help);
        return 0;
    }
    if (words.empty()) throw InputError("no command; espalier-testbed --help lists them");
    std::ranges::reverse(words);  // as CLI11 wants them
    try {
        app.parse(words);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError&) {
        line::refuse_unknown_command(app, line.before.front());
        line::refuse_left_over(app);
        throw;
    }
    return status;
}

int complain(ExitStatus status, std::string text) {
    std::ranges::replace(text, '\n', ' ');
    fmt::print(stderr, "espalier-testbed: {}\n", text);
    return static_cast<int>(status);
}

}  // namespace

}  // namespace espalier::testbed

int main(int count, char** words) {
    using namespace espalier;
    const std::vector<std::string> line(words + 1, words + count);
    if (std::filesystem::path(words[0]).filename() == testbed::agent_name)
        return testbed::run_as_agent(line);
    try {
        return testbed::run(testbed::split(line));
    } catch (const CLI::ParseError& error) {
        return testbed::complain(ExitStatus::bad_input, error.what());
    } catch (const Error& error) {
        return testbed::complain(error.status(), error.what());
    } catch (const std::exception& error) {
        return testbed::complain(ExitStatus::internal_fault, error.what());
    }
}
