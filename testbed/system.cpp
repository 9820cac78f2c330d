#include "testbed/system.hpp"

#include "core/command.hpp"
#include "core/error.hpp"
#include "core/file_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace espalier::testbed {

void fail(const std::string& what) {
    throw InputError(fmt::format("{}: {}", what, std::strerror(errno)));
}

int require(int result, const std::string& what) {
    if (result < 0) fail(what);
    return result;
}

bool put(const std::string& path, const std::string& text) {
    const FileDescriptor file(open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

void become_or_end(const std::vector<std::string>& words) {
    execute(words);
    const int fault = errno;
    fmt::print(stderr, "espalier-testbed: {}: {}\n", words[0], std::strerror(fault));
    std::fflush(stderr);
    _exit(fault == ENOENT ? 127 : 126);
}

const std::vector<int>& ending_signals() {
    static const std::vector<int> signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    return signals;
}

int signals_read_from_descriptor(const std::vector<int>& signals) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : signals) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    return require(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
}

void usual_signals() {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
}

}  // namespace espalier::testbed
