#include "testbed/congestion.hpp"

#include "core/error.hpp"
#include "testbed/system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <utility>
#include <vector>

namespace espalier::testbed {

namespace {

bool has_word(const std::string& line, const std::string& word) {
    return (" " + line + " ").find(" " + word + " ") != std::string::npos;
}

std::string without(const std::string& line, const std::string& word) {
    std::istringstream words(line);
    std::vector<std::string> kept;
    for (std::string each; words >> each;)
        if (each != word) kept.push_back(each);
    return fmt::format("{}", fmt::join(kept, " "));
}

/// A lock of this process alone: hosts that it started don't hold it, and its end frees it.
void lock(int file) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    require(fcntl(file, F_SETLKW, &whole), "--congestion");
}

}  // namespace

CongestionPermit::CongestionPermit(const std::string& name, CongestionFiles files)
    : files_(std::move(files)) {
    if (name.empty()) return;
    added_ =
        FileDescriptor(open(files_.added.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (added_) {
        lock(added_.get());
        take_back();
    }
    if (has_word(allowed(), name)) {
        added_ = FileDescriptor();
        return;
    }
    if (!added_ || name.find(' ') != std::string::npos || !add(name)) {
        const std::string available = first_line(files_.available);
        throw InputError(
            "--congestion", "",
            has_word(available, name)
                ? fmt::format("{} is not allowed to others than root here (allowed: {})", name,
                              allowed())
                : fmt::format("this kernel has no {} (it has: {})", name, available));
    }
}

CongestionPermit::~CongestionPermit() {
    if (added_) take_back();
}

std::string CongestionPermit::allowed() const { return first_line(files_.allowed); }

/// What is noted and not added does no harm; the reverse would stay.
bool CongestionPermit::add(const std::string& name) {
    if (pwrite(added_.get(), name.data(), name.size(), 0) != static_cast<ssize_t>(name.size()))
        return false;
    if (put(files_.allowed, allowed() + " " + name)) return true;
    (void)!ftruncate(added_.get(), 0);
    return false;
}

/// Takes only that word: what the machine allows may have been changed meanwhile. A second
/// descriptor of the file, closed, would end the lock.
void CongestionPermit::take_back() {
    std::array<char, 64> name{};
    const ssize_t length = pread(added_.get(), name.data(), name.size(), 0);
    if (length <= 0) return;
    const std::string added(name.data(), static_cast<std::size_t>(length));
    if (put(files_.allowed, without(allowed(), added))) (void)!ftruncate(added_.get(), 0);
}

}  // namespace espalier::testbed
