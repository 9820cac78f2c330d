#include "testbed/host_init.hpp"

#include "testbed/channel.hpp"
#include "testbed/system.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace espalier::testbed {

namespace {

/// A client and its command, which has the process group of its own number.
struct Command {
    FileDescriptor client;
    pid_t pid;
};

[[noreturn]] void begin(Request& request) {
    setsid();
    usual_signals();
    for (int stream = 0; stream < 3; ++stream)
        dup2(request.streams[static_cast<std::size_t>(stream)].get(), stream);
    // A folder that is not there on this host is no reason not to run.
    (void)!chdir(request.folder.c_str());
    clearenv();
    for (std::string& variable : request.environment) putenv(variable.data());
    become_or_end(request.words);
}

class CommandServer {
public:
    explicit CommandServer(int control)
        : control_(control), signals_(signals_read_from_descriptor({SIGCHLD})) {}

    /// False once there is no keeper any more.
    bool step() {
        std::vector<pollfd> polled{{control_, POLLIN, 0}, {signals_.get(), POLLIN, 0}};
        for (const Command& command : commands_)
            polled.push_back({command.client.get(), POLLIN, 0});
        if (poll(polled.data(), polled.size(), -1) < 0) return errno == EINTR;
        // From the last, because some are removed, and before those that are new.
        for (std::size_t i = commands_.size(); i-- > 0;)
            if (polled[i + 2].revents != 0) listen_to(i);
        if (polled[1].revents != 0) reap();
        return polled[0].revents == 0 || accept();
    }

private:
    bool accept() {
        std::vector<FileDescriptor> descriptors;
        const std::string text = receive_message(control_, 1, descriptors);
        if (text.empty()) return false;
        if (descriptors.size() == 1) start(std::move(descriptors.front()));
        return true;
    }

    void start(FileDescriptor client) {
        const timeval patience{.tv_sec = 5};
        setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        std::optional<Request> request = receive_request(client.get());
        if (!request) return;
        const pid_t pid = fork();
        if (pid == 0) begin(*request);
        if (pid > 0) commands_.push_back({std::move(client), pid});
    }

    void listen_to(std::size_t number) {
        Command& command = commands_[number];
        int signal = 0;
        const ssize_t got = read(command.client.get(), &signal, sizeof signal);
        if (got == sizeof signal) {
            kill(-command.pid, signal);
            return;
        }
        kill(-command.pid, SIGKILL);
        // It may not have its own group yet.
        kill(command.pid, SIGKILL);
        commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(number));
    }

    void reap() {
        std::array<char, 256> signals{};
        (void)!read(signals_.get(), signals.data(), signals.size());
        int status = 0;
        for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0;
             pid = waitpid(-1, &status, WNOHANG)) {
            const auto command = std::ranges::find(commands_, pid, &Command::pid);
            if (command == commands_.end()) continue;
            (void)!send(command->client.get(), &status, sizeof status, MSG_NOSIGNAL);
            commands_.erase(command);
        }
    }

    int control_;
    FileDescriptor signals_;
    std::vector<Command> commands_;
};

}  // namespace

void serve_commands(int control) {
    CommandServer server(control);
    while (server.step()) {
    }
    _exit(0);
}

}  // namespace espalier::testbed
