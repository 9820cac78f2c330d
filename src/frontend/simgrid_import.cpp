#include "frontend/simgrid_import.hpp"

#include "core/command.hpp"
#include "core/error.hpp"
#include "network/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace espalier::frontend {

namespace {

/// The reader's own complaint, which is already one line, without the program's name.
std::string complaint_of(const CommandOutcome& outcome, const std::string& path) {
    constexpr std::string_view prefix = "espalier: ";
    const std::size_t begin = outcome.errors.find(prefix);
    if (begin == std::string::npos)
        return fmt::format("{}: SimGrid ended with status {}", path, outcome.status);
    const std::size_t from = begin + prefix.size();
    return outcome.errors.substr(from, outcome.errors.find('\n', from) - from);
}

}  // namespace

network::Network read_simgrid_platform(const std::string& path, const std::string& hosts) {
    const auto reader = find_companion("espalier-simgrid-platform");
    if (!reader)
        throw InputError(path, "", "a SimGrid platform; espalier was built without SimGrid");
    std::vector<std::string> words{*reader, path};
    for (std::size_t begin = 0; begin < hosts.size();) {
        const std::size_t end = std::min(hosts.find(',', begin), hosts.size());
        words.push_back(hosts.substr(begin, end - begin));
        begin = end + 1;
    }
    const CommandOutcome outcome = run_command(words);
    if (outcome.status != 0) throw InputError(complaint_of(outcome, path));
    return network::parse_network(outcome.output, path);
}

}  // namespace espalier::frontend
