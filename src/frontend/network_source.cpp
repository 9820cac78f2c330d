#include "frontend/network_source.hpp"

#include "core/error.hpp"
#include "directory/http.hpp"
#include "directory/open_source.hpp"
#include "directory/time.hpp"
#include "network/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace espalier::frontend {

directory::Time time_of(const SourceOptions& options) {
    const directory::Time present = directory::now();
    return options.at.empty() ? present : directory::parse_time(options.at, "--at", present);
}

directory::Rule rule_of(const SourceOptions& options) {
    return options.old.empty() ? directory::Rule{} : directory::parse_rule(options.old, "--old");
}

network::Network read_source(const std::string& path_or_url, directory::Time at,
                             const directory::AssembleOptions& options, const Warn& warn) {
    const auto source = directory::open_source(path_or_url);
    // Whoever reads the file need not know a server's password.
    const std::string name = directory::without_user(path_or_url);
    network::Network network = assemble(*source, name, at, options);
    if (const auto warnings = network.measured().find("warnings");
        warnings != network.measured().end())
        for (const Json& line : *warnings)
            warn(fmt::format("{}: {}", name, line.get<std::string>()));
    return network;
}

void refuse_source_options(const std::string& path, const SourceOptions& options) {
    for (const auto& [option, value] : {std::pair("--at", &options.at), {"--old", &options.old}})
        if (!value->empty())
            throw InputError(
                option, "",
                fmt::format("{} is a file of one time, and no directory of measurements", path));
}

network::Network read_network(const std::string& path_or_url, const SourceOptions& options,
                              const Warn& warn) {
    if (directory::is_source(path_or_url))
        return read_source(path_or_url, time_of(options), {rule_of(options), {}}, warn);
    refuse_source_options(path_or_url, options);
    return network::read_network(path_or_url);
}

}  // namespace espalier::frontend
