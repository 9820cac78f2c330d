#include "command.hpp"
#include "core/error.hpp"
#include "line/message.hpp"

#include <CLI/Error.hpp>

#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string_view>

namespace {

using espalier::ExitStatus;

int complain(ExitStatus status, std::string_view text) {
    espalier::line::complain(text);
    return static_cast<int>(status);
}

}  // namespace

int main(int count, char** words) {
    try {
        espalier::cli::run_command_line({words + 1, words + count});
        if (std::cout.flush()) return static_cast<int>(ExitStatus::done);
        return complain(ExitStatus::bad_input, "standard output: can't be written");
    } catch (const CLI::Success&) {
        return static_cast<int>(ExitStatus::done);
    } catch (const CLI::ParseError& error) {
        return complain(ExitStatus::bad_input, error.what());
    } catch (const espalier::Error& error) {
        return complain(error.status(), error.what());
    } catch (const std::bad_alloc&) {
        return complain(ExitStatus::bad_input, "not enough memory for what was asked for");
    } catch (const std::length_error&) {
        return complain(ExitStatus::bad_input, "no memory holds what was asked for");
    } catch (const std::exception& error) {
        return complain(ExitStatus::internal_fault, error.what());
    }
}
