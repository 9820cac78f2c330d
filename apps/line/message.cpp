#include "line/message.hpp"

#include "core/environment.hpp"
#include "core/prose.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace espalier::line {

namespace {

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

void say(std::string_view head, fmt::terminal_color colour, std::string_view text) {
    std::string line = fmt::format("{} {}", head, text);
    std::ranges::replace(line, '\n', ' ');
    if (is_terminal(STDERR_FILENO)) line = wrapped(line, columns_of_output(STDERR_FILENO), 2);
    fmt::print(stderr, "{}{}\n", styled(head, fmt::emphasis::bold | fmt::fg(colour), STDERR_FILENO),
               line.substr(head.size()));
}

}  // namespace

std::string styled(std::string_view text, const fmt::text_style& look, int descriptor) {
    const std::string terminal = environment("TERM").value_or("");
    const bool plain = terminal.empty() || terminal == "dumb" ||
                       !environment("NO_COLOR").value_or("").empty() || !is_terminal(descriptor);
    return plain ? std::string(text) : fmt::format(look, "{}", text);
}

void complain(std::string_view text) { say("espalier:", fmt::terminal_color::red, text); }

void warn(const std::string& text) { say("espalier: warning:", fmt::terminal_color::yellow, text); }

}  // namespace espalier::line
