#include "core/files.hpp"

#include "core/error.hpp"
#include "core/file_descriptor.hpp"

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
    if (!write_all(descriptor, content)) {
        const int fault = errno;
        ::close(descriptor);
        return fault;
    }
    return ::close(descriptor) == 0 ? 0 : errno;
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

int open_temporary(const std::string& path, std::string& pattern) {
    const int descriptor = ::mkstemp(pattern.data());
    if (descriptor < 0) throw InputError(path, "", std::strerror(errno));
    return descriptor;
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
    const Destination destination(path);
    if (destination.is_device) {
        const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        const int fault = device < 0 ? errno : write_and_close(device, content);
        if (fault != 0) throw InputError(path, "", std::strerror(fault));
        return;
    }
    std::string temporary = path + ".XXXXXX";
    const int descriptor = open_temporary(path, temporary);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(descriptor, destination.exists ? destination.mode : (0666U & ~mask));
    int fault = write_and_close(descriptor, content);
    if (fault == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) fault = errno;
    if (fault != 0) {
        ::unlink(temporary.c_str());
        throw InputError(path, "", std::strerror(fault));
    }
}

void require_writable(const std::string& path) {
    if (path == "-") return;
    if (Destination(path).is_device) {
        if (::access(path.c_str(), W_OK) != 0) throw InputError(path, "", std::strerror(errno));
        return;
    }
    std::string temporary = path + ".XXXXXX";
    ::close(open_temporary(path, temporary));
    ::unlink(temporary.c_str());
}

}  // namespace espalier
