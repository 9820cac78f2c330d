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
#include <sstream>

namespace espalier {

namespace {

/// Writes everything to an open descriptor and closes it; returns errno or 0.
int write_and_close(int descriptor, std::string_view content) {
    while (!content.empty()) {
        const ssize_t written = ::write(descriptor, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const int fault = errno;
            ::close(descriptor);
            return fault;
        }
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::close(descriptor) == 0 ? 0 : errno;
}

}  // namespace

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
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) throw InputError(path, "", "is a folder");
    if (exists && !S_ISREG(status.st_mode)) {
        // A device or a pipe can't be replaced by a rename.
        const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        const int fault = device < 0 ? errno : write_and_close(device, content);
        if (fault != 0) throw InputError(path, "", std::strerror(fault));
        return;
    }
    std::string temporary = path + ".XXXXXX";
    const int descriptor = ::mkstemp(temporary.data());
    if (descriptor < 0) throw InputError(path, "", std::strerror(errno));
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(descriptor, exists ? (status.st_mode & 07777U) : (0666U & ~mask));
    int fault = write_and_close(descriptor, content);
    if (fault == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) fault = errno;
    if (fault != 0) {
        ::unlink(temporary.c_str());
        throw InputError(path, "", std::strerror(fault));
    }
}

}  // namespace espalier
