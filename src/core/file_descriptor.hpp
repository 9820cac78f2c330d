#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

namespace espalier {

/// Owns a file descriptor; -1 is none.
class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        if (this != &other) {
            reset();
            number_ = std::exchange(other.number_, -1);
        }
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() { reset(); }

    [[nodiscard]] int get() const { return number_; }
    [[nodiscard]] explicit operator bool() const { return number_ >= 0; }
    /// Gives it away.
    [[nodiscard]] int release() { return std::exchange(number_, -1); }
    void reset() {
        if (number_ >= 0) close(number_);
        number_ = -1;
    }

private:
    int number_ = -1;
};

/// Writes all of the text; false if that fails, and errno says why.
[[nodiscard]] bool write_all(int descriptor, std::string_view text);
/// Everything that can still be read from the descriptor, up to its end or to the first error.
[[nodiscard]] std::string read_all(int descriptor);

}  // namespace espalier
