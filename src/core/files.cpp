#include "core/files.hpp"

#include "core/error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <utility>

namespace espalier {

namespace {

/// Writes everything and closes it; returns errno or 0.
int write_and_close(FileDescriptor file, std::string_view content) {
    if (!write_all(file.get(), content)) return errno;
    return ::close(file.release()) == 0 ? 0 : errno;
}

/// The state of the place where a file is to be written.
struct Destination {
    bool exists = false;
    bool is_device = false;  ///< or a pipe: can't be replaced by a rename
    mode_t mode = 0;

    explicit Destination(const std::string& path) {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) return;
        if (S_ISDIR(status.st_mode)) throw InputError(path, "", "is a folder");
        exists = true;
        is_device = !S_ISREG(status.st_mode);
        mode = status.st_mode & 07777U;
    }
};

/// Some letters, as good as never the same.
std::string random_ending() {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEF";
    std::random_device random;
    std::string ending(8, '.');
    for (char& letter : ending) letter = letters[random() % letters.size()];
    return ending;
}

}  // namespace

TemporaryFile make_temporary(const std::string& path) {
    while (true) {
        std::string name = path + "." + random_ending();
        FileDescriptor made(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (made) return {std::move(name), std::move(made)};
        if (errno != EEXIST && errno != EINTR) throw InputError(path, "", std::strerror(errno));
    }
}

std::string read_file(const std::string& path) {
    if (path == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) throw InputError(path, "", std::strerror(errno));
    if (S_ISDIR(status.st_mode)) throw InputError(path, "", "is a folder");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError(path, "", std::strerror(errno));
    std::ostringstream content;
    content << file.rdbuf();
    if (file.bad()) throw InputError(path, "", "can't be read");
    return content.str();
}

void write_file(const std::string& path, std::string_view content) {
    if (path == "-") {
        std::cout << content << std::flush;
        if (!std::cout) throw InputError("standard output", "", "can't be written");
        return;
    }
    const Destination destination(path);
    if (destination.is_device) {
        FileDescriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        const int fault = device ? write_and_close(std::move(device), content) : errno;
        if (fault != 0) throw InputError(path, "", std::strerror(fault));
        return;
    }
    TemporaryFile temporary = make_temporary(path);
    if (destination.exists) ::fchmod(temporary.file.get(), destination.mode);
    int fault = write_and_close(std::move(temporary.file), content);
    if (fault == 0 && std::rename(temporary.name.c_str(), path.c_str()) != 0) fault = errno;
    if (fault != 0) {
        ::unlink(temporary.name.c_str());
        throw InputError(path, "", std::strerror(fault));
    }
}

void require_writable(const std::string& path) {
    if (path == "-") return;
    if (Destination(path).is_device) {
        if (::access(path.c_str(), W_OK) != 0) throw InputError(path, "", std::strerror(errno));
        return;
    }
    ::unlink(make_temporary(path).name.c_str());
}

}  // namespace espalier
