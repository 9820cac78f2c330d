#include "testbed/client.hpp"

#include "core/error.hpp"
#include "core/file_descriptor.hpp"
#include "core/subprocess.hpp"
#include "testbed/agent.hpp"
#include "testbed/channel.hpp"
#include "testbed/system.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

namespace espalier::testbed {

namespace {

constexpr int agent_failed = 255;
constexpr std::chrono::milliseconds grace(300);

FileDescriptor greeted(const State& state, Greeting greeting) {
    FileDescriptor connection(state.connect());
    std::array<char, sizeof greeting> text{};
    std::memcpy(text.data(), &greeting, sizeof greeting);
    if (!connection || !send_message(connection.get(), text, {}))
        throw InputError(fmt::format("no testbed {} is up", state.name()));
    return connection;
}

/// The status of the command, as waitpid has it.
int await(int connection, int signals, const std::string& host) {
    while (true) {
        std::array<pollfd, 2> polled{{{connection, POLLIN, 0}, {signals, POLLIN, 0}}};
        if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) fail("poll");
        if (polled[0].revents != 0) {
            int status = 0;
            if (read(connection, &status, sizeof status) == sizeof status) return status;
            // Where the testbed ended before its command, that says why, and ends this process.
            std::this_thread::sleep_for(grace);
            throw InputError(fmt::format("host {}: is gone", host));
        }
        signalfd_siginfo signal{};
        if (polled[1].revents != 0 && read(signals, &signal, sizeof signal) == sizeof signal) {
            const int number = static_cast<int>(signal.ssi_signo);
            (void)!write(connection, &number, sizeof number);
        }
    }
}

}  // namespace

std::vector<std::string> environment_on(const State& state) {
    std::vector<std::string> variables{"ESPALIER_TESTBED=" + state.name()};
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (std::strncmp(*variable, "ESPALIER_TESTBED=", 17) != 0)
            variables.emplace_back(*variable);
    return variables;
}

int run_on_host(const State& state, const std::string& host, const std::vector<std::string>& words,
                const std::vector<std::string>& environment) {
    const std::vector<HostEntry> hosts = state.hosts();
    const auto found = std::ranges::find(hosts, host, &HostEntry::name);
    if (found == hosts.end())
        throw InputError(fmt::format("testbed {}: has no host {}", state.name(), host));
    const auto number = static_cast<std::uint32_t>(found - hosts.begin());
    const FileDescriptor connection = greeted(state, {Greeting::Kind::command, number});

    std::error_code unknown;
    const std::string folder = std::filesystem::current_path(unknown);
    const FileDescriptor signals(signals_read_from_descriptor(ending_signals()));
    signal(SIGPIPE, SIG_IGN);
    constexpr std::array<int, 3> streams{0, 1, 2};
    send_request(connection.get(),
                 {.folder = unknown ? "/" : folder, .words = words, .environment = environment},
                 streams);
    const int status = await(connection.get(), signals.get(), host);
    return shell_status(status);
}

void take_down(const State& state) {
    const FileDescriptor connection = greeted(state, {Greeting::Kind::stop, 0});
    char end = 0;
    while (read(connection.get(), &end, 1) < 0 && errno == EINTR) {
    }
}

std::string change(const State& state, const std::vector<std::string>& words) {
    const std::string text = join_by_nul(words);
    const FileDescriptor connection =
        greeted(state, {Greeting::Kind::change, static_cast<std::uint32_t>(text.size())});
    signal(SIGPIPE, SIG_IGN);
    // The answer says whether it came whole.
    (void)send_message(connection.get(), text, {});
    std::string answer;
    std::array<char, 4096> part{};
    ssize_t got = 0;
    while ((got = read(connection.get(), part.data(), part.size())) != 0)
        if (got > 0)
            answer.append(part.data(), static_cast<std::size_t>(got));
        else if (errno != EINTR)
            break;
    if (answer.starts_with('+')) return answer.substr(1);
    throw InputError(answer.starts_with('-') ? answer.substr(1)
                                             : fmt::format("testbed {}: is gone", state.name()));
}

int run_as_agent(const std::vector<std::string>& words) {
    // Launchers give options of ssh that are of no use here, such as -x.
    const auto host = std::ranges::find_if(words, [](const auto& word) { return word[0] != '-'; });
    if (host == words.end() || host + 1 == words.end()) {
        fmt::print(stderr, "usage: {} HOST WORD...\n", agent_name);
        return agent_failed;
    }
    try {
        const State state(name_of_testbed(std::nullopt));
        const std::string line = fmt::format("{}", fmt::join(host + 1, words.end(), " "));
        return run_on_host(state, *host, {"sh", "-c", line}, environment_on(state));
    } catch (const Error& error) {
        fmt::print(stderr, "espalier-testbed: {}\n", error.what());
        return agent_failed;
    }
}

}  // namespace espalier::testbed
