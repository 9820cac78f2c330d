#include "frontend/host_list.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>

namespace espalier::frontend {

namespace {

using network::GridView;

struct HostLine {
    std::string host;
    std::optional<std::size_t> slots;
};

/// nullopt for a line that names no host.
std::optional<HostLine> parse_line(std::string text, const std::string& where) {
    text.resize(std::min(text.find('#'), text.size()));
    std::istringstream words(text);
    HostLine line;
    if (!(words >> line.host)) return std::nullopt;
    std::string count;
    if (const std::size_t colon = line.host.rfind(':'); colon != std::string::npos) {
        count = line.host.substr(colon + 1);
        line.host.resize(colon);
    }
    for (std::string word; words >> word;) {
        constexpr std::string_view name = "slots=";
        if (word.starts_with(name)) count = word.substr(name.size());
    }
    if (!count.empty()) line.slots = parse_count(count, where, 1);
    return line;
}

/// Has `take` see each line that names a host, with its place in the file.
void read_host_file(const std::string& file,
                    const std::function<void(const HostLine&, const std::string& field)>& take) {
    std::istringstream lines(read_file(file));
    std::size_t number = 0;
    bool is_empty = true;
    for (std::string text; std::getline(lines, text);) {
        const std::string field = fmt::format("line {}", ++number);
        const auto line = parse_line(text, fmt::format("{}: {}", file, field));
        if (!line) continue;
        take(*line, field);
        is_empty = false;
    }
    if (is_empty) throw InputError(file, "", "it names no host");
}

HostList read_hosts(const std::string& file, const GridView& view) {
    HostList listed;
    read_host_file(file, [&](const HostLine& line, const std::string& field) {
        const auto place = view.find(line.host);
        if (!place)
            throw InputError(file, field, fmt::format("the network has no host '{}'", line.host));
        if (std::ranges::find(listed.places, *place) != listed.places.end())
            throw InputError(file, field, fmt::format("'{}' is there twice", line.host));
        const std::size_t slots = line.slots.value_or(1);
        if (!listed.hosts.empty() && listed.slots != slots)
            throw InputError(file, field, "all hosts need the same number of slots");
        listed.slots = slots;
        listed.hosts.push_back(line.host);
        listed.places.push_back(*place);
    });
    return listed;
}

}  // namespace

std::vector<std::string> hosts_in_file(const std::string& file) {
    std::vector<std::string> hosts;
    read_host_file(file, [&](const HostLine& line, const std::string& field) {
        if (std::ranges::find(hosts, line.host) != hosts.end())
            throw InputError(file, field, fmt::format("'{}' is there twice", line.host));
        hosts.push_back(line.host);
    });
    return hosts;
}

HostList list_hosts(const std::string& file, const std::string& slots, const GridView& view) {
    HostList listed;
    if (!file.empty()) {
        listed = read_hosts(file, view);
    } else {
        for (std::size_t node = 0; node < view.nodes(); ++node) {
            listed.places.push_back(view.place_of(node));
            listed.hosts.push_back(view.name_of(listed.places.back()));
        }
    }
    if (!slots.empty()) listed.slots = parse_count(slots, "--slots", 1);
    return listed;
}

}  // namespace espalier::frontend
