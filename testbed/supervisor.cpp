#include "testbed/supervisor.hpp"

#include "core/error.hpp"
#include "core/file_descriptor.hpp"
#include "core/subprocess.hpp"
#include "testbed/channel.hpp"
#include "testbed/client.hpp"
#include "testbed/descendants.hpp"
#include "testbed/system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace espalier::testbed {

namespace {

constexpr std::size_t longest_complaint = 4096;

void detach_streams() {
    const FileDescriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    for (int stream = 0; stream < 3; ++stream) dup2(nothing.get(), stream);
}

/// The files of a testbed, while it is up.
class Files {
public:
    Files(const State& state, const Topology& topology) : state_(state) { state.create(topology); }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;
    ~Files() {
        if (!gone_) state_.remove();
    }
    /// They are removed, and others may be in their place.
    void are_gone() { gone_ = true; }

private:
    const State& state_;
    bool gone_ = false;
};

/// Lets the parent end the command first, which would complain of hosts that are gone.
void await_end() {
    constexpr timespec patience{.tv_sec = 5};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    sigtimedwait(&set, nullptr, &patience);
}

int keeper_main(const Topology& topology, const Settings& settings, const State& state,
                int report) {
    setsid();
    detach_streams();
    try {
        keep(topology, settings, state, report);
    } catch (const std::exception& error) {
        if (send_message(report, fmt::format("-{}", error.what()), {})) await_end();
    }
    // Not in vain where the parent was killed, or a client waits for this process's end.
    state.remove();
    return 0;
}

/// The keeper as its parent sees it.
class KeeperProcess {
public:
    KeeperProcess(const Topology& topology, const Settings& settings, const State& state)
        : files_(state, topology) {
        std::array<int, 2> ends{};
        require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
        report_ = FileDescriptor(ends[0]);
        const FileDescriptor inside(ends[1]);
        process_ = Subprocess([&] { return keeper_main(topology, settings, state, inside.get()); },
                              SIGTERM);
    }
    KeeperProcess(const KeeperProcess&) = delete;
    KeeperProcess& operator=(const KeeperProcess&) = delete;
    ~KeeperProcess() { process_.end(SIGTERM); }

    [[nodiscard]] pid_t pid() const { return process_.id(); }
    [[nodiscard]] int report() const { return report_.get(); }

    void await_ready() {
        const std::string answer = hear();
        if (answer != "+")
            throw InputError(answer.empty() ? "the testbed ended as it was brought up" : answer);
    }
    /// It has closed its end of the report: waits until it is gone itself.
    void await_end() {
        if (process_.wait() == 0) files_.are_gone();
    }
    /// What it says: `+`, a complaint, or nothing when it ended.
    [[nodiscard]] std::string hear() {
        std::vector<FileDescriptor> none;
        const std::string text = receive_message(report_.get(), longest_complaint, none);
        return text.starts_with('-') ? text.substr(1) : text;
    }

private:
    Files files_;
    FileDescriptor report_;
    Subprocess process_;
};

Subprocess start(const State& state, const std::vector<std::string>& words) {
    return Subprocess(
        [&]() -> int {
            usual_signals();
            setenv("ESPALIER_TESTBED", state.name().c_str(), 1);
            become_or_end(words);
        },
        SIGKILL);
}

}  // namespace

int run_in_testbed(const Topology& topology, const Settings& settings, const State& state,
                   const std::vector<std::string>& words) {
    // What the command leaves behind becomes a child of this process, so that it can be ended.
    prctl(PR_SET_CHILD_SUBREAPER, 1UL);
    std::vector<int> heard = ending_signals();
    heard.push_back(SIGCHLD);
    const FileDescriptor signals(signals_read_from_descriptor(heard));
    KeeperProcess keeper(topology, settings, state);
    keeper.await_ready();
    Subprocess command = start(state, words);

    std::optional<int> status;
    while (!(status = command.ended())) {
        std::array<pollfd, 2> polled{{{keeper.report(), POLLIN, 0}, {signals.get(), POLLIN, 0}}};
        if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) fail("poll");
        if (polled[0].revents != 0) {
            const std::string complaint = keeper.hear();
            command.end(SIGKILL);
            end_descendants(keeper.pid());
            throw InputError(complaint.empty() ? "the testbed was taken down before its command"
                                                 " ended"
                                               : complaint);
        }
        signalfd_siginfo signal{};
        while (read(signals.get(), &signal, sizeof signal) == sizeof signal) {
            // The terminal sends its own to the command, too.
            const auto number = static_cast<int>(signal.ssi_signo);
            if (number == SIGTERM || number == SIGHUP) kill(command.id(), number);
        }
    }
    end_descendants(keeper.pid());
    return *status;
}

void bring_up(const Topology& topology, const Settings& settings, const State& state) {
    std::array<int, 2> ends{};
    require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
    FileDescriptor outside(ends[0]);
    const FileDescriptor inside(ends[1]);
    Subprocess background([&] {
        setsid();
        outside.reset();
        detach_streams();
        std::string answer = "+";
        try {
            KeeperProcess keeper(topology, settings, state);
            keeper.await_ready();
            (void)send_message(inside.get(), answer, {});
            if (keeper.hear().empty()) keeper.await_end();
        } catch (const std::exception& error) {
            (void)send_message(inside.get(), fmt::format("-{}", error.what()), {});
        }
        return 0;
    });
    background.detach();
    std::vector<FileDescriptor> none;
    const std::string answer = receive_message(outside.get(), longest_complaint, none);
    if (answer != "+")
        throw InputError(answer.size() > 1 ? answer.substr(1) : "the testbed did not come up");
}

}  // namespace espalier::testbed
