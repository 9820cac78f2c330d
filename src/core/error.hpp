#pragma once

#include <stdexcept>
#include <string>

namespace espalier {

/// The exit statuses of all programs. The one place that maps errors to these is each program's
/// main.
enum class ExitStatus : int { done = 0, internal_fault = 1, bad_input = 2, found_invalid = 3 };

/// Control characters, which names and values in files may have, as \xNN.
inline std::string in_one_line(const std::string& text) {
    constexpr const char* digits = "0123456789abcdef";
    std::string line;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code != 0x7f)
            line += c;
        else
            line += {'\\', 'x', digits[code / 16], digits[code % 16]};
    }
    return line;
}

/// Whatever stops a verb from doing its work. `what()` is one line, without a program name.
class Error : public std::runtime_error {
public:
    Error(ExitStatus status, const std::string& line)
        : std::runtime_error(in_one_line(line)), status_(status) {}
    [[nodiscard]] ExitStatus status() const { return status_; }

private:
    ExitStatus status_;
};

/// Bad usage or bad input: status 2.
class InputError : public Error {
public:
    explicit InputError(const std::string& line) : Error(ExitStatus::bad_input, line) {}
    /// `where` is a file, an option or a variable, `field` the place inside it (may be empty).
    InputError(const std::string& where, const std::string& field, const std::string& problem)
        : InputError(field.empty() ? where + ": " + problem
                                   : where + ": " + field + ": " + problem) {}
};

/// Something was checked and does not hold: status 3.
class InvalidError : public Error {
public:
    explicit InvalidError(const std::string& line) : Error(ExitStatus::found_invalid, line) {}
};

}  // namespace espalier
