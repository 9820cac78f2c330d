#include "frontend/problem_options.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace espalier::frontend {

namespace {

struct WordOption {
    std::string_view name;
    std::string ProblemOptions::*field;
};
constexpr std::array<WordOption, 9> word_options{{{"root", &ProblemOptions::root},
                                                  {"bytes", &ProblemOptions::bytes},
                                                  {"critical", &ProblemOptions::critical},
                                                  {"reception", &ProblemOptions::reception},
                                                  {"segment", &ProblemOptions::segment},
                                                  {"local", &ProblemOptions::local},
                                                  {"ports", &ProblemOptions::ports},
                                                  {"time_limit", &ProblemOptions::time_limit},
                                                  {"robust", &ProblemOptions::robust}}};

}  // namespace

std::string ProblemOptions::*find_word_option(std::string_view name) {
    const auto* const found = std::ranges::find(word_options, name, &WordOption::name);
    return found == word_options.end() ? nullptr : found->field;
}

Limits limits_of(const ProblemOptions& options) {
    Limits limits;
    constexpr Seconds longest(1e9);  // what a clock can add
    if (!options.time_limit.empty())
        limits.time = std::min(parse_seconds(options.time_limit, "--time-limit"), longest);
    return limits;
}

Bytes as_bytes(double number, const std::string& where) {
    constexpr double most = 9007199254740992;  // up to which every whole number is a double
    if (!(number >= 0) || number > most ||
        number != static_cast<double>(static_cast<std::uint64_t>(number)))
        throw InputError(where, "", fmt::format("{} is not a whole number of bytes", number));
    return Bytes(static_cast<std::uint64_t>(number));
}

}  // namespace espalier::frontend
