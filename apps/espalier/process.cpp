#include "process.hpp"

#include "core/error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

namespace espalier::cli {

namespace {

namespace fs = std::filesystem;

bool is_executable(const fs::path& path) {
    std::error_code fault;
    return fs::is_regular_file(path, fault) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<char*> argument_vector(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return arguments;
}

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace

std::string environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
}

std::optional<std::string> find_program(const std::string& word) {
    if (word.find('/') != std::string::npos)
        return is_executable(word) ? std::optional(word) : std::nullopt;
    std::istringstream folders(environment("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder.empty() ? "." : folder) / word;
        if (is_executable(candidate)) return candidate.string();
    }
    return std::nullopt;
}

ProcessOutcome outcome_of(const std::vector<std::string>& words) {
    constexpr int not_started = 127;
    auto arguments = argument_vector(words);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {not_started, "", std::strerror(errno)};
    // A file takes any number of errors while nobody reads them.
    const int errors = ::memfd_create("errors", MFD_CLOEXEC);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
        ::dup2(errors, STDERR_FILENO);
        ::dup2(ends[1], STDOUT_FILENO);
        ::execvp(arguments.front(), arguments.data());
        ::_exit(not_started);
    }
    ::close(ends[1]);
    ProcessOutcome outcome{not_started, child < 0 ? "" : read_all(ends[0]), ""};
    ::close(ends[0]);
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child > 0)
        outcome.status =
            WIFEXITED(status) ? WEXITSTATUS(status) : not_started + 1 + WTERMSIG(status);
    ::lseek(errors, 0, SEEK_SET);
    outcome.errors = read_all(errors);
    ::close(errors);
    return outcome;
}

std::string output_of(const std::vector<std::string>& words) {
    ProcessOutcome outcome = outcome_of(words);
    return outcome.status == 0 ? std::move(outcome.output) : "";
}

void become(const std::vector<std::string>& words) {
    auto arguments = argument_vector(words);
    ::execvp(arguments.front(), arguments.data());
    throw InputError(words.front(), "", std::strerror(errno));
}

std::optional<std::string> find_companion(const std::string& name) {
    std::error_code fault;
    const fs::path beside = fs::read_symlink("/proc/self/exe", fault).parent_path();
    for (const fs::path& folder :
         {beside, beside / ".." / ESPALIER_LIBRARY_FOLDER, beside / ".." / "lib"}) {
        const fs::path candidate = folder / name;
        if (fs::exists(candidate, fault)) return candidate.lexically_normal().string();
    }
    return std::nullopt;
}

}  // namespace espalier::cli
