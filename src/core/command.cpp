#include "core/command.hpp"

#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/file_descriptor.hpp"
#include "core/subprocess.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace espalier {

namespace {

namespace fs = std::filesystem;

constexpr int not_started = 127;

bool is_executable(const fs::path& path) {
    std::error_code fault;
    return fs::is_regular_file(path, fault) && ::access(path.c_str(), X_OK) == 0;
}

/// Takes any amount while nobody reads it, which a pipe does not.
FileDescriptor file_in_memory(std::string_view content) {
    FileDescriptor file(::memfd_create("espalier", MFD_CLOEXEC));
    if (!file || !write_all(file.get(), content))
        throw Error(ExitStatus::internal_fault,
                    fmt::format("no file in memory: {}", std::strerror(errno)));
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

std::string content_of(const FileDescriptor& file) {
    ::lseek(file.get(), 0, SEEK_SET);
    return read_all(file.get());
}

}  // namespace

std::optional<std::string> find_program(const std::string& word) {
    if (word.find('/') != std::string::npos)
        return is_executable(word) ? std::optional(word) : std::nullopt;
    std::istringstream folders(environment("PATH").value_or(""));
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder.empty() ? "." : folder) / word;
        if (is_executable(candidate)) return candidate.string();
    }
    return std::nullopt;
}

CommandOutcome run_command(const std::vector<std::string>& words, std::string_view input) {
    const FileDescriptor in = file_in_memory(input);
    const FileDescriptor out = file_in_memory({});
    const FileDescriptor errors = file_in_memory({});
    Subprocess child([&] {
        ::dup2(in.get(), STDIN_FILENO);
        ::dup2(out.get(), STDOUT_FILENO);
        ::dup2(errors.get(), STDERR_FILENO);
        execute(words);
        const std::string why = fmt::format("{}: {}\n", words.front(), std::strerror(errno));
        return write_all(STDERR_FILENO, why) ? not_started : 1;
    });
    const int status = child.wait();
    return {status, content_of(out), content_of(errors)};
}

void execute(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
}

void become(const std::vector<std::string>& words) {
    execute(words);
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

}  // namespace espalier
