#include "frontend/drawn_network.hpp"

#include "core/error.hpp"
#include "frontend/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace espalier::frontend {

namespace {

constexpr std::string_view drawn = "generate:";
constexpr std::string_view seed_in_name = "{seed}";

constexpr std::array<std::pair<std::string_view, std::string GenerateOptions::*>, 20>
    generate_words{{{"clusters", &GenerateOptions::clusters},
                    {"nodes", &GenerateOptions::nodes},
                    {"classes", &GenerateOptions::classes},
                    {"times", &GenerateOptions::times},
                    {"latency", &GenerateOptions::latency},
                    {"gap", &GenerateOptions::gap},
                    {"broadcast", &GenerateOptions::broadcast},
                    {"startup", &GenerateOptions::startup},
                    {"bandwidth", &GenerateOptions::bandwidth},
                    {"draw", &GenerateOptions::draw},
                    {"pattern", &GenerateOptions::pattern},
                    {"small", &GenerateOptions::small},
                    {"large", &GenerateOptions::large},
                    {"servers", &GenerateOptions::servers},
                    {"hosts", &GenerateOptions::hosts},
                    {"routers", &GenerateOptions::routers},
                    {"links", &GenerateOptions::links},
                    {"cycle_times", &GenerateOptions::cycle_times},
                    {"bandwidth_factor", &GenerateOptions::bandwidth_factor},
                    {"seed", &GenerateOptions::seed}}};
constexpr std::array<std::pair<std::string_view, bool GenerateOptions::*>, 5> generate_flags{
    {{"integer", &GenerateOptions::integer},
     {"distinct", &GenerateOptions::distinct},
     {"symmetric", &GenerateOptions::symmetric},
     {"asymmetric", &GenerateOptions::asymmetric},
     {"latencies", &GenerateOptions::latencies}}};

template <typename Table>
auto field_of(const Table& table, std::string_view name) {
    const auto* const found =
        std::ranges::find(table, name, [](const auto& entry) { return entry.first; });
    return found == table.end() ? nullptr : found->second;
}

}  // namespace

std::string GenerateOptions::*find_generate_word(std::string_view name) {
    return field_of(generate_words, name);
}

bool GenerateOptions::*find_generate_flag(std::string_view name) {
    return field_of(generate_flags, name);
}

bool depends_on_seed(std::string_view name) {
    return is_drawn(name) || name.find(seed_in_name) != std::string_view::npos;
}

bool is_drawn(std::string_view name) { return name.starts_with(drawn); }

network::Network draw_network(const std::string& name, std::uint64_t seed) {
    GenerateOptions options;
    options.seed = fmt::format("{}", seed);
    std::vector<std::string> words = split_list(std::string_view(name).substr(drawn.size()), name);
    if (words.empty()) throw InputError(name, "", "a kind of network is missing: generate:grid");
    std::vector<std::string> given;
    for (std::size_t k = 1; k < words.size(); ++k) {
        const std::size_t sign = words[k].find('=');
        std::string option = words[k].substr(0, sign);
        given.push_back("--" + option);
        std::ranges::replace(option, '-', '_');
        const auto word = find_generate_word(option);
        const auto flag = find_generate_flag(option);
        if (word != nullptr && sign != std::string::npos && option != "seed")
            options.*word = words[k].substr(sign + 1);
        else if (flag != nullptr && sign == std::string::npos)
            options.*flag = true;
        else
            throw InputError(name, words[k],
                             option == "seed" ? "--seeds says it"
                                              : "is no option=value, nor a flag, of generate");
    }
    require_generate_kind(words.front(), given);
    return generate_network(words.front(), options);
}

std::string name_of_seed(std::string name, std::uint64_t seed) {
    const std::string number = fmt::format("{}", seed);
    for (std::size_t at = name.find(seed_in_name); at != std::string::npos;
         at = name.find(seed_in_name, at + number.size()))
        name.replace(at, seed_in_name.size(), number);
    return name;
}

}  // namespace espalier::frontend
